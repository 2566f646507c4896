throw new Proxy({}, new Proxy({}, { get() { throw new Error('trap'); } }));
