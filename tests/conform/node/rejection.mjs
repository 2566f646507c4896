// tests/conform/node/rejection.mjs -- a rejection that nobody handles  (SPDX-License-Identifier: MIT)
process.on('exit', (code) => console.log('exit', code));
process.on('uncaughtExceptionMonitor', (error, origin) => console.log(error.message, origin));
console.log('before');
setTimeout(() => console.log('never'), 1000);
Promise.reject(new Error('nobody handles this'));
await 0;
console.log('after');
