// tests/conform/node/util.cjs -- inspect, format, promisify, parseArgs  (SPDX-License-Identifier: MIT)
const util = require('util');
const assert = require('assert');
class A { #p = 1; constructor() { this.self = this; } get g() { return 1; } }
console.log(new A(), [undefined, null, , 5n, Symbol('s'), -0, NaN], new Map([[{ a: 1 }, new Set([1])]]), [1.5, 'x'.repeat(5)]);
console.log({ f() {}, g: class B extends A {}, h: async () => {}, i: function* gen() {}, d: new Date(0), r: /x/g, b: Buffer.from('hi') });
console.log(util.inspect({ a: { b: { c: { d: 1 } } } }, { depth: 1 }), util.inspect('q\'"', { colors: true }), [['deep', [['er']]]]);
console.log(util.format('%s %d %i %j %o %%', 'a', 1.5, '42px', { x: 1 }, [1]), util.inspect(new Proxy({}, {}), { showProxy: true }));
console.log(util.isDeepStrictEqual({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }), util.types.isPromise(Promise.resolve()));
console.log(util.parseArgs({ args: ['-f', '--bar', 'b'], options: { foo: { type: 'boolean', short: 'f' }, bar: { type: 'string' } } }).values);
console.log(util.styleText ? util.stripVTControlCharacters(util.styleText('red', 'x')) : 'x', util.inspect(Object.create(null)));
console.log(new util.TextDecoder('utf-16le').decode(Buffer.from('hi', 'utf16le')), util.toUSVString('a\ud800'));
console.table([{ a: 1, b: 'x' }, { a: 2 }]);
console.group('group');
console.log('inside\nlines');
console.groupEnd();
console.dir({ a: { b: { c: {} } } }, { depth: 0 });
console.log('%c styled', 'color: red', new Error('shown').message, [new TypeError('t')].length);
util.promisify(setTimeout)(1, 'late').then(console.log);
util.callbackify(async () => 5)((error, value) => console.log(error, value));
for (const attempt of [
    () => assert.strictEqual(1, 2), () => assert.deepStrictEqual({ a: 1 }, { a: 2 }), () => assert(0, 'zero'), () => assert.throws(() => {}),
]) {
    try {
        attempt();
    } catch (error) {
        console.log(error.name, error.code, error.message.split('\n')[0]);
    }
}
