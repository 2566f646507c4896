// tools/engine/train.js -- what the compiler should think programs do.
// Ordinary work of many kinds, none of it from bench/. SPDX-License-Identifier: MIT
const seen = [];
let seed = 12345;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;

// objects, classes, accessors, private state
class Account {
    #balance = 0;
    static made = 0;
    constructor(owner) { this.owner = owner; Account.made++; }
    deposit(n) { if (n < 0) throw new RangeError('negative'); this.#balance += n; return this; }
    get balance() { return this.#balance; }
    set note(text) { this.text = `${this.owner}: ${text}`; }
}
class Savings extends Account {
    constructor(owner, rate) { super(owner); this.rate = rate; }
    deposit(n) { return super.deposit(n * (1 + this.rate)); }
}
for (let i = 0; i < 4000; i++) {
    const a = i % 2 ? new Account('a' + i) : new Savings('s' + i, 0.01);
    a.deposit(i).deposit(1).note = 'ok';
    try { a.deposit(-1); } catch (e) { seen.push(e instanceof RangeError); }
    if (i % 1000 === 0) seen.push(a.balance, a.text);
}

// data wrangling: filter, map, group, sort, join
const rows = Array.from({ length: 6000 }, (_, id) => ({
    id, city: ['Oslo', 'Lima', 'Pune', 'Kyiv'][id & 3], price: Math.floor(random() * 900),
    tags: id % 3 ? ['new'] : [], address: { zip: String(10000 + id) },
}));
const groups = {};
for (const { city, price, ...rest } of rows) (groups[city] ??= []).push({ price, ...rest });
for (const [city, list] of Object.entries(groups)) {
    list.sort((x, y) => x.price - y.price || x.id - y.id);
    const total = list.filter(r => r.tags?.length).map(r => r.price).reduce((s, p) => s + p, 0);
    seen.push(city, total / list.length, list.at(-1).address.zip, list.some(r => r.price > 890));
}
const text = JSON.stringify(rows.slice(0, 3000), null, 1);
seen.push(JSON.parse(text, (k, v) => (k === 'id' ? v + 1 : v)).length, text.length);

// strings and regular expressions
let log = '';
for (let i = 0; i < 2500; i++)
    log += `2024-0${1 + i % 9}-1${i % 10}T0${i % 9}:00 [${i % 4 ? 'info' : 'error'}] user${i % 50}@mail.test took ${i % 700} ms\n`;
for (const m of log.matchAll(/\[(?<level>\w+)\] (\S+)@(\S+) took (\d+) ms/g))
    if (m.groups.level === 'error' && +m[4] > 690) seen.push(m[2]);
seen.push(log.split('\n').map(l => l.trim().slice(0, 10).replaceAll('-', '/')).filter(Boolean).length,
    log.toUpperCase().lastIndexOf('ERROR'), log.replace(/\d{4}-\d\d/g, d => d.split('-').reverse().join('.')).length);
const words = log.toLowerCase().match(/[a-z]+/g), counts = new Map();
for (const w of words) counts.set(w, (counts.get(w) ?? 0) + 1);
seen.push([...counts].sort(([, a], [, b]) => b - a).slice(0, 3).join());

// numbers, typed arrays, bits
const grid = new Float64Array(64 * 64);
for (let step = 0; step < 6; step++)
    for (let y = 1; y < 63; y++)
        for (let x = 1; x < 63; x++)
            grid[y * 64 + x] = (grid[y * 64 + x - 1] + grid[y * 64 + x + 1] + Math.sin(x * y)) / 3;
let hash = 0;
for (let i = 0; i < log.length; i++) hash = (hash * 31 + log.charCodeAt(i)) | 0;
const marks = new Uint8Array(30000);
for (let i = 2; i * i < marks.length; i++) if (!marks[i]) for (let j = i * i; j < marks.length; j += i) marks[j] = 1;
seen.push(grid[2000].toFixed(6), hash >>> 0, marks.reduce((n, m) => n + !m, 0), (2n ** 200n % 1000007n).toString());

// algorithms: recursion, memo, queues, matrices, strings
const memo = {};
const ways = (n, k) => n === 0 ? 1 : n < 0 || k === 0 ? 0 : (memo[n * 50 + k] ??= ways(n - k, k) + ways(n, k - 1));
const tree = d => d ? { l: tree(d - 1), r: tree(d - 1) } : null;
const size = t => t ? 1 + size(t.l) + size(t.r) : 0;
const queue = [[0, 0]], far = { '0,0': 0 };
while (queue.length) {
    const [x, y] = queue.shift(), d = far[`${x},${y}`];
    for (const [dx, dy] of [[1, 2], [2, 1], [-1, 2], [-2, 1], [1, -2], [2, -1]]) {
        const k = `${x + dx},${y + dy}`;
        if (x + dx >= 0 && y + dy >= 0 && x + dx < 24 && y + dy < 24 && !(k in far)) { far[k] = d + 1; queue.push([x + dx, y + dy]); }
    }
}
const table = (a, b) => {
    const d = [...Array(a.length + 1)].map((_, i) => [i]);
    for (let j = 0; j <= b.length; j++) d[0][j] = j;
    for (let i = 1; i <= a.length; i++)
        for (let j = 1; j <= b.length; j++)
            d[i][j] = Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] !== b[j - 1]));
    return d[a.length][b.length];
};
seen.push(ways(60, 40), size(tree(11)), Object.keys(far).length);
for (let i = 0; i < 40; i++) seen.push(table('intention of a sandbox ' + i, 'execution in sandboxes ' + i * 3));

