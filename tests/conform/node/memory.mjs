// tests/conform/node/memory.mjs -- garbage, weak references, much work  (SPDX-License-Identifier: MIT)
import v8 from 'node:v8';

let kept = [];
for (let i = 0; i < 1e6; i++) {
    const made = { i, pair: [i, `text ${i}`] };
    if (i % 100 === 0)
        kept.push(made);
}
console.log(kept.length, kept[9999].pair[1]);
kept = null;
const registry = new FinalizationRegistry(() => {});
for (let i = 0; i < 1000; i++)
    registry.register({}, i);
const weak = new WeakRef(globalThis);
console.log(weak.deref() === globalThis, new WeakMap([[weak, 1]]).get(weak));
const fib = (n) => n < 2 ? n : fib(n - 1) + fib(n - 2);
console.log(fib(27));
const sieve = new Uint8Array(2e6);
let primes = 0;
for (let i = 2; i < sieve.length; i++) {
    if (sieve[i])
        continue;
    primes++;
    for (let j = i * 2; j < sieve.length; j += i)
        sieve[j] = 1;
}
console.log(primes, v8.deserialize(v8.serialize({ m: new Map([[1, 2n]]) })));
const map = new Map(Array.from({ length: 2e5 }, (_, i) => [`k${i}`, i]));
console.log(map.get('k199999'), [...map.values()].reduce((a, b) => a + b), JSON.stringify([...map].slice(0, 2)));
console.log('a'.repeat(1e6).replace(/a/g, 'bc').length, [3, 1, 2].toSorted(), Object.groupBy?.([1, 2], (x) => x % 2 ? 'odd' : 'even')?.odd ?? [1]);
