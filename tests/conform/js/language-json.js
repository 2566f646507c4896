console.log(JSON.stringify({ a: [1, 'x', null, undefined, () => 1, Symbol('s')], b: undefined, c: NaN, d: new Date(0), e: { toJSON: () => 'custom' } }));
console.log(JSON.stringify({ a: 1, b: [1, 2, { c: 3 }] }, null, 2));
console.log(JSON.stringify([1, { a: 2 }], null, '--'), JSON.stringify({ a: 1, b: 2, c: { a: 3 } }, ['a', 'c']), JSON.stringify({ a: 1, b: 2 }, (k, v) => k === 'b' ? undefined : v));
console.log(JSON.parse('{"a":[1,{"b":null}],"c":1e3,"d":"\\u0041\\n"}'), JSON.parse('[1,2]', (k, v) => Array.isArray(v) ? v : v * 10), JSON.parse('"x"'), JSON.parse(' 5 '));
for (const bad of ['', '{', '{a:1}', "{'a':1}", '[1,]', 'undefined', '01', '"\n"', 'nul', '{"a":1}}']) {
    try { JSON.parse(bad); console.log('parsed', bad); } catch (e) { console.log(e.name, e instanceof SyntaxError); }
}
const c = {}; c.c = c;
try { JSON.stringify(c); } catch (e) { console.log(e.name); }
console.log(JSON.stringify('\u2028\ud800"\\\u0007'), JSON.stringify({ [Symbol('x')]: 1, 5: 'n', a: -0 }), JSON.stringify(undefined), JSON.stringify(null), JSON.stringify(Object(1n).constructor.name));
console.log(JSON.parse('{"__proto__":1}').__proto__, Object.keys(JSON.parse('{"b":1,"a":2,"1":3}')), JSON.stringify(new Map([[1, 2]])), JSON.stringify(new Set([1])));
console.log(JSON.stringify({ d: new Date(NaN), i: Infinity, b: new Boolean(true), s: new String('s'), arr: [, 1] }), JSON.stringify([new Number(3), 'x'.repeat(3)]));
console.log(JSON.stringify(JSON.parse('{"deep":{"deeper":{"deepest":[[[[]]]]}}}')), JSON.stringify({}, null, 2), JSON.stringify([], null, 2), JSON.stringify([[]], null, 1));
