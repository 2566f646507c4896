// tests/conform/node/timers.mjs -- timers and the order of things  (SPDX-License-Identifier: MIT)
import { performance } from 'node:perf_hooks';
import { setInterval as every, setImmediate as soon, setTimeout as wait } from 'node:timers/promises';

console.log('start');
process.nextTick(() => console.log('tick'));
Promise.resolve().then(() => console.log('promise')).then(() => console.log('promise 2'));
queueMicrotask(() => console.log('microtask'));
const cancelled = setTimeout(() => console.log('never'), 5);
clearTimeout(cancelled);
const began = Date.now();
console.log(await wait(30, 'waited'), Date.now() - began >= 29, Date.now() - began < 5000);
console.log(await soon('soon'));
let turns = 0;
for await (const value of every(2, 'turn')) {
    turns++;
    if (turns === 3) {
        console.log(value, turns);
        break;
    }
}
await wait(1000, undefined, { signal: AbortSignal.timeout(5) }).catch((error) => console.log(error.name, error.code));
const t = setTimeout(() => {}, 100000);
console.log(t.hasRef(), t.unref().hasRef(), typeof t[Symbol.toPrimitive]());
const before = performance.now();
for (let i = 0; i < 1e5; i++);
console.log(performance.now() >= before, performance.timeOrigin < Date.now(), performance.mark('m').name);
setTimeout((a, b) => console.log('zero', a, b), 0, 1, 2);
setTimeout(() => console.log('ten'), 10);
const interval = setInterval(() => { console.log('interval'); clearInterval(interval); }, 40);
