const c = new AbortController();
console.log(c.signal.aborted, c.signal.reason, c, c.signal);
c.signal.addEventListener('abort', (e) => console.log('event', e.type, e.target === c.signal, c.signal.aborted, e.isTrusted));
c.signal.onabort = function (e) { console.log('handler', this === c.signal); };
c.abort();
c.abort('again');
console.log(c.signal.aborted, c.signal.reason.name, c.signal.reason.message, c.signal.reason.code);
try { c.signal.throwIfAborted(); } catch (e) { console.log('thrown', e.name, e instanceof DOMException, e instanceof Error); }
const reason = new Error('why');
const c2 = new AbortController();
c2.abort(reason);
console.log(c2.signal.reason === reason);
console.log(AbortSignal.abort().aborted, AbortSignal.abort('r').reason);
const a = new AbortController(), b = new AbortController();
const any = AbortSignal.any([a.signal, b.signal]);
any.addEventListener('abort', () => console.log('any', any.reason));
b.abort('from b');
a.abort('from a');
console.log(any.aborted, any.reason, AbortSignal.any([AbortSignal.abort('x')]).reason);
const timeout = AbortSignal.timeout(5);
timeout.addEventListener('abort', () => console.log('timeout', timeout.reason.name, timeout.reason.code));
setTimeout(() => console.log('done'), 30);
try { new AbortSignal(); } catch (e) { console.log(e.name); }
const target = new EventTarget(), c3 = new AbortController();
target.addEventListener('x', () => console.log('heard'), { signal: c3.signal });
target.dispatchEvent(new Event('x'));
c3.abort();
target.dispatchEvent(new Event('x'));
console.log(Object.prototype.toString.call(c), Object.prototype.toString.call(c.signal));
