const { a, b: { c = 5, ...rest } = {}, ...others } = { a: 1, b: { d: 2, e: 3 }, f: 4, g: 5 };
console.log(a, c, rest, others);
const [x, , y = 'def', ...zs] = [1, 2, undefined, 4, 5];
console.log(x, y, zs);
function f({ p = 1, q } = {}, [r, s] = [9, 8], ...more) { return [p, q, r, s, more]; }
console.log(f(), f({ q: 2 }, [3], 4, 5), f.length);
let m = 1, n = 2;
[m, n] = [n, m];
console.log(m, n);
const key = 'dyn';
const { [key]: dyn, length } = { dyn: 'v', length: 3 };
console.log(dyn, length);
for (const [k, { v }] of Object.entries({ one: { v: 1 }, two: { v: 2 } })) console.log(k, v);
const obj = { ...{ a: 1, b: 2 }, b: 3, ...null, ...[7] };
console.log(obj, [...'héy', ...new Set([1, 1, 2])]);
console.log(obj?.a, obj?.x?.y?.z, obj.fn?.(), obj?.['b'], null ?? 'd', 0 ?? 'd', 0 || 'd');
let u = null;
u ??= 5; u ||= 6; u &&= 7;
console.log(u);
try { const { z } = null; } catch (e) { console.log(e.name); }
const { toString } = 5;
console.log(typeof toString, (({ a, ...r }) => r)({ a: 1, [Symbol.for('s')]: 2 }));
label: for (let i = 0; i < 3; i++) { for (let j = 0; j < 3; j++) { if (j === 1) continue label; if (i === 2) break label; console.log(i, j); } }
switch (3) { case 1: console.log('no'); default: console.log('default'); case 4: console.log('fall'); break; case 5: console.log('no'); }
console.log(((a, b = a + 1, c = b * 2) => [a, b, c])(1), typeof undeclared, void 0, (1, 2));
