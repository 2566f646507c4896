// Template literals ask String.prototype.concat in this engine; ours must not.
let heard = 0;
String.prototype.concat = function () { heard++; return 'forged'; };
console.log('%s', { a: [1, 'x', new Map([[1, 2]])] }, new Error('e').stack.length > 0);
console.table([{ a: 1 }]);
__return({ get heard() { return heard; }, n: NaN, big: 1n, d: new Date(0), b: new Uint8Array(1) });
