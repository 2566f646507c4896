// Names a program may find, and their attributes.
for (const name of ['console', 'setTimeout', 'clearTimeout', 'setInterval', 'queueMicrotask', 'structuredClone', 'URL', 'URLSearchParams',
    'TextEncoder', 'TextDecoder', 'AbortController', 'AbortSignal', 'Event', 'EventTarget', 'Blob', 'Headers', 'Request', 'Response',
    'ReadableStream', 'WritableStream', 'TransformStream', 'DOMException', 'performance', 'crypto', 'atob', 'btoa'])
    console.log(name, typeof globalThis[name], name in globalThis);
for (const name of ['window', 'document', 'localStorage', 'Deno', 'Bun', 'gc', 'print', 'scriptArgs', '__host', '__glovebox', 'bundle'])
    console.log(name, typeof globalThis[name]);
const d = Object.getOwnPropertyDescriptor(globalThis, 'URL');
console.log(d.writable, d.enumerable, d.configurable);
globalThis.console = globalThis.console;
var declared = 1;
let lexical = 2;
console.log(typeof globalThis.lexical, new Function('return typeof lexical')() !== undefined);
console.log((0, eval)('1 + 1'), eval('lexical'), new Function('a', 'b', 'return a + b')(1, 2));
console.log(setTimeout.name, setTimeout.length > 0, URL.name, console.log.name);
