// Functions that make functions: composition, memo, counters, currying.  SPDX-License-Identifier: MIT
function work() {
    const compose = (...fs) => x => fs.reduce((v, f) => f(v), x);
    const adder = n => x => x + n;
    const pipeline = compose(adder(1), x => x * 3, adder(-2), x => x % 1000);
    let total = 0;
    for (let i = 0; i < 30000; i++) total += pipeline(i);
    const counter = () => { let n = 0; return { up: () => ++n, get: () => n }; };
    const counters = Array.from({ length: 50 }, counter);
    for (let i = 0; i < 150000; i++) counters[i % 50].up();
    const curry = a => b => c => a * b + c;
    for (let i = 0; i < 40000; i++) total += curry(i & 7)(3)(i & 3);
    return total + counters.reduce((s, c) => s + c.get(), 0);
}
const rounds = 2;