// closures, generators, iterators, destructuring, switch, exceptions, proxies
function* zip(...lists) { for (let i = 0; lists.every(l => i < l.length); i++) yield lists.map(l => l[i]); }
let sum = 0;
for (const [a, b] of zip(rows.map(r => r.id), marks)) sum += a * b;
const compose = (...fs) => x => fs.reduce((v, f) => f(v), x);
const f = compose(x => x + 1, x => x * 3 % 7919, String, parseInt, x => { switch (x % 4) { case 0: return x; case 1: return -x; default: return ~x; } });
for (let i = 0; i < 6000; i++) sum += f(i) & 1023;
const watched = new Proxy({}, { get: (t, k) => t[k] ?? k.length, set: (t, k, v) => (t[k] = v, true), has: () => true });
for (let i = 0; i < 2500; i++) { watched['k' + i % 40] = i; sum += watched['z' + i % 90] + ('q' in watched); }
for (let i = 0; i < 2000; i++) { try { i % 3 ? JSON.parse('{"n":1}') : JSON.parse('{oops'); } catch ({ message }) { sum += message.length; } finally { sum++; } }
outer: for (let i = 0; i < 400; i++) for (let j = 0; j < 60; j++) { if (j > 50) continue outer; if (i > 390) break outer; sum = (sum + (i ^ j)) & 0xfffff; }
const list = [];
for (let i = 0; i < 5000; i++) { list.push(i); if (i % 3) list.shift(); if (i % 90 === 0) list.unshift(i); if (i % 400 === 0) list.splice(1, 2, 'a', 'b', 'c'); }
const when = new Date(Date.UTC(2024, 0, 1));
for (let i = 0; i < 1500; i++) { when.setUTCDate(when.getUTCDate() + 1); sum += when.toISOString().length + when.getUTCDay(); }
console.log('%d rows', rows.length, { sum, list: list.slice(0, 5), groups: Object.keys(groups) });

// asynchronous work
const nap = v => new Promise(done => queueMicrotask(() => done(v)));
async function job(i) { const v = await nap(i); if (v % 7 === 0) throw new Error('job ' + v); return v * 2; }
const settled = await Promise.allSettled(Array.from({ length: 1200 }, (_, i) => job(i)));
seen.push(settled.filter(s => s.status === 'fulfilled').reduce((n, s) => n + s.value, 0), sum);
seen.length;
