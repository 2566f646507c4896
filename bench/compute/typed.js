// Typed arrays: a blur, a CRC table, a convolution in 16 bits.  SPDX-License-Identifier: MIT
function work() {
    const w = 96, image = new Uint8Array(w * w), out = new Uint8Array(w * w);
    for (let i = 0; i < image.length; i++) image[i] = (i * 31) ^ (i >> 3);
    for (let pass = 0; pass < 2; pass++) {
        for (let y = 1; y < w - 1; y++)
            for (let x = 1; x < w - 1; x++) {
                const at = y * w + x;
                out[at] = (image[at - 1] + image[at + 1] + image[at - w] + image[at + w]) >> 2;
            }
        image.set(out);
    }
    const table = new Uint32Array(256);
    for (let i = 0; i < 256; i++) {
        let c = i;
        for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
        table[i] = c;
    }
    let crc = -1;
    for (let round = 0; round < 6; round++)
        for (let i = 0; i < image.length; i++) crc = table[(crc ^ image[i]) & 255] ^ (crc >>> 8);
    const signal = new Int16Array(4096), kernel = new Float32Array([0.1, 0.2, 0.4, 0.2, 0.1]);
    for (let i = 0; i < signal.length; i++) signal[i] = (i * 277) % 2000 - 1000;
    let energy = 0;
    for (let i = 2; i < signal.length - 2; i++) {
        let s = 0;
        for (let k = -2; k <= 2; k++) s += signal[i + k] * kernel[k + 2];
        energy += Math.abs(s);
    }
    return (crc >>> 0) + Math.round(energy);
}
const rounds = 4;
