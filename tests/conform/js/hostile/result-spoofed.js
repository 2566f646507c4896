// Things that claim to be what they are not.
const fakeMap = { __proto__: Map.prototype, a: 1 };
const fakeDate = { __proto__: Date.prototype, b: 2 };
const fakeError = { __proto__: Error.prototype, name: 'Fake', c: 3 };
const realMap = Object.defineProperty(new Map([['k', 'v']]), Symbol.toStringTag, { value: 'Nope' });
const realDate = Object.assign(new Date(0), { getTime: null, toISOString: null });
({ fakeMap, fakeDate, fakeError, realMap, realDate, dollar: { $date: 'x' }, proto: JSON.parse('{"__proto__":1}') });
