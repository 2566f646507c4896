console.log(2n ** 100n, -7n / 2n, -7n % 3n, 5n << 10n, -5n >> 1n, 0xffn & 0x0fn, ~5n);
console.log(BigInt(42), BigInt('0x1f'), BigInt.asUintN(8, 257n), BigInt.asIntN(8, 255n), typeof 1n);
console.log(1n < 2, 2n == 2, 2n === 2, 1n + BigInt(1), [3n, 1n, 2n].sort().join());
for (const f of [() => 1n + 1, () => BigInt(1.5), () => BigInt('x'), () => 1n / 0n, () => Math.max(1n), () => +1n, () => JSON.stringify(1n)]) {
    try { console.log(f()); } catch (e) { console.log(e.name); }
}
console.log(Number(123n), parseInt('9007199254740993'), BigInt('9007199254740993'), (123n).toString(2), BigInt(Number.MAX_SAFE_INTEGER) + 2n);
let fact = 1n;
for (let i = 1n; i <= 30n; i++) fact *= i;
console.log(fact, fact.toString().length, (-123n).toString(16));
console.log(0.1 + 0.2, 1 / 3, 1e21, 1e-7, 123456789.123456789, 5e-324, 1.7976931348623157e308, -1e-10);
console.log((1234.5678).toFixed(2), (0.000001234).toExponential(2), (1234.5678).toPrecision(6), (255).toString(16), (0.5).toString(2), (1e21).toFixed(2));
console.log(Number('  12  '), Number(''), Number('0b101'), Number('1e3'), Number('12px'), parseFloat('3.14abc'), parseInt('101', 2), Number(null), Number([5]));
console.log(Math.round(-0.5), Math.round(2.5), Math.trunc(-4.7), Math.sign(-3), Math.hypot(3, 4), Math.cbrt(27), Math.fround(5.5), Math.clz32(1), Math.log2(8));
console.log(Number.EPSILON > 0, Number.MAX_SAFE_INTEGER, Number.isInteger(5.0), Number.isSafeInteger(2 ** 53), 0 === -0, Object.is(0, -0), NaN !== NaN);
console.log(5 % -3, -5 % 3, 2 ** -1, 7 >>> 1, -1 >>> 0, 1 << 31, 5 & 3, 5 | 3, 5 ^ 3, ~~-5.7);
