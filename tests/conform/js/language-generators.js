function* count(n) { let got; for (let i = 0; i < n; i++) { got = yield i; if (got) console.log('got', got); } return 'done'; }
console.log([...count(3)], Array.from(count(2)), Math.max(...count(4)));
const g = count(5);
console.log(g.next(), g.next('hello'), g.return('early'), g.next());
const t = count(2);
t.next();
try { t.throw(new Error('in')); } catch (e) { console.log(e.message, t.next()); }
function* delegate() { const r = yield* count(2); yield r; yield* [10, 20]; yield* 'ab'; }
console.log([...delegate()]);
function* fin() { try { yield 1; yield 2; } finally { console.log('cleanup'); } }
for (const x of fin()) { console.log(x); break; }
const [first] = fin();
console.log(first);
const iterable = { *[Symbol.iterator]() { yield* [1, 2, 3]; } };
console.log([...iterable], new Set(iterable).size, Object.fromEntries([['a', 1]].values()));
console.log(Object.prototype.toString.call(g), g[Symbol.iterator]() === g, typeof g.next);
async function* agen() { yield 1; await null; yield Promise.resolve(2); }
(async () => {
    const out = [];
    for await (const x of agen()) out.push(x);
    for await (const x of [Promise.resolve('p'), 'q']) out.push(x);
    console.log(out);
    const it = agen();
    console.log(await Promise.all([it.next(), it.next(), it.next()]));
})();
function* fib() { let [a, b] = [0, 1]; for (;;) { yield a; [a, b] = [b, a + b]; } }
const some = [];
for (const n of fib()) { if (n > 50) break; some.push(n); }
console.log(some.join());
