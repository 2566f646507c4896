// tests/conform/node/exit-code.cjs -- exit codes and what still runs  (SPDX-License-Identifier: MIT)
process.on('exit', (code) => {
    console.log('exit', code);
    process.exitCode = 42;
});
process.on('beforeExit', () => console.log('never'));
process.stdout.write('x'.repeat(60000) + '\n');
process.exitCode = 3;
setTimeout(() => {
    console.log('leaving');
    process.exit();
}, 5);
setInterval(() => {}, 1000);
