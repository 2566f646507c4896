// tests/conform/node/crypto.cjs -- hashes, ciphers, keys, webcrypto  (SPDX-License-Identifier: MIT)
const crypto = require('crypto');
const hex = (buffer) => Buffer.from(buffer).toString('hex');
console.log(crypto.createHash('sha256').update('abc').digest('hex'), crypto.createHash('md5').update('').digest('base64'));
console.log(crypto.createHmac('sha512', 'key').update('data').digest('hex').slice(0, 32));
console.log(hex(crypto.pbkdf2Sync('pw', 'salt', 1000, 16, 'sha256')), hex(crypto.scryptSync('pw', 'salt', 16)));
console.log(hex(crypto.hkdfSync('sha256', 'key', 'salt', 'info', 16)));
const key = Buffer.alloc(32, 1);
const cipher = crypto.createCipheriv('aes-256-gcm', key, Buffer.alloc(12));
const sealed = Buffer.concat([cipher.update('secret'), cipher.final()]);
const open = crypto.createDecipheriv('aes-256-gcm', key, Buffer.alloc(12));
open.setAuthTag(cipher.getAuthTag());
console.log(hex(sealed), open.update(sealed, null, 'utf8') + open.final('utf8'));
const { publicKey, privateKey } = crypto.generateKeyPairSync('ed25519');
const signature = crypto.sign(null, Buffer.from('m'), privateKey);
console.log(crypto.verify(null, Buffer.from('m'), publicKey, signature), crypto.verify(null, Buffer.from('n'), publicKey, signature));
console.log(crypto.timingSafeEqual(Buffer.from('a'), Buffer.from('a')), crypto.randomBytes(8).length, crypto.randomInt(5) < 5);
console.log(/^[0-9a-f-]{36}$/.test(crypto.randomUUID()), crypto.getHashes().includes('sha1'));
const seen = new Set(Array.from({ length: 200 }, () => Math.random()).concat(crypto.randomUUID(), crypto.randomUUID()));
console.log(seen.size);
try {
    crypto.createHash('nope');
} catch (error) {
    console.log(error.name, error.message);
}
(async () => {
    const aes = await crypto.subtle.generateKey({ name: 'AES-CBC', length: 128 }, true, ['encrypt', 'decrypt']);
    const iv = new Uint8Array(16);
    const data = await crypto.subtle.encrypt({ name: 'AES-CBC', iv }, aes, Buffer.from('hello'));
    console.log(data.byteLength, Buffer.from(await crypto.subtle.decrypt({ name: 'AES-CBC', iv }, aes, data)).toString());
    console.log(hex(await crypto.subtle.digest('SHA-1', Buffer.from('abc'))));
    crypto.randomFill(Buffer.alloc(4), (error, buffer) => console.log(error, buffer.length));
})();
