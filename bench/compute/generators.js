// Generators and iterators: lazy chains, a tree walk, destructuring, spread.  SPDX-License-Identifier: MIT
function* range(a, b) { for (let i = a; i < b; i++) yield i; }
function* keep(it, f) { for (const x of it) if (f(x)) yield x; }
function* change(it, f) { for (const x of it) yield f(x); }
function* walk(t) { if (t) { yield* walk(t.left); yield t.key; yield* walk(t.right); } }
function build(lo, hi) {
    if (lo > hi) return null;
    const key = (lo + hi) >> 1;
    return { key, left: build(lo, key - 1), right: build(key + 1, hi) };
}
function work() {
    let sum = 0;
    for (const x of change(keep(range(0, 40000), n => n % 3 === 0), n => n * 2)) sum += x % 11;
    const tree = build(0, 1200);
    for (let i = 0; i < 3; i++) for (const key of walk(tree)) sum += key & i;
    for (let i = 0; i < 8000; i++) {
        const [a, b, ...rest] = [i, i + 1, 2, 3];
        sum += Math.max(...rest, a % 5) + b % 3;
    }
    return sum;
}
const rounds = 3;
