// tests/conform/node/unsettled.mjs -- a top-level await that nothing can settle  (SPDX-License-Identifier: MIT)
process.on('exit', (code) => console.log('exit', code));
console.log('before');
await new Promise(() => {});
console.log('never');
