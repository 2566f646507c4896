// tests/conform/node/uncaught.cjs -- an exception that nobody catches  (SPDX-License-Identifier: MIT)
// On stderr the frames of node's own loader differ.
process.on('exit', (code) => console.log('exit', code, process.exitCode));
console.log('before');
setTimeout(() => console.log('never'), 1000);
function inner() {
    throw new RangeError('nobody catches this');
}
inner();
