async function main() {
    const r = new Response('body', { status: 201, statusText: 'Made', headers: { 'X-A': '1' } });
    console.log(r.status, r.statusText, r.ok, r.headers.get('x-a'), r.headers.get('content-type'), r.bodyUsed, r.type, r.url, r.redirected);
    console.log(await r.text(), r.bodyUsed);
    await r.text().catch((e) => console.log(e.name));
    console.log(await new Response('{"a":[1]}').json(), await Response.json({ b: 1 }).json(), Response.json({}).headers.get('content-type'));
    console.log(new Uint8Array(await new Response(new Uint8Array([1, 2])).arrayBuffer()));
    const blob = await new Response('x', { headers: { 'content-type': 'text/x' } }).blob();
    console.log(blob.size, blob.type);
    const original = new Response('clone me');
    const copy = original.clone();
    console.log(await original.text(), await copy.text());
    console.log(new Response(null).body, (new Response('x').body) instanceof ReadableStream);
    console.log(Response.error().type, Response.error().status, Response.redirect('http://x/y', 301).headers.get('location'));
    console.log(await new Response(new URLSearchParams({ a: 'b' })).text());
    for (const status of [199, 600, 'x']) {
        try { new Response('', { status }); } catch (e) { console.log(e.name); }
    }
    try { new Response('x', { status: 204 }); } catch (e) { console.log(e.name); }
    const q = new Request('http://example.com/a b', { method: 'post', body: 'data', headers: { K: 'v' } });
    console.log(q.method, q.url, q.headers.get('k'), await q.clone().text(), q.signal instanceof AbortSignal, q.mode, q.redirect);
    try { new Request('http://x', { body: 'x' }); } catch (e) { console.log(e.name); }
    try { new Request('relative'); } catch (e) { console.log(e.name); }
    const h = new Headers([['B', '2'], ['a', '1']]);
    h.append('a', '3');
    h.append('Set-Cookie', 'x=1');
    h.append('set-cookie', 'y=2');
    console.log([...h], h.getSetCookie(), h.has('B'), h.get('missing'));
    h.delete('b');
    h.set('c', ' trimmed ');
    console.log([...h.keys()], h.get('c'));
    h.forEach((v, k) => console.log(k, v));
    for (const bad of [['a b', 'x'], ['', 'x'], ['ok', 'a\nb']]) {
        try { new Headers([bad]); } catch (e) { console.log(e.name); }
    }
}
main();
