async function main() {
    const hex = (b) => [...new Uint8Array(b)].map((x) => x.toString(16).padStart(2, '0')).join('');
    const data = new TextEncoder().encode('hello');
    for (const name of ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'])
        console.log(name, hex(await crypto.subtle.digest(name, data)));
    console.log(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()));
    console.log(crypto.randomUUID() !== crypto.randomUUID());
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    console.log(bytes.length, bytes.some((b) => b !== 0), crypto.getRandomValues(bytes) === bytes);
    try { crypto.getRandomValues(new Float32Array(1)); } catch (e) { console.log(e.name); }
    try { crypto.getRandomValues(new Uint8Array(65537)); } catch (e) { console.log(e.name); }
    const key = await crypto.subtle.importKey('raw', new TextEncoder().encode('key'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
    const mac = await crypto.subtle.sign('HMAC', key, data);
    console.log(hex(mac), await crypto.subtle.verify('HMAC', key, mac, data));
    const aes = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['encrypt', 'decrypt']);
    const iv = new Uint8Array(12);
    const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, aes, data);
    console.log(sealed.byteLength, new TextDecoder().decode(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, aes, sealed)));
}
main();
