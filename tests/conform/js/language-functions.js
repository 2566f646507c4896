const f = function named(a, b = 2, ...c) { return [a, b, c, arguments.length]; };
console.log(f(1), f(1, 2, 3, 4), f.length, f.name, (() => {}).name, (function () {}).name, new Function('x', 'return x').name);
const bound = f.bind({ ctx: 1 }, 'pre');
console.log(bound('x'), bound.name, bound.length, f.call(null, 1), f.apply(null, [1, 2]));
const counter = (() => { let n = 0; return { inc: () => ++n, get n() { return n; } }; })();
counter.inc(); counter.inc();
console.log(counter.n);
const fns = [];
for (let i = 0; i < 3; i++) fns.push(() => i);
for (var v = 0; v < 3; v++) fns.push(() => v);
console.log(fns.map((g) => g()));
console.log(hoisted(), typeof notYet, (() => { try { return tdz; } catch (e) { return e.name; } finally { } let tdz; })());
function hoisted() { return 'hoisted'; }
var notYet = 1;
const compose = (...gs) => (x) => gs.reduceRight((acc, g) => g(acc), x);
console.log(compose((x) => x + 1, (x) => x * 2)(5), ((a) => (b) => (c) => a + b + c)(1)(2)(3));
const memo = (fn, cache = new Map()) => (n) => cache.has(n) ? cache.get(n) : (cache.set(n, fn(n)), cache.get(n));
const fibm = memo((n) => n < 2 ? n : fibm(n - 1) + fibm(n - 2));
console.log(fibm(80));
console.log((function () { 'use strict'; return this; })(), typeof (function () { return this; })(), (function () { return typeof arguments; })());
const o = { m() { return super.toString === Object.prototype.toString; }, get g() { return 1; }, async am() {}, *gm() {}, ['x' + 1]: 1, 'quoted-name'() {} };
console.log(o.m(), o.x1, o['quoted-name'].name, Object.getOwnPropertyDescriptor(o, 'g').get.name, o.am.constructor.name);
try { (function r() { r(); })(); } catch (e) { console.log(e instanceof RangeError, e.message); }
console.log(((x) => { switch (typeof x) { case 'number': return 'n'; default: return 'd'; } })(1), [1, 2, 3].map(Number.prototype.toFixed.call, Number.prototype.toFixed).length);
console.log(((a, b) => a + b).toString(), (function foo(a) { return a; }).toString(), class A { m() {} }.toString());
var x = 1; { var x = 2; } console.log(x);
try { throw { custom: 1 }; } catch ({ custom }) { console.log(custom); } finally { console.log('finally'); }
console.log((() => { try { return 't'; } finally { console.log('f first'); } })(), (() => { for (const i of [1, 2]) { try { continue; } finally { console.log('c', i); } } return 'end'; })());
const getterObj = { _v: 1, get v() { return this._v; }, set v(n) { this._v = n * 2; } };
getterObj.v = 5;
console.log(getterObj.v, Object.freeze([1]).length, Object.isFrozen(Object.freeze({})), (() => { 'use strict'; try { Object.freeze({ a: 1 }).a = 2; } catch (e) { return e.name; } })());
console.log(eval('var ev = 5; ev * 2'), typeof ev, new Date(0).constructor === Date, [] + [], [] == false, null == undefined, NaN == NaN, '1' == 1);
