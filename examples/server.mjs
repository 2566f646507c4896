// A server and its client in one run: the loopback of a run is its own, so a
// program can be tried out whole, and nobody else can reach it.
//   glovebox run examples/server.mjs

import { createServer } from 'node:http';
import { once } from 'node:events';

const notes = new Map();

async function bodyOf(request) {
    let text = '';
    for await (const chunk of request)
        text += chunk;
    return text;
}

const server = createServer(async (request, response) => {
    const name = request.url.slice(1);
    if (request.method === 'PUT') {
        notes.set(name, await bodyOf(request));
        response.writeHead(201).end();
    } else if (notes.has(name)) {
        response.end(notes.get(name));
    } else {
        response.writeHead(404).end();
    }
});

server.listen(0, '127.0.0.1');
await once(server, 'listening');
const base = `http://127.0.0.1:${server.address().port}/`;

const steps = [
    ['GET', 'milk'],
    ['PUT', 'milk', 'two bottles'],
    ['GET', 'milk'],
];
const seen = [];
for (const [method, name, body] of steps) {
    const response = await fetch(base + name, { method, body });
    seen.push({ method, status: response.status, text: await response.text() });
    console.log(method, name, response.status);
}
server.close();

export default seen;
