async function read(stream) {
    const out = [];
    for await (const chunk of stream) out.push(chunk);
    return out;
}
async function main() {
    console.log(await read(new ReadableStream({ start(c) { c.enqueue(1); c.enqueue('two'); c.close(); } })));
    let n = 0;
    console.log(await read(new ReadableStream({ pull(c) { if (n < 3) c.enqueue(n++); else c.close(); } })));
    console.log(await read(ReadableStream.from([1, 2, 3])));
    console.log(await read(ReadableStream.from((async function* () { yield 'a'; yield 'b'; })())));
    const reader = ReadableStream.from(['x']).getReader();
    console.log(await reader.read(), await reader.read(), await reader.read());
    reader.releaseLock();
    const failing = new ReadableStream({ pull(c) { c.error(new Error('broken')); } });
    await read(failing).catch((e) => console.log('caught', e.message));
    const cancelled = new ReadableStream({ pull(c) { c.enqueue(1); }, cancel(r) { console.log('cancel', r); } });
    for await (const chunk of cancelled) { console.log('chunk', chunk); break; }
    const locked = new ReadableStream();
    locked.getReader();
    console.log(locked.locked);
    try { locked.getReader(); } catch (e) { console.log(e.name); }
    const [a, b] = ReadableStream.from([1, 2]).tee();
    console.log(await read(a), await read(b));
    const upper = new TransformStream({ transform(chunk, c) { c.enqueue(chunk.toUpperCase()); }, flush(c) { c.enqueue('!'); } });
    console.log(await read(ReadableStream.from(['a', 'b']).pipeThrough(upper)));
    const written = [];
    await ReadableStream.from([1, 2, 3]).pipeTo(new WritableStream({ write(chunk) { written.push(chunk); }, close() { written.push('closed'); } }));
    console.log(written);
    const w = new WritableStream({ write(c) { written.push(c); } }).getWriter();
    await w.write('direct');
    await w.close();
    console.log(written.at(-1));
}
main();
