async function main() {
    const said = (f) => { try { return f(); } catch (e) { return e.name + ': ' + e.message; } };
    const failed = (promise) => promise.then(() => 'resolved', (e) => [e.name, e.message, e.cause?.message]);
    console.log(typeof fetch, fetch.length, fetch.name, Object.keys(globalThis).includes('fetch'));

    // What is answered without a network
    for (const url of ['data:text/plain,hi%20there', 'data:;base64,aGk=', 'data:text/html;charset=x,%3Cp%3E%', 'data:,a%20b#c']) {
        const r = await fetch(url);
        console.log(r.status, r.statusText, r.ok, r.type, r.redirected, r.headers.get('content-type'), await r.text());
    }
    console.log(await (await fetch('data:application/json,{"a":[1]}')).json());
    console.log(await failed(fetch('data:;base64,*')).then((f) => f.slice(0, 2)));
    for (const url of ['nope', '//x', 'http://u:p@x/', 'unknown:x'])
        console.log(url, (await failed(fetch(url))).slice(0, 2));

    // What is refused before anything is sent
    console.log(await failed(fetch('http://x/', { method: 'TRACE' })));
    console.log(await failed(fetch('http://x/', { method: 'a b' })));
    console.log(await failed(fetch('http://x/', { method: 'GET', body: 'x' })));
    console.log(await failed(fetch('http://x/', { signal: {} })));
    console.log(await failed(fetch('http://x/', { redirect: 'no' })));
    console.log((await failed(fetch('http://x/', { headers: { 'a b': 'c' } })))[0]);
    console.log((await failed(fetch('http://x/', { headers: 1 })))[0], (await failed(fetch(Symbol())))[0]);
    console.log(await failed(fetch({ toString() { throw new RangeError('mine'); } })));
    console.log(fetch('nope').catch(() => {}) instanceof Promise);

    // Aborted before it began
    const controller = new AbortController();
    controller.abort();
    console.log(await failed(fetch('http://x/', { signal: controller.signal })));
    console.log(await fetch('http://x/', { signal: AbortSignal.abort('why') }).catch((e) => e));
    console.log(await failed(fetch(new Request('http://x/', { signal: controller.signal }))));

    // Requests
    const r = new Request('http://x/a#b', { method: 'put', body: 'text', redirect: 'manual', headers: { B: '1' } });
    console.log(r.method, r.url, r.redirect, r.headers.get('content-type'), r.bodyUsed);
    const copy = new Request(r);
    console.log(copy.method, copy.redirect, copy.headers.get('b'), r.bodyUsed, await copy.text(), copy.bodyUsed);
    console.log(said(() => new Request(r)), said(() => new Request(copy)));
    console.log(await failed(fetch(copy)).then((f) => f.slice(0, 2)));
    const twin = new Request('http://x/', { method: 'POST', body: 'both' });
    const other = twin.clone();
    console.log(await twin.text(), await other.text());
    for (const method of ['get', 'Post', 'patch', 'DELETE', 'custom', 'TRACK', 'Connect', '', 'é'])
        console.log(method, said(() => new Request('http://x/', { method }).method));
    console.log(new Request('http://x/', { signal: null }).signal.aborted, new Request('http://x/').signal.aborted);

    // Bodies are read once
    const once = new Response('abc');
    console.log(await once.text(), await failed(once.text()), await failed(once.json()), once.bodyUsed);
    const locked = new Response('abc');
    locked.body.getReader();
    console.log(await failed(locked.text()), said(() => locked.clone()), locked.bodyUsed);
    const stream = new ReadableStream({ start(c) { c.enqueue(new Uint8Array([104, 105])); c.close(); } });
    const streamed = new Response(stream);
    console.log(streamed.body === stream, await streamed.text(), streamed.bodyUsed);
    console.log(await failed(new Response('{').json()).then((f) => f[0]));
}
main();
