const calls = [];
const handler = new Proxy({}, { get: (_, trap) => (...args) => { calls.push(trap); return Reflect[trap](...args); } });
const p = new Proxy({ a: 1 }, handler);
p.a; p.b = 2; 'a' in p; delete p.a; Object.keys(p); Object.getPrototypeOf(p); Object.isExtensible(p);
Object.defineProperty(p, 'c', { value: 3, enumerable: true, configurable: true });
console.log(calls.join(' '));
const defaults = new Proxy({}, { get: (t, k) => k in t ? t[k] : `no ${String(k)}` });
console.log(defaults.foo, ({ ...defaults }));
const neg = new Proxy([1, 2, 3], { get: (t, k, r) => typeof k === 'string' && /^-\d+$/.test(k) ? t[t.length + +k] : Reflect.get(t, k, r) });
console.log(neg[-1], neg.length, neg.map((x) => x * 2));
const fn = new Proxy((a, b) => a + b, { apply: (t, self, args) => t(...args) * 10, construct: () => ({ made: true }) });
console.log(fn(1, 2));
const validated = new Proxy({}, { set(t, k, v) { if (typeof v !== 'number') throw new TypeError('number!'); t[k] = v; return true; } });
validated.x = 1;
try { validated.y = 'no'; } catch (e) { console.log(e.message); }
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
try { proxy.x; } catch (e) { console.log(e.name); }
try { 'use strict'; Object.defineProperty(new Proxy({}, { defineProperty: () => false }), 'x', {}); } catch (e) { console.log(e.name); }
console.log(Reflect.ownKeys({ b: 1, a: 2, 1: 3, [Symbol.for('s')]: 4 }), Reflect.has({ x: 1 }, 'x'), Reflect.apply(Math.max, null, [1, 2]));
const o = { get full() { return this.first; } };
console.log(Reflect.get(o, 'full', { first: 'receiver' }), JSON.stringify(new Proxy({ j: [1] }, {})));
