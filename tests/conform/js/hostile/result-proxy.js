new Proxy({ a: 1, b: [1, 2] }, { get: (t, k) => k === 'a' ? 'trapped' : Reflect.get(t, k) });
