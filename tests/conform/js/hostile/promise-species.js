// A promise whose constructor is hostile.
const p = Promise.resolve({ ok: 1 });
p.constructor = { [Symbol.species]: class { constructor(executor) { executor(() => { throw 1; }, () => { throw 2; }); throw new Error('species'); } } };
Promise.prototype.constructor = function () { throw new Error('constructor'); };
p;
