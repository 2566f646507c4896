// guest/js/latin1.js -- TextDecoder for one-byte text  (SPDX-License-Identifier: MIT)
//
// The native decoder knows UTF-8 and UTF-16. Programs also ask for "latin1" and
// "ascii", all of which the Encoding Standard reads as windows-1252.

import * as p from './primordials.js';
import { copyBytes } from './blob.js';
import { replaceConstructor } from './replace.js';

const labels = {
    __proto__: null, 'latin1': 1, 'iso-8859-1': 1, 'iso8859-1': 1, 'windows-1252': 1,
    'cp1252': 1, 'ascii': 1, 'us-ascii': 1, 'l1': 1,
};

/** Bytes 0x80 to 0x9f; every other byte is its own code point. */
const upper = '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
    '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

const oneByte = new p.WeakMap();    // decoders of ours
const { fromCharCode } = p.String;

function decodeOneByte(input) {
    if (input === undefined)
        return '';
    const bytes = copyBytes(input);
    if (bytes === undefined)
        throw new p.TypeError('The "input" argument must be an ArrayBuffer or a view');
    const length = p.TypedArrayLength(bytes);
    let text = '';
    for (let i = 0; i < length; i++) {
        const byte = bytes[i];
        text += byte >= 0x80 && byte <= 0x9f ? upper[byte - 0x80] : fromCharCode(byte);
    }
    return text;
}

export function installLatin1() {
    const decoder = p.TextDecoder.prototype;
    const encoding = p.getOwnPropertyDescriptor(decoder, 'encoding');
    const readEncoding = p.uncurry(encoding.get);
    replaceConstructor('TextDecoder', (Native, target, label = 'utf-8', options = undefined) => {
        const name = p.StringToLowerCase(p.StringTrim(p.text(label)));
        const ours = labels[name] !== undefined;
        const made = p.construct(Native, [ours ? 'utf-8' : name, options ?? {}], target);
        if (ours)
            p.WeakMapSet(oneByte, made, true);
        return made;
    });
    p.show(decoder, 'decode', { decode(input = undefined, options = undefined) {
        return p.isObject(this) && p.WeakMapHas(oneByte, this) ? decodeOneByte(input)
            : p.apply(nativeDecode, this, input === undefined ? [] : [input, options ?? {}]);
    } }.decode);
    encoding.get = p.getOwnPropertyDescriptor({ get encoding() {
        return p.isObject(this) && p.WeakMapHas(oneByte, this) ? 'windows-1252' : readEncoding(this);
    } }, 'encoding').get;
    p.defineProperty(decoder, 'encoding', encoding);
}

const nativeDecode = p.TextDecoder.prototype.decode;
