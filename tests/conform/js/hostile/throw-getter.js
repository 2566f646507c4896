// An error whose every property throws.
const e = new Error('x');
for (const key of ['name', 'message', 'stack', 'cause', 'errors', 'constructor'])
    Object.defineProperty(e, key, { get() { throw new Error('getter ' + key); } });
throw e;
