// tests/conform/node/top-level-await.mjs -- modules that wait, and modules from text  (SPDX-License-Identifier: MIT)
import { createRequire } from 'node:module';
import defaultFs, * as fs from 'node:fs';
import { readFileSync as read } from 'fs';

console.log(fs.readFileSync === read, defaultFs === fs.default, typeof this, import.meta.url.startsWith('file:///'));
console.log(await Promise.all([1, Promise.resolve(2)]));
for await (const n of (async function* () { yield 1; yield 2; })())
    console.log(n);
const { default: five, ...rest } = await import('data:text/javascript,export default 5; export const six = 6;');
console.log(five, rest);
const require = createRequire(import.meta.url);
console.log(require('path') === (await import('path')).default, require.resolve('fs'), import.meta.resolve('node:os'));
console.log(import.meta.dirname === import.meta.filename.slice(0, import.meta.dirname.length), typeof import.meta.resolve);
for (const name of ['./no-such-file.mjs', 'no-such-package', 'node:nope', 'http://example.com/x.js', 'data:text/javascript,let x = ;']) {
    try {
        await import(name);
    } catch (error) {
        console.log(error.name, error.code);
    }
}
try {
    await import('data:text/javascript,throw new TypeError("inside")');
} catch (error) {
    console.log(error.message);
}
const json = await import('data:application/json,{"a":1}', { with: { type: 'json' } });
console.log(json.default);
export const answer = await new Promise((resolve) => setTimeout(resolve, 1, 42));
console.log(answer);
