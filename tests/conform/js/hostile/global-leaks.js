// No name of the runtime or of the host is in sight.
const names = Reflect.ownKeys(globalThis).map(String);
names.filter((n) => /host|glove|bundle|internal(?!Error)/i.test(n) && n !== 'InternalError');
