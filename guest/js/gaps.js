// guest/js/gaps.js -- what the engine's extensions leave out  (SPDX-License-Identifier: MIT)
//
// URL, URLSearchParams, Headers, crypto and structuredClone are native. Here
// their gaps against Node are closed: URL.searchParams and URL.parse, transfer
// lists, the checks of getRandomValues, toStringTags, and how they print.

import * as p from './primordials.js';
import { inspectCustom } from './events.js';
import { pairsOf } from './headers.js';
import { installLatin1 } from './latin1.js';
import { replaceConstructor } from './replace.js';

const { URL, URLSearchParams, Headers, DOMException } = p;
const url = URL.prototype;
const params = URLSearchParams.prototype;

const owners = new p.WeakMap();     // URLSearchParams -> the URL it belongs to
const children = new p.WeakMap();   // URL -> its URLSearchParams
const native = {
    __proto__: null,
    append: p.uncurry(params.append), delete: p.uncurry(params.delete),
    forEach: p.uncurry(params.forEach), set: p.uncurry(params.set), sort: p.uncurry(params.sort),
    get: p.uncurry(params.get), has: p.uncurry(params.has),
};
const search = p.getOwnPropertyDescriptor(url, 'search');
const readSearch = p.uncurry(search.get);
const writeSearch = p.uncurry(search.set);

/** Fill the child anew from its URL. */
function refill(owner) {
    const child = p.WeakMapGet(children, owner);
    if (child === undefined)
        return;
    const names = p.list();
    native.forEach(child, (value, name) => p.push(names, name));
    for (let i = 0; i < names.length; i++)
        native.delete(child, names[i]);
    const fresh = new URLSearchParams(readSearch(owner));
    native.forEach(fresh, (value, name) => native.append(child, name, value));
}

/** A change of the child shows in its URL at once. */
function writeBack(child) {
    const owner = p.WeakMapGet(owners, child);
    if (owner !== undefined) {
        const text = p.URLSearchParamsToString(child);
        writeSearch(owner, text === '' ? '' : '?' + text);
    }
}

function installSearchParams() {
    p.defineProperty(url, 'searchParams', {
        __proto__: null, configurable: true, enumerable: true,
        get: p.getOwnPropertyDescriptor({ get searchParams() {
            let child = p.WeakMapGet(children, this);
            if (child === undefined) {
                child = new URLSearchParams(readSearch(this));
                p.WeakMapSet(children, this, child);
                p.WeakMapSet(owners, child, this);
            }
            return child;
        } }, 'searchParams').get,
    });
    const setters = ['search', 'href'];
    for (let i = 0; i < setters.length; i++) {
        const own = p.getOwnPropertyDescriptor(url, setters[i]);
        const write = p.uncurry(own.set);
        own.set = { set(value) { write(this, value); refill(this); } }.set;
        p.defineProperty(url, setters[i], own);
    }
    const changes = {
        append(name, value) { native.append(this, name, value); writeBack(this); },
        delete(name, value) {
            if (value === undefined)
                native.delete(this, name);
            else
                native.delete(this, name, value);
            writeBack(this);
        },
        set(name, value) { native.set(this, name, value); writeBack(this); },
        sort() { native.sort(this); writeBack(this); },
    };
    const names = p.objectKeys(changes);
    for (let i = 0; i < names.length; i++)
        p.show(params, names[i], changes[names[i]]);
}

function installUrl() {
    const { canParse } = URL;
    p.hide(URL, 'parse', { parse(input, base = undefined) {
        return p.apply(canParse, URL, [input, base]) ? new URL(input, base) : null;
    } }.parse);
}

function installConstructors() {
    replaceConstructor('URLSearchParams', (Native, target, init) => {
        if (!p.isObject(init))
            return p.construct(Native, init === undefined ? [] : [p.text(init)], target);
        const made = p.construct(Native, [], target);
        const found = pairsOf(init, 'URLSearchParams');
        for (let i = 0; i < found.length; i++)
            native.append(made, found[i][0], found[i][1]);
        return made;
    });
    replaceConstructor('Headers', (Native, target, init) => {
        if (init === undefined)
            return p.construct(Native, [], target);
        if (!p.isObject(init))
            throw new p.TypeError('Headers: the value is neither a sequence nor a record');
        return p.construct(Native, [pairsOf(init, 'Headers')], target);
    });
}

function pairs(each, value) {
    const out = p.list();
    each(value, (item, name) => p.push(out, [name, item]));
    return out;
}

function installPrinting() {
    p.hide(params, inspectCustom, { inspect(depth, options, inspect) {
        const found = pairs(native.forEach, this);
        const out = p.list();
        for (let i = 0; i < found.length; i++)
            p.push(out, inspect(found[i][0], options) + ' => ' + inspect(found[i][1], options));
        return out.length === 0 ? 'URLSearchParams {}'
            : 'URLSearchParams { ' + p.ArrayJoin(out, ', ') + ' }';
    } }.inspect);
    p.hide(Headers.prototype, inspectCustom, { inspect(depth, options, inspect) {
        const plain = {};
        const found = pairs(p.HeadersForEach, this);
        for (let i = 0; i < found.length; i++)
            p.show(plain, found[i][0], found[i][1]);
        return 'Headers ' + inspect(plain, options);
    } }.inspect);
    p.tag(URL, 'URL');
    p.tag(URLSearchParams, 'URLSearchParams');
    p.tag(Headers, 'Headers');
    p.tag(p.TextEncoder, 'TextEncoder');
    p.tag(p.TextDecoder, 'TextDecoder');
}

const integerKinds = {
    __proto__: null, Int8Array: 1, Uint8Array: 1, Uint8ClampedArray: 1, Int16Array: 1,
    Uint16Array: 1, Int32Array: 1, Uint32Array: 1, BigInt64Array: 1, BigUint64Array: 1,
};

function installCrypto() {
    const { crypto } = globalThis;
    const home = p.getPrototypeOf(crypto);
    const fill = p.uncurry(crypto.getRandomValues);
    p.show(home, 'getRandomValues', { getRandomValues(array) {
        const kind = p.isObject(array) ? p.typedArrayKind(array) : undefined;
        if (kind === undefined || integerKinds[kind] === undefined)
            throw new DOMException('The data argument must be an integer-type TypedArray',
                'TypeMismatchError');
        if (p.TypedArrayByteLength(array) > 65536)
            throw new DOMException('The requested length exceeds 65,536 bytes',
                'QuotaExceededError');
        return fill(this, array);
    } }.getRandomValues);
}

const transferBuffer = p.uncurry(p.ArrayBuffer.prototype.transfer);

/** The native clone copies; a transferred buffer is detached afterwards. */
function installClone() {
    const clone = globalThis.structuredClone;
    p.show(globalThis, 'structuredClone', { structuredClone(value, options = undefined) {
        if (arguments.length === 0)
            throw new p.TypeError("The \"value\" argument must be specified");
        const transfer = p.list();
        if (options?.transfer !== undefined) {
            for (const item of options.transfer) {
                if (!p.isObject(item) || !p.passes(p.ArrayBufferByteLength, item))
                    throw new DOMException('Value not transferable', 'DataCloneError');
                p.push(transfer, item);
            }
        }
        const copy = clone(value);
        for (let i = 0; i < transfer.length; i++)
            transferBuffer(transfer[i]);
        return copy;
    } }.structuredClone);
}

export function installGaps() {
    installSearchParams();
    installUrl();
    installConstructors();
    installPrinting();
    installCrypto();
    installClone();
    installLatin1();
}
