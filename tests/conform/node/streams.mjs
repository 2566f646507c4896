// tests/conform/node/streams.mjs -- node and web streams  (SPDX-License-Identifier: MIT)
import { Duplex, PassThrough, Readable, Transform, Writable } from 'node:stream';
import { buffer, json, text } from 'node:stream/consumers';
import { finished, pipeline } from 'node:stream/promises';

const upper = new Transform({
    transform(chunk, encoding, done) { done(null, chunk.toString().toUpperCase()); },
    flush(done) { this.push('!'); done(); },
});
console.log(await text(Readable.from(['a', 'b', 'c']).pipe(upper)));
console.log(await Readable.from([1, 2, 3, 4]).filter((x) => x % 2 === 0).map(async (x) => x * 10).toArray());
const slow = [];
const sink = new Writable({
    highWaterMark: 2, objectMode: true,
    write(chunk, encoding, done) { slow.push(chunk); setImmediate(done); },
});
console.log([1, 2, 3].map((n) => sink.write(n)));
sink.end();
await finished(sink);
console.log(slow);
await pipeline(Readable.from(['x']), async function* (source) {
    for await (const chunk of source)
        throw new Error(`no ${chunk}`);
}, new PassThrough()).catch((error) => console.log(error.message));
console.log(await json(Readable.from(['{"a":', '[1]}'])), (await buffer(Readable.from([Buffer.from('hi')]))).length);
const web = new ReadableStream({
    start(controller) { for (const n of [1, 2, 3]) controller.enqueue(n); controller.close(); },
});
const doubled = [];
for await (const n of web.pipeThrough(new TransformStream({ transform: (n, c) => c.enqueue(n * 2) })))
    doubled.push(n);
console.log(doubled, await text(Readable.fromWeb(new Blob(['blob']).stream())));
const echo = Duplex.from(async function* (source) { for await (const c of source) yield `<${c}>`; });
echo.end('e');
console.log(await text(echo));
const errors = new Readable({ read() { this.destroy(new RangeError('gone')); } });
errors.on('error', (error) => console.log('error', error.name)).on('close', () => console.log('close')).resume();
