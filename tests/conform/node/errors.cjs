// tests/conform/node/errors.cjs -- errors as programs see them  (SPDX-License-Identifier: MIT)
const lines = (error) => error.stack.split('\n').slice(0, 2).map((l) => l.replace(/\(?(?:file:\/\/)?\/.*\//, '(')).join(' | ');
function thrower() {
    null.x;
}
try {
    thrower();
} catch (error) {
    console.log(lines(error));
}
const withCause = new Error('outer', { cause: new TypeError('inner') });
console.log(withCause.cause.message, withCause instanceof Error, Object.prototype.toString.call(withCause));
console.log(new AggregateError([1, new Error('e')], 'many').errors.length, new DOMException('m', 'AbortError').code);
const target = {};
Error.captureStackTrace(target);
console.log(typeof target.stack, Error.stackTraceLimit);
Error.prepareStackTrace = (error, sites) => sites[0].getLineNumber() + ':' + sites[0].getColumnNumber();
console.log(new Error('x').stack);
delete Error.prepareStackTrace;
for (const code of ['undefined_name', 'null.a', '(void 0)()', 'new Array(-1)', 'decodeURIComponent("%")', 'BigInt(1.5)', 'x = ;', 'const c = 1; c = 2']) {
    try {
        new Function(code)();
    } catch (error) {
        console.log(error.name + ': ' + error.message);
    }
}
const deep = () => deep() + 1;
try {
    deep();
} catch (error) {
    console.log(error.name, error.message);
}
process.on('uncaughtException', (error, origin) => console.log('uncaught', error.message, origin));
process.on('unhandledRejection', (reason) => console.log('unhandled', reason));
process.on('warning', (warning) => console.log(warning.name, warning.message));
setTimeout(() => { throw new Error('timer'); }, 1);
Promise.reject('reason');
process.emitWarning('look out', 'CustomWarning');
