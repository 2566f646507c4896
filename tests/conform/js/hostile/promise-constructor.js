// The shared prototype of promises is hostile; a real promise still settles.
const p = new Promise((resolve) => setTimeout(resolve, 1, { ok: 1 }));
Promise.prototype.constructor = function () { throw new Error('constructor'); };
delete Promise.prototype.then;
Object.defineProperty(Promise.prototype, 'then', { get() { return function () { throw new Error('then'); }; } });
p;
