// tests/conform/node/fs-promises.mjs -- files, with promises and streams  (SPDX-License-Identifier: MIT)
import { createReadStream, createWriteStream, watch } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { finished, pipeline } from 'node:stream/promises';

const root = await fs.mkdtemp(path.join(os.tmpdir(), 'gb-'));
const file = path.join(root, 'lines');
const out = createWriteStream(file);
for (let i = 0; i < 2000; i++)
    out.write(`line ${i}\n`);
out.end();
await finished(out);
let count = 0;
for await (const line of readline.createInterface({ input: createReadStream(file) }))
    count += line.length;
console.log(count, (await fs.stat(file)).size);
await pipeline(createReadStream(file, { start: 10, end: 19 }), createWriteStream(file + '2'));
console.log(await fs.readFile(file + '2', 'utf8'));
const handle = await fs.open(file, 'r+');
const { bytesRead, buffer } = await handle.read(Buffer.alloc(6), 0, 6, 0);
console.log(bytesRead, buffer.toString());
await handle.truncate(12);
await handle.close();
console.log(JSON.stringify(await fs.readFile(file, { encoding: 'utf8' })));
const names = [];
for await (const entry of await fs.opendir(root))
    names.push(entry.name);
console.log(names.sort());
console.log(await Promise.all(['a', 'b', 'c'].map(async (n) => {
    await fs.writeFile(path.join(root, n), n.repeat(3));
    return (await fs.readFile(path.join(root, n))).length;
})));
const changed = new Promise((resolve) => {
    const watcher = watch(root, (event, name) => {
        watcher.close();
        resolve(name);
    });
});
await fs.writeFile(path.join(root, 'new'), '');
console.log('watched', await changed);
await fs.access(path.join(root, 'zzz')).catch((error) => console.log(error.code, error.syscall));
await fs.rm(root, { recursive: true });
