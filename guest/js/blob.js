// guest/js/blob.js -- Blob and File: bytes that do not change  (SPDX-License-Identifier: MIT)

import * as p from './primordials.js';
import { inspectCustom } from './events.js';
import { ReadableStream } from './streams.js';

const encoder = new p.TextEncoder();

/** A view or buffer as a copy of its bytes; undefined for anything else. */
export function copyBytes(value) {
    if (!p.isObject(value))
        return undefined;
    if (p.typedArrayKind(value) !== undefined)
        return copyRange(p.TypedArrayBuffer(value), p.TypedArrayByteOffset(value),
            p.TypedArrayByteLength(value));
    if (p.passes(p.DataViewBuffer, value))
        return copyRange(p.DataViewBuffer(value), p.DataViewByteOffset(value),
            p.DataViewByteLength(value));
    if (p.passes(p.ArrayBufferByteLength, value))
        return copyRange(value, 0, p.ArrayBufferByteLength(value));
    return undefined;
}

function copyRange(buffer, from, size) {
    return new p.Uint8Array(p.ArrayBufferSlice(buffer, from, from + size));
}

export const encodeText = (text) => p.TextEncoderEncode(encoder, text);
export const decodeText = (bytes) => p.TextDecoderDecode(new p.TextDecoder(), bytes);

/** Many byte arrays as one. */
export function concat(parts) {
    let size = 0;
    for (let i = 0; i < parts.length; i++)
        size += p.TypedArrayByteLength(parts[i]);
    const all = new p.Uint8Array(size);
    let at = 0;
    for (let i = 0; i < parts.length; i++) {
        p.TypedArraySet(all, parts[i], at);
        at += p.TypedArrayByteLength(parts[i]);
    }
    return all;
}

const printable = /^[\x20-\x7e]*$/;
const typeText = (type) =>
    p.RegExpExec(printable, type) === null ? '' : p.StringToLowerCase(type);

/** The bytes of a blob, shared: do not hand them out. */
export let blobBytes;

export class Blob {
    #bytes;
    #type = '';

    constructor(parts = undefined, options = undefined) {
        const all = p.list();
        if (parts !== undefined) {
            if (!p.isObject(parts) || typeof parts[p.symbolIterator] !== 'function')
                throw new p.TypeError('The "sources" argument must be a sequence');
            for (const part of parts)
                p.push(all, p.isObject(part) && #bytes in part ? part.#bytes
                    : copyBytes(part) ?? encodeText(p.StringToWellFormed(p.text(part))));
        }
        this.#bytes = concat(all);
        const type = options?.type;
        if (type !== undefined)
            this.#type = typeText(p.text(type));
    }

    get size() { return p.TypedArrayByteLength(this.#bytes); }
    get type() { return this.#type; }

    slice(start = 0, end = this.size, type = '') {
        const from = clamp(start, this.size);
        const to = p.max(from, clamp(end, this.size));
        const part = new Blob();
        part.#bytes = copyRange(p.TypedArrayBuffer(this.#bytes), from, to - from);
        part.#type = typeText(p.text(type));
        return part;
    }

    async text() { return decodeText(this.#bytes); }
    async arrayBuffer() { return p.TypedArrayBuffer(copyBytes(this.#bytes)); }
    async bytes() { return copyBytes(this.#bytes); }
    stream() {
        const bytes = this.#bytes;
        return new ReadableStream({
            start(controller) {
                if (p.TypedArrayByteLength(bytes) > 0)
                    controller.enqueue(copyBytes(bytes));
                controller.close();
            },
        });
    }

    [inspectCustom](depth, options, inspect) {
        return 'Blob ' + inspect({ size: this.size, type: this.type }, options);
    }

    static {
        blobBytes = (blob) => p.isObject(blob) && #bytes in blob ? blob.#bytes : undefined;
    }
}
p.tag(Blob, 'Blob');
p.hide(Blob.prototype, inspectCustom, Blob.prototype[inspectCustom]);

function clamp(value, size) {
    const at = p.trunc(p.Number(value)) || 0;
    return at < 0 ? p.max(size + at, 0) : p.min(at, size);
}

export class File extends Blob {
    #name;
    #modified;

    constructor(parts, name, options = undefined) {
        if (arguments.length < 2)
            throw new p.TypeError('The "sources" and "fileName" arguments must be specified');
        super(parts, options);
        this.#name = p.StringToWellFormed(p.text(name));
        const modified = options?.lastModified;
        this.#modified = modified === undefined ? p.dateNow() : p.trunc(p.Number(modified)) || 0;
    }

    get name() { return this.#name; }
    get lastModified() { return this.#modified; }

    [inspectCustom](depth, options, inspect) {
        return 'File ' + inspect({
            size: this.size, type: this.type, name: this.#name, lastModified: this.#modified,
        }, options);
    }
}
p.tag(File, 'File');
p.hide(File.prototype, inspectCustom, File.prototype[inspectCustom]);
