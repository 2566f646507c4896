// tests/conform/node/http.mjs -- a server and its clients, on the loopback of the run  (SPDX-License-Identifier: MIT)
import dgram from 'node:dgram';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';

const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request)
        body += chunk;
    response.setHeader('x-seen', request.headers['x-sent'] ?? 'none');
    response.writeHead(request.url === '/missing' ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ method: request.method, url: request.url, body }));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const base = `http://127.0.0.1:${server.address().port}`;
const got = await fetch(base + '/a?b=1', { headers: { 'x-sent': 'yes' } });
console.log(got.status, got.ok, got.headers.get('x-seen'), await got.json());
console.log(await (await fetch(base + '/post', { method: 'POST', body: new URLSearchParams({ k: 'v w' }) })).json());
console.log((await fetch(base + '/missing')).status);
console.log((await Promise.all(Array.from({ length: 20 }, async (_, i) => (await (await fetch(`${base}/${i}`)).json()).url))).join(' '));
const agent = new http.Agent({ keepAlive: false });
const answer = await new Promise((resolve) => http.get(base + '/plain', { agent }, resolve));
console.log(answer.statusCode, answer.headers['content-type'], (await answer.setEncoding('utf8').toArray()).join(''));
await fetch('http://127.0.0.1:1/').catch((error) => console.log(error.name, error.message, error.cause.code));
await fetch(base, { signal: AbortSignal.abort() }).catch((error) => console.log(error.name));
const aborted = new FormData();
aborted.append('f', new Blob(['file']), 'f.txt');
console.log((await (await fetch(base, { method: 'PUT', body: aborted })).json()).body.includes('filename="f.txt"'));
server.closeAllConnections();
server.close();
const echo = net.createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
await once(echo, 'listening');
const socket = net.connect(echo.address().port, '127.0.0.1');
socket.end('echoed');
console.log((await socket.toArray()).join(''));
echo.close();
const udp = dgram.createSocket('udp4');
udp.bind(0, '127.0.0.1', () => udp.send('datagram', udp.address().port, '127.0.0.1'));
console.log((await once(udp, 'message'))[0].toString());
udp.close();
