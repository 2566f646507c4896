// tests/conform/node/buffer.cjs -- buffers, encodings, blobs, structured clones  (SPDX-License-Identifier: MIT)
const { Blob, File, transcode, isUtf8 } = require('buffer');
const b = Buffer.from('héllo wörld');
console.log(b, b.toString('hex'), b.toString('base64'), b.toString('base64url'), b.toString('latin1'), b.length);
console.log(b.subarray(1, 4), b.indexOf('w'), b.equals(Buffer.from(b)), Buffer.compare(Buffer.from('a'), Buffer.from('b')));
console.log(Buffer.concat([Buffer.alloc(2, 'ab'), Buffer.of(1, 2)]), Buffer.byteLength('€'), b.readUInt16BE(0), b.readDoubleLE(2));
const w = Buffer.alloc(16);
w.writeInt32LE(-5, 0);
w.writeBigUInt64BE(2n ** 60n, 4);
w.writeFloatBE(1.5, 12);
console.log(w, w.readInt32LE(0), w.readBigUInt64BE(4), w.swap16().toString('hex'), JSON.stringify(Buffer.from([1])));
console.log(transcode(Buffer.from('€'), 'utf8', 'utf16le'), isUtf8(Buffer.from([0xff])), Buffer.from('zz', 'hex').length, atob('aGk='), btoa('hi'));
for (const attempt of [() => b.readUInt8(99), () => Buffer.alloc(-1), () => Buffer.from(5), () => w.writeUInt8(256, 0)]) {
    try {
        attempt();
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
}
const clone = structuredClone({ m: new Map([['k', new Date(5)]]), e: new RangeError('r'), a: new Uint8Array([1, 2]), n: undefined });
console.log(clone.m, clone.e instanceof RangeError, clone.a, Object.keys(clone));
const { port1, port2 } = new MessageChannel();
port2.once('message', (data) => { console.log('message', data); port2.close(); });
port1.postMessage({ big: 1n });
const file = new File(['one', Buffer.from('two')], 'f.txt', { type: 'text/plain' });
Promise.all([file.text(), new Blob(['x'.repeat(10)]).slice(2, 4).text()]).then(([a, c]) => console.log(a, c, file.name, file.size));
