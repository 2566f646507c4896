// tests/conform/node/child-process.mjs -- programs started by the program  (SPDX-License-Identifier: MIT)
import { exec, execFile, execFileSync, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

console.log(execFileSync('sh', ['-c', 'echo out; echo err >&2'], { stdio: ['ignore', 'pipe', 'ignore'] }).toString());
console.log(spawnSync('sh', ['-c', 'exit 3']).status, spawnSync('sh', ['-c', 'kill -9 $$']).signal, spawnSync('no-such-program').error.code);
console.log(await promisify(exec)('echo $((6 * 7)); echo warn >&2'), (await promisify(execFile)('echo', ['a b'])).stdout);
const cat = spawn('cat');
cat.stdin.end('through a pipe');
let text = '';
for await (const chunk of cat.stdout)
    text += chunk;
console.log(text);
const sleeper = spawn('sleep', ['100']);
sleeper.kill();
console.log(await once(sleeper, 'exit'));
console.log(spawnSync('sleep', ['100'], { timeout: 30 }).error.code);
console.log(spawnSync(process.execPath, ['-p', 'process.argv.length + process.execArgv.length']).stdout.toString().trim());
console.log(spawnSync(process.execPath, ['-e', 'process.exit(+process.env.CODE)'], { env: { CODE: '9' } }).status);
console.log(spawnSync(process.execPath, ['-e', 'throw new Error("x")']).status, spawnSync(process.execPath, ['-'], { input: 'console.log(1)' }).stdout.toString());
const name = `/tmp/gb-child-${process.pid}.cjs`;
writeFileSync(name, 'process.on("message", (m) => { process.send({ twice: m * 2 }); process.disconnect(); });');
const kid = fork(name);
kid.send(21);
console.log((await once(kid, 'message'))[0], await once(kid, 'exit'));
rmSync(name);
const gone = spawn('/no/such/file');
gone.on('error', (error) => console.log(error.code, error.syscall));
