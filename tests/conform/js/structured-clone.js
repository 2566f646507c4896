const source = {
    n: 1, s: 'x', u: undefined, nul: null, b: true, big: 10n, d: new Date(0), r: /a/gi,
    m: new Map([[1, { a: 1 }]]), set: new Set([1, 'x']), arr: [1, , 3], nan: NaN, neg: -0,
    buf: new Uint8Array([1, 2, 3]), f: new Float32Array([1.5]),
};
source.self = source;
const copy = structuredClone(source);
console.log(copy);
console.log(copy !== source, copy.self === copy, copy.m !== source.m, copy.d instanceof Date, Object.is(copy.neg, -0));
const shared = { x: 1 };
const two = structuredClone({ a: shared, b: shared });
console.log(two.a === two.b);
class Foo { constructor() { this.a = 1; } get b() { return 2; } }
console.log(structuredClone(new Foo()) instanceof Foo, structuredClone(new Foo()));
const err = structuredClone(new RangeError('msg', { cause: 'c' }));
console.log(err instanceof RangeError, err.name, err.message);
for (const bad of [() => {}, Symbol('x'), { f() {} }]) {
    try { structuredClone(bad); } catch (e) { console.log(e.name, e.code, e instanceof DOMException); }
}
const buffer = new ArrayBuffer(8);
const moved = structuredClone(buffer, { transfer: [buffer] });
console.log(buffer.byteLength, moved.byteLength);
console.log(structuredClone('prim'), structuredClone(null), structuredClone(undefined));
try { structuredClone(); } catch (e) { console.log(e.name); }
console.log(structuredClone({ get computed() { return 5; } }), structuredClone(Object.create({ inherited: 1 }, { own: { value: 1, enumerable: true } })));
