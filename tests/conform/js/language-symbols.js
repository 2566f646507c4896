const s = Symbol('d');
console.log(s.toString(), s.description, Symbol.for('k') === Symbol.for('k'), Symbol.keyFor(Symbol.for('k')), Symbol() === Symbol(), typeof s);
const o = { [s]: 1, [Symbol.toPrimitive](hint) { return hint === 'number' ? 42 : hint; } };
console.log(+o, `${o}`, o + '', o * 2, Object.getOwnPropertySymbols(o).length, JSON.stringify({ [s]: 1 }));
console.log([].concat({ length: 1, 0: 'spread', [Symbol.isConcatSpreadable]: true }), { [Symbol.toStringTag]: 'T' } + '');
class Even { static [Symbol.hasInstance](n) { return n % 2 === 0; } }
console.log(2 instanceof Even, 3 instanceof Even);
class Splitter { [Symbol.split](str) { return str.length; } }
console.log('abc'.split(new Splitter()), 'abc'.match({ [Symbol.match]: () => 'matched' }), 'abc'.replace({ [Symbol.replace]: (str, r) => str + r }, '!'));
try { s + ''; } catch (e) { console.log(e.name); }
try { Symbol.iterator = 1; console.log('ignored'); } catch (e) { console.log(e.name); }
console.log(Object(s) == s, Symbol.asyncIterator.toString(), Reflect.ownKeys({ a: 1, [s]: 2 }).length);
console.log(Object.getOwnPropertyDescriptor({ get x() { return 1; } }, 'x').set, Object.entries(Object.getOwnPropertyDescriptors({ a: 1 })));
const proto = { inherited: true };
const child = Object.create(proto, { own: { value: 1, enumerable: true } });
console.log(Object.keys(child), 'inherited' in child, Object.hasOwn(child, 'inherited'), (() => { const ks = []; for (const k in child) ks.push(k); return ks; })());
console.log(Object.is(NaN, NaN), Object.assign({}, null, { a: 1 }, 'xy'), Object.entries('ab'), Object.isSealed(Object.seal({ a: 1 })));
