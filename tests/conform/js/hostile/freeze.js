// Freeze the world.
for (const object of [Object.prototype, Array.prototype, Function.prototype, Promise.prototype, Error.prototype, Map.prototype])
    Object.freeze(object);
Object.freeze(globalThis);
console.log([1, { a: new Map([[1, 2]]) }], new Error('e').message);
new Promise((resolve) => setTimeout(() => resolve({ frozen: true }), 1));
