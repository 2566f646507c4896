// Map, Set, weak collections, typed arrays, buffers.
console.log(new Map());
console.log(new Map([['a', 1], ['b', { c: 2 }]]));
console.log(new Map([[{ k: 1 }, new Map([[1, 2]])]]));
console.log(new Set());
console.log(new Set([1, 'two', { three: 3 }]));
console.log(new Set(Array.from({ length: 120 }, (_, i) => i)));
console.log(new Map(Array.from({ length: 5 }, (_, i) => ['key' + i, 'value'.repeat(3) + i])));
console.log(new WeakMap(), new WeakSet());
console.log(new Uint8Array(3), new Uint8Array(0));
console.log(new Float64Array([1.5, 2.5, -0]));
console.log(new BigInt64Array([1n, -2n]));
console.log(new Uint8Array(200));
console.log(new Uint8ClampedArray([1, 300]));
console.log(new ArrayBuffer(4));
console.log(new Uint8Array([1, 2, 255]).buffer);
console.log(new DataView(new ArrayBuffer(2)));
console.log({ m: new Map([['x', { y: { z: {} } }]]), s: new Set([[1, [2, [3]]]]) });
class MyMap extends Map { constructor(x) { super(x); this.extra = 1; } }
console.log(new MyMap([[1, 2]]));
class MySet extends Set {}
console.log(new MySet([1]));
const map = new Map([[1, 2]]);
map.prop = 'p';
console.log(map);
console.log([new Map(), new Set([1])]);
console.log(new Map([[NaN, NaN], [undefined, null]]));
console.log(new ArrayBuffer(120));
