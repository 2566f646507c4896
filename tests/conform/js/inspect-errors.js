// Errors. Stacks are fixed texts, because frames name engine and file.
function fixed(error, frames = '\n    at somewhere (file.js:1:2)') {
    error.stack = `${error.name}: ${error.message}${frames}`;
    Object.defineProperty(error, 'stack', { enumerable: false });
    return error;
}
console.log(fixed(new Error('plain')));
console.log(fixed(new TypeError('typed'), ''));
console.log({ nested: fixed(new RangeError('in object'), '') });
console.log({ nested: fixed(new RangeError('in object')) });
console.log([fixed(new Error('a'), ''), fixed(new Error('b'), '')]);
class MyError extends Error { constructor(m) { super(m); this.name = 'MyError'; this.code = 42; } }
console.log(fixed(new MyError('mine'), ''));
class Unnamed extends Error {}
console.log(fixed(new Unnamed('sub'), ''));
class ValidationError extends TypeError {}
console.log(fixed(new ValidationError('bad'), ''));
console.log(fixed(Object.assign(new Error('props'), { code: 'E_X', info: { a: [1, 2] } }), ''));
console.log(fixed(new Error('outer', { cause: fixed(new Error('inner'), '') }), ''));
console.log(fixed(new Error('outer', { cause: { not: 'error' } }), ''));
console.log(fixed(new Error('outer', { cause: 'text' }), ''));
console.log(fixed(new AggregateError([fixed(new Error('1'), ''), fixed(new Error('2'), '')], 'many'), ''));
console.log(fixed(new Error(''), ''));
console.log(fixed(new Error('multi\nline'), ''));
const renamed = new Error('renamed');
renamed.name = 'Other';
console.log(fixed(renamed, ''));
console.log(Object.prototype.toString.call(new Error('x')), String(new TypeError('y')));
try { null.x; } catch (e) { console.log(e instanceof TypeError, e.name); }
try { undefinedName; } catch (e) { console.log(e instanceof ReferenceError, e.message); }
console.log(new Error('has stack').stack.split('\n')[0]);
class Captured extends Error { constructor(m) { super(m); Error.captureStackTrace(this, Captured); } }
console.log(new Captured('cap').stack.split('\n')[0]);
const target = {};
Error.captureStackTrace(target);
console.log(typeof target.stack, Object.keys(target));
console.log(Object.keys(new Error('k')), JSON.stringify(new Error('j')));
