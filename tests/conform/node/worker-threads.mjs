// tests/conform/node/worker-threads.mjs -- threads, shared memory, termination  (SPDX-License-Identifier: MIT)
// Node.js 26 reserves 64 MB for each thread: give it --memory 512mb.
import { once } from 'node:events';
import { BroadcastChannel, MessageChannel, Worker, isMainThread, receiveMessageOnPort, threadId } from 'node:worker_threads';

const run = (body, options) => new Worker(`const t = require('worker_threads');${body}`, { eval: true, ...options });
console.log(isMainThread, threadId);
const shared = new Int32Array(new SharedArrayBuffer(8));
const adders = [1, 2].map(() => run('for (let i = 0; i < 1000; i++) Atomics.add(t.workerData, 0, 1);', { workerData: shared }));
await Promise.all(adders.map((w) => once(w, 'exit')));
console.log('added', shared[0]);
const waiter = run('t.parentPort.postMessage(Atomics.wait(t.workerData, 1, 0));', { workerData: shared });
await once(waiter, 'online');
setTimeout(() => { Atomics.store(shared, 1, 1); Atomics.notify(shared, 1); }, 50);
console.log('woken', ['ok', 'not-equal'].includes((await once(waiter, 'message'))[0]));
const failing = run('throw new RangeError("inside");');
console.log('failed', (await once(failing, 'error'))[0].message);
const leaving = run('process.exit(4);');
console.log('left', await once(leaving, 'exit'));
const endless = run('for (;;);');
await once(endless, 'online');
console.log('terminated', await endless.terminate());
const { port1, port2 } = new MessageChannel();
const echo = run('t.parentPort.once("message", (p) => p.on("message", (m) => { p.postMessage(m.map((x) => x * 2)); p.close(); }));');
echo.postMessage(port2, [port2]);
port1.postMessage([1, 2]);
console.log('port', await new Promise((resolve) => port1.once('message', resolve)));
const a = new MessageChannel();
a.port1.postMessage({ sync: true });
console.log(receiveMessageOnPort(a.port2), receiveMessageOnPort(a.port2));
const bytes = new ArrayBuffer(16);
const moved = run('t.parentPort.once("message", (b) => t.parentPort.postMessage(b.byteLength));');
moved.postMessage(bytes, [bytes]);
console.log('moved', (await once(moved, 'message'))[0], bytes.byteLength);
const channel = new BroadcastChannel('c');
run('const c = new t.BroadcastChannel("c"); c.postMessage("hello"); c.close();');
channel.onmessage = ({ data }) => { console.log('broadcast', data); channel.close(); };
