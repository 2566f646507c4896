// tests/conform/node/os-process.cjs -- what a program learns about its machine  (SPDX-License-Identifier: MIT)
// Differs by design and is not printed: names, sizes, ids, uptime, process.ppid (0 inside), the environment.
const os = require('os');
console.log(os.EOL === '\n', os.platform(), os.arch(), os.type(), os.endianness(), os.devNull);
console.log(os.cpus().length > 0, os.totalmem() > 2 ** 24, os.freemem() > 0, typeof os.hostname(), os.loadavg().length);
console.log(typeof os.userInfo().username, os.availableParallelism() > 0, Object.keys(os.networkInterfaces()).length >= 0);
console.log(os.constants.signals.SIGKILL, os.constants.errno.ENOENT, os.tmpdir());
console.log(process.platform, process.arch, typeof process.title, process.argv.length, process.execArgv, process.exitCode);
console.log(process.pid > 0, process.version === `v${process.versions.node}`, process.release.name, typeof process.umask());
console.log(Array.isArray(process.hrtime()), typeof process.hrtime.bigint(), process.uptime() >= 0, process.cwd().length > 0);
console.log(Object.keys(process.memoryUsage()).sort(), Object.keys(process.cpuUsage()), process.emitWarning.length);
console.log(process.stdout.isTTY, process.stdout.writable, process.stdin.isTTY, process.stdout.fd, process.stderr.fd);
console.log(process.env.NOT_SET, 'NOT_SET' in process.env, (process.env.SET = 1, process.env.SET), delete process.env.SET);
console.log(typeof process.getuid(), process.config.variables.napi_build_version > 7, process.features.inspector);
process.chdir('/');
console.log(process.cwd());
process.nextTick(() => console.log('tick'));
setImmediate(() => console.log('immediate'));
queueMicrotask(() => console.log('microtask'));
process.on('beforeExit', () => console.log('beforeExit'));
process.on('exit', (code) => console.log('exit', code));
