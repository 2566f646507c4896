// The order of microtasks, timers and clears. What may not change places is far
// apart: node itself is late on a busy machine.
console.log('start');
setTimeout(() => console.log('t10'), 10);
setTimeout(() => console.log('t1'), 1);
setTimeout(() => console.log('t0 a'), 0);
setTimeout(() => console.log('t0 b'), 0);
setTimeout((...args) => console.log('args', args), 2, 1, 'two', { three: 3 });
Promise.resolve().then(() => console.log('micro 1')).then(() => console.log('micro 2'));
queueMicrotask(() => console.log('queued'));
(async () => { console.log('async sync'); await null; console.log('async after'); })();
const cleared = setTimeout(() => console.log('never'), 5);
clearTimeout(cleared);
clearTimeout(undefined);
clearTimeout(12345);
let n = 0;
const interval = setInterval(() => {
    console.log('interval', ++n);
    if (n === 3) clearInterval(interval);
}, 20);
setTimeout(() => {
    console.log('outer');
    Promise.resolve().then(() => console.log('micro in timer'));
    setTimeout(() => console.log('nested'), 0);
}, 500);
setTimeout(() => console.log('after outer'), 800);
const t = setTimeout(() => {}, 1);
console.log(typeof t, t.hasRef(), t.unref() === t, t.hasRef(), t.ref() === t, typeof +t, typeof t[Symbol.toPrimitive]());
setTimeout(function () { console.log(this === again, typeof this.refresh); }, 300);
var again;
again = setTimeout(function () { console.log('this is the timer', this === again); }, 400);
const byNumber = setTimeout(() => console.log('never either'), 450);
clearTimeout(+byNumber);
setTimeout(() => console.log('never kept alive'), 100000).unref();
for (const bad of [undefined, null, 'code', 5, {}]) {
    try { setTimeout(bad, 1); } catch (e) { console.log(e.name, e.code, e.message); }
}
try { setImmediate(); } catch (e) { console.log(e.code); }
console.log('end');
