// tests/conform/node/vm-wasm.mjs -- contexts, WebAssembly, code from text  (SPDX-License-Identifier: MIT)
import vm from 'node:vm';

const context = vm.createContext({ x: 2, console });
console.log(vm.runInContext('var y = x * 21; y', context), context.y, vm.isContext(context));
console.log(vm.runInNewContext('typeof process + typeof globalThis'), new vm.Script('1 + 1').runInThisContext());
for (const code of ['for (;;);', 'throw new TypeError("t")', 'let = 5 5']) {
    try {
        vm.runInNewContext(code, {}, { timeout: 30, filename: 'inner.js' });
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
}
console.log(new Function('a', 'b', 'return a * b')(6, 7), (0, eval)('typeof require'), vm.compileFunction('return a', ['a'])(5));
const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127, 127, 1, 127, 3, 2, 1, 0,
    5, 3, 1, 0, 1, 7, 13, 2, 3, 97, 100, 100, 0, 0, 3, 109, 101, 109, 2, 0, 10, 9, 1, 7, 0, 32, 0, 32, 1, 106, 11]);
const { instance, module } = await WebAssembly.instantiate(bytes);
console.log(instance.exports.add(2, 40), WebAssembly.Module.exports(module), instance.exports.mem.buffer.byteLength);
console.log(instance.exports.mem.grow(1), WebAssembly.validate(bytes.slice(0, 20)), new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.add(-1, 1));
await WebAssembly.compile(new Uint8Array(4)).catch((error) => console.log(error.name));
let sum = 0;
for (let i = 0; i < 5e6; i++)
    sum = instance.exports.add(sum, i) | 0;
console.log(sum);
