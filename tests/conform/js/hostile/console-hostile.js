// Printing hostile values must either print or throw into the program.
const attempts = [
    () => console.log(new Proxy({}, { get() { throw new Error('get'); }, ownKeys() { throw new Error('keys'); }, getPrototypeOf() { throw new Error('proto'); } })),
    () => console.log({ get x() { throw new Error('x'); } }),
    () => console.log({ [Symbol.toStringTag]: { toString() { throw 1; } } }),
    () => console.log({ get [Symbol.toStringTag]() { throw new Error('tag'); } }),
    () => console.log({ get constructor() { throw new Error('ctor'); } }),
    () => console.log({ [Symbol.for('nodejs.util.inspect.custom')]() { throw new Error('custom'); } }),
    () => console.log('%s', { toString() { throw new Error('str'); } }),
    () => console.log('%d', { valueOf() { throw new Error('val'); } }),
    () => console.log(Object.create(new Proxy({}, { getPrototypeOf() { throw new Error('gp'); } }))),
    () => console.table([new Proxy({}, { ownKeys() { throw new Error('ok'); } })]),
    () => { const e = new Error('e'); Object.defineProperty(e, 'stack', { get() { throw new Error('st'); } }); console.log(e); },
];
let printed = 0, threw = 0;
for (const attempt of attempts) {
    try { attempt(); printed++; } catch { threw++; }
}
({ total: printed + threw, all: attempts.length });
