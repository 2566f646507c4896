// Every object is a thenable that never settles; a value must be plain first.
Object.prototype.then = function (resolve) { resolve(42); };
({ a: 1 });
