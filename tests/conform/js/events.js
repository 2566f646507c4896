const t = new EventTarget();
const log = (name) => (e) => console.log(name, e.type);
const once = log('once'), many = log('many');
t.addEventListener('a', once, { once: true });
t.addEventListener('a', many);
t.addEventListener('a', many);
t.addEventListener('a', { handleEvent(e) { console.log('object', e.type, this !== t); } });
console.log(t.dispatchEvent(new Event('a')), t.dispatchEvent(new Event('a')));
t.removeEventListener('a', many);
t.dispatchEvent(new Event('a'));
t.addEventListener('stop', (e) => { e.stopImmediatePropagation(); console.log('first'); });
t.addEventListener('stop', () => console.log('never'));
t.dispatchEvent(new Event('stop'));
t.addEventListener('p', (e) => e.preventDefault());
const cancelable = new Event('p', { cancelable: true });
console.log(t.dispatchEvent(cancelable), cancelable.defaultPrevented, t.dispatchEvent(new Event('p')));
const e = new CustomEvent('c', { detail: { x: 1 } });
t.addEventListener('c', (ev) => console.log(ev.detail, ev instanceof CustomEvent, ev instanceof Event, ev.currentTarget === t, ev.eventPhase));
t.dispatchEvent(e);
console.log(e.currentTarget, e.target === t, e.eventPhase, new CustomEvent('x').detail);
console.log(e.bubbles, e.cancelable, e.composed, e.isTrusted, typeof e.timeStamp, Event.AT_TARGET);
try { new Event(); } catch (err) { console.log(err.name); }
try { t.dispatchEvent({}); } catch (err) { console.log(err.name); }
class Emitter extends EventTarget { fire() { return this.dispatchEvent(new Event('fire')); } }
const em = new Emitter();
em.addEventListener('fire', function (ev) { console.log(this === em, ev.type); });
em.fire();
t.addEventListener('add', () => { t.addEventListener('add', () => console.log('added later')); console.log('adding'); }, { once: true });
t.dispatchEvent(new Event('add'));
t.dispatchEvent(new Event('add'));
t.addEventListener('n', null);
console.log(Object.prototype.toString.call(t), Object.prototype.toString.call(e));
