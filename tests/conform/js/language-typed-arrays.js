const buf = new ArrayBuffer(16);
const view = new DataView(buf);
view.setInt16(0, -2, true);
view.setFloat32(4, 1.5);
view.setBigUint64(8, 2n ** 63n);
console.log(view.getInt16(0, true), view.getUint16(0), view.getFloat32(4), view.getBigUint64(8), view.getUint8(4));
console.log(new Uint8Array(buf), new Int32Array(buf, 4, 1)[0], new Uint8Array(buf, 2, 3).byteOffset);
const u = Uint8Array.of(1, 2, 3, 4);
u.set([9, 8], 2);
console.log(u, u.subarray(1, 3), u.slice(-2), u.fill(7, 0, 1), u.indexOf(9), u.map((x) => x * 2), [...u.entries()].length);
console.log(new Uint8ClampedArray([300, -5, 1.5]), new Int8Array([200]), new Uint16Array([-1]), new Float32Array([0.1])[0], Float64Array.BYTES_PER_ELEMENT);
console.log(buf.slice(0, 4).byteLength, ArrayBuffer.isView(view), u.buffer.byteLength, new Uint8Array(new Set([1, 2])), u.reduce((a, b) => a + b));
for (const bad of [() => new Uint8Array(-1), () => new Int32Array(buf, 1), () => new DataView(buf, 17), () => view.getInt8(16), () => new Uint32Array(buf, 0, 5)]) {
    try { bad(); } catch (e) { console.log(e.name); }
}
const big = new BigInt64Array([1n, -1n]);
console.log(big, big[0] + 1n, new Uint8Array(3).join(), Object.prototype.toString.call(u), Array.isArray(u), u instanceof Uint8Array);
u[100] = 5; u.foo = 'x';
console.log(u.length, u[100], Object.keys(u), u.at(-1), u.includes(8), u.findLast((x) => x > 8), u.toSorted(), u.with(0, 1));
console.log(new Float64Array([3, 1, NaN, -0, 0, 2]).sort(), new Uint8Array([1, 2, 3]).reverse(), Array.from(new Uint8Array([5, 6]), (x) => x + 1));
const resizable = new ArrayBuffer(4, { maxByteLength: 8 });
resizable.resize(8);
console.log(resizable.byteLength, resizable.resizable, resizable.maxByteLength);
