// bench/unseen.js -- small programs as agents write them, one after each "//--".
// None of them is in the training set of the image (src/worker/dump.c).
// SPDX-License-Identifier: MIT
//--
const prices = [19.99, 5.49, 3.5];
prices.reduce((sum, p) => sum + p, 0).toFixed(2)
//--
function gcd(a, b) { return b ? gcd(b, a % b) : a; }
gcd(1071, 462)
//--
const orders = [{ id: 1, total: 30 }, { id: 2, total: 75 }, { id: 3, total: 12 }];
orders.filter(o => o.total > 20).map(o => o.id)
//--
const byCity = {};
for (const { city, n } of [{ city: 'Oslo', n: 2 }, { city: 'Rome', n: 5 }, { city: 'Oslo', n: 1 }])
    byCity[city] = (byCity[city] ?? 0) + n;
byCity
//--
'the quick brown fox'.split(' ').map(w => w[0].toUpperCase() + w.slice(1)).join(' ')
//--
new Date(Date.UTC(2023, 4, 17)).toISOString().slice(0, 10)
//--
const fib = n => (n < 2 ? n : fib(n - 1) + fib(n - 2));
fib(10)
//--
const text = 'a=1&b=two&c=%20';
Object.fromEntries(text.split('&').map(kv => kv.split('=').map(decodeURIComponent)))
//--
const url = new URL('https://shop.example/items?page=3&sort=asc');
({ host: url.host, page: Number(url.searchParams.get('page')) })
//--
const seen = new Set();
[3, 1, 3, 2, 1].filter(x => !seen.has(x) && seen.add(x))
//--
let matrix = [[1, 2], [3, 4]];
matrix[0].map((_, i) => matrix.map(row => row[i]))
//--
function* countdown(n) { while (n > 0) yield n--; }
[...countdown(5)]
//--
const log = 'ERROR disk full\nINFO ok\nERROR timeout';
log.split('\n').filter(l => l.startsWith('ERROR')).length
//--
return { status: 'done', at: 42 };
//--
async function main() {
    const parts = await Promise.all([1, 2, 3].map(async n => n * n));
    return parts;
}
//--
const email = /^[^@\s]+@[^@\s]+\.[a-z]{2,}$/i;
['ann@example.com', 'nobody', 'x@y.z'].map(s => email.test(s))
//--
JSON.stringify({ when: null, list: [1, [2, [3]]], s: 'é"\\' }, null, 2).length
//--
class Stack {
    #items = [];
    push(x) { this.#items.push(x); return this; }
    pop() { return this.#items.pop(); }
    get size() { return this.#items.length; }
}
const st = new Stack().push(1).push(2); st.pop(); st.size
//--
const data = { user: { profile: { name: 'Mia', langs: ['en', 'fr'] } } };
const { user: { profile: { name, langs: [first] } } } = data;
`${name} speaks ${first}`
//--
[10, 9, 8, 1, 2].toSorted((a, b) => b - a)
//--
Array.from({ length: 20 }, (_, i) => i + 1)
    .map(n => n % 15 === 0 ? 'FizzBuzz' : n % 5 === 0 ? 'Buzz' : n % 3 === 0 ? 'Fizz' : n)
//--
const csv = 'name,age\nAnn,31\nBob,27';
const [head, ...rows] = csv.split('\n').map(l => l.split(','));
rows.map(r => Object.fromEntries(r.map((v, i) => [head[i], v])))
//--
let out = [];
try { JSON.parse('{bad'); } catch (e) { out.push(e.name); } finally { out.push('end'); }
out
//--
const order = [];
await new Promise(r => { queueMicrotask(() => order.push('micro')); Promise.resolve().then(r); });
order
//--
'hello world'.split('').reverse().join('')
//--
const counts = new Map();
for (const ch of 'mississippi') counts.set(ch, (counts.get(ch) || 0) + 1);
[...counts].sort((a, b) => b[1] - a[1])[0]
//--
const nums = [5, 3, 8, 1];
({ min: Math.min(...nums), max: Math.max(...nums), mean: nums.reduce((a, b) => a + b) / nums.length })
//--
const deep = structuredClone({ a: [1, 2, { b: new Date(0) }] });
deep.a[2].b.getTime()
//--
(12345.678).toLocaleString()
//--
console.log('step 1'); console.error('warning: retrying'); console.log({ ok: true });
'logged'
//--
const words = 'it was the best of times it was the worst of times'.split(' ');
const top = Object.entries(words.reduce((m, w) => ({ ...m, [w]: (m[w] || 0) + 1 }), {}))
    .sort(([, a], [, b]) => b - a).slice(0, 2);
top
//--
const isPrime = n => { for (let i = 2; i * i <= n; i++) if (n % i === 0) return false; return n > 1; };
[...Array(50).keys()].filter(isPrime)
//--
btoa('glove') + atob('Ym94')
//--
new TextEncoder().encode('añ').length
//--
const [h, m] = '07:45'.split(':').map(Number); h * 60 + m
//--
const a = [1, 2, 3, 4], b = [3, 4, 5];
({ both: a.filter(x => b.includes(x)), either: [...new Set([...a, ...b])] })
//--
const bin = (255).toString(2).padStart(12, '0'); parseInt(bin, 2)
//--
let x = 27, steps = 0; while (x !== 1) { x = x % 2 ? 3 * x + 1 : x / 2; steps++; } steps
//--
const o = Object.freeze({ k: 1 }); 'use strict'; Reflect.ownKeys({ ...o, z: 2 })
//--
2n ** 64n
//--
const memo = {}; const f = n => memo[n] ??= n < 2 ? BigInt(n) : f(n - 1) + f(n - 2); f(60)
//--
const template = 'Dear {{name}}, you owe {{amount}}.';
template.replace(/\{\{(\w+)\}\}/g, (_, k) => ({ name: 'Ivo', amount: '5 EUR' })[k])
//--
const flat = [[1, [2]], [3, [4, [5]]]].flat(Infinity); flat
//--
const inventory = [{ sku: 'A', qty: 0 }, { sku: 'B', qty: 4 }];
Object.groupBy(inventory, i => (i.qty ? 'in' : 'out'))
//--
const p = new Proxy({}, { get: (_, k) => `no ${String(k)}` }); p.milk
//--
const buf = new Uint8Array([1, 2, 250]); new DataView(buf.buffer).getUint16(1)
//--
let total = 0; for (const n of [1, 2, 3, 4, 5]) { if (n === 3) continue; total += n ** 2; } total
//--
const sum = (...xs) => xs.reduce((a, b) => a + b, 0); const add = x => y => sum(x, y); add(2)(5)
//--
const tree = { v: 1, kids: [{ v: 2, kids: [] }, { v: 3, kids: [{ v: 4, kids: [] }] }] };
const walk = t => t.v + t.kids.reduce((s, k) => s + walk(k), 0); walk(tree)
//--
export const version = 3;
export default { ready: true, version };
//--
const results = await Promise.allSettled([Promise.resolve(1), Promise.reject(new Error('down'))]);
results.map(r => r.status)
//--
const d1 = new Date('2024-03-01T00:00:00Z'), d2 = new Date('2024-02-01T00:00:00Z');
Math.round((d1 - d2) / 86400000)
//--
const html = '<li>One</li><li>Two</li>';
[...html.matchAll(/<li>(.*?)<\/li>/g)].map(m => m[1])
//--
let queue = [[0, 0]], dist = { '0,0': 0 };
while (queue.length) {
    const [r, c] = queue.shift();
    for (const [dr, dc] of [[0, 1], [1, 0]]) {
        const k = `${r + dr},${c + dc}`;
        if (r + dr < 4 && c + dc < 4 && !(k in dist)) { dist[k] = dist[`${r},${c}`] + 1; queue.push([r + dr, c + dc]); }
    }
}
dist['3,3']
//--
const celsius = [12, 25, -3]; celsius.map(c => ({ c, f: c * 9 / 5 + 32 }))
//--
const wm = new WeakMap(), key = {}; wm.set(key, 'private'); wm.get(key)
//--
label: for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) if (i * j === 2) break label; 'found'
//--
const roman = n => [[10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I']]
    .reduce((s, [v, r]) => { while (n >= v) { s += r; n -= v; } return s; }, '');
roman(29)
//--
const shuffled = [1, 2, 3, 4, 5].map(v => [Math.random(), v]).sort((a, b) => a[0] - b[0]); shuffled.length
//--
const price = { net: 100, get gross() { return this.net * 1.19; } }; Math.round(price.gross)
//--
function Temp(v) { this.v = v; } Temp.prototype.plus = function (n) { return new Temp(this.v + n); };
new Temp(3).plus(4).v
//--
const symbols = { [Symbol.iterator]: function* () { yield 'x'; yield 'y'; } }; Array.from(symbols)
//--
switch (typeof [] + typeof null) { case 'objectobject': 'both'; break; default: 'other'; }
//--
const luhn = s => [...s].reverse().map(Number).map((d, i) => i % 2 ? (d * 2 > 9 ? d * 2 - 9 : d * 2) : d)
    .reduce((x, y) => x + y) % 10 === 0;
luhn('4539578763621486')
//--
const q = encodeURIComponent('name=Jane Doe&x=ü'); decodeURIComponent(q).length
//--
const id = crypto.randomUUID(); id.length
//--
const levels = ['low', 'mid', 'high']; const enumLike = Object.fromEntries(levels.map((l, i) => [l, i])); enumLike.high
//--
const path = '/usr//local/../bin/./node'.split('/').reduce((s, x) => x === '..' ? s.slice(0, -1) : x && x !== '.' ? [...s, x] : s, []);
'/' + path.join('/')
//--
const t0 = performance.now(); let acc = 0; for (let i = 0; i < 500; i++) acc += Math.sqrt(i); performance.now() >= t0 && acc > 0
//--
const pages = []; for await (const p of (async function* () { yield 1; yield 2; })()) pages.push(p); pages
