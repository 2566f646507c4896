// guest/node/codec.cjs -- values out of a run: value -> JSON text  (SPDX-License-Identifier: MIT)
//
// The tags are those of guest/js/codec.js (docs/values.md). The text is written
// directly, never through an intermediate tree, and its size is checked on the
// way: a value that would become gigabytes ends the run long before it exists.
// Getters and proxy traps of the guest run while we read.
//
// The walk keeps its own stack of frames instead of recursing, so its depth is
// a number we check and never the engine's stack; a frame is also the path step
// for messages and the ancestor for finding cycles.
'use strict';

const { types } = require('util');
const { EventEmitter } = require('events');
const p = load('primordials');

const {
    isAnyArrayBuffer, isBigIntObject, isBooleanObject, isDataView, isDate, isMap, isNativeError, isNumberObject,
    isPromise, isRegExp, isSet, isStringObject, isSymbolObject, isTypedArray,
} = types;

const MAX_DEPTH = 1000;
const MAX_LABELS = 1000;

let limit = Infinity;

/** The largest text encode() may make, in UTF-16 units (a lower bound of bytes). */
function setLimit(units) {
    limit = units;
}

/** Thrown in place of a text longer than the limit. */
class TooLarge {
    constructor(size) {
        this.size = size;
    }
}

function exceeded(size) {
    refusal = new TooLarge(size);
    throw refusal;
}

// A frame is a container that is being written: `count` entries, of which `at`
// is the next. Entries are read from `source` under `names`, or by index.
const frames = p.list();
const labels = new p.Map();    // name -> "name":
let depth = 0;
let lossy = false;
let text = '';
let root = '';
let reading = false;    // a getter of the guest may be running
let refusal = null;     // the error we threw ourselves

/** `value` as JSON text. `name` starts the path in messages: "value". */
function encode(value, name, plain) {
    begin(name, plain);
    write(value);
    finish(0);
    return take();
}

/** A module's named exports as a JSON object; functions are left out. */
function encodeExports(namespace, plain) {
    begin('exports', plain);
    const all = p.keys(namespace);
    const names = p.list();
    for (let i = 0; i < all.length; i++) {
        if (all[i] !== 'default' && typeof namespace[all[i]] !== 'function')
            names[names.length] = all[i];
    }
    if (names.length === 0)
        return '';
    put('{');
    open(namespace, namespace, names, names.length, '}');
    finish(0);
    return take();
}

function begin(name, plain) {
    lossy = plain;
    text = '';
    root = name;
    depth = 0;
    reading = false;
    refusal = null;
}

function take() {
    const result = p.StringIncludes(text, '\\ud') ? mend(text) : text;
    text = '';
    frames.length = 0;
    if (p.MapSize(labels) > 0)
        p.MapClear(labels);
    return result;
}

const identifier = /^[A-Za-z_$][\w$]*$/;

/** The way to the entry being written, as the guest would write it. */
function path(steps) {
    let where = root;
    const shown = p.min(steps, 20);
    for (let i = 0; i < shown; i++) {
        const key = keyOf(frames[i]);
        if (typeof key === 'number')
            where += '[' + key + ']';
        else if (p.RegExpExec(identifier, key) !== null)
            where += '.' + key;
        else
            where += '[' + p.jsonStringify(key) + ']';
    }
    return steps > shown ? where + '…' : where;
}

function keyOf(frame) {
    const at = frame.at - 1;
    return frame.names === null ? at : frame.names[at];
}

function refuse(why) {
    refusal = new p.TypeError(path(depth) + ' ' + why);
    throw refusal;
}

/** For an error out of encode(): where the guest's own code threw, if it did. */
function whereThrown(error) {
    if (error === refusal || !reading)
        return '';
    return ' (while reading ' + path(depth) + ')';
}

function put(piece) {
    text += piece;
    if (text.length > limit)
        exceeded(text.length);
}

function putString(value) {
    put(p.jsonStringify(value));
}

/** `"name":`; remembered below the top, where the objects of a list mostly have
 * the same keys. */
function label(name) {
    if (depth === 1)
        return p.jsonStringify(name) + ':';
    let text = p.MapGet(labels, name);
    if (text === undefined) {
        text = p.jsonStringify(name) + ':';
        if (p.MapSize(labels) < MAX_LABELS)
            p.MapSet(labels, name, text);
    }
    return text;
}

/**
 * JSON.stringify writes a lone surrogate, and nothing else, as \\ud8.. to
 * \\udf..; that is no text anybody else can read, so each becomes U+FFFD.
 */
function mend(json) {
    let mended = '';
    let done = 0;
    for (;;) {
        const at = p.StringIndexOf(json, '\\', done);
        if (at < 0)
            return mended + p.StringSlice(json, done);
        const lone = p.StringSlice(json, at + 1, at + 3) === 'ud';
        mended += p.StringSlice(json, done, at) +
            (lone ? '\\ufffd' : p.StringSlice(json, at, at + 2));
        done = at + (lone ? 6 : 2);
    }
}

/** Start a container; its entries follow in finish(). `value` is for cycles. */
function open(value, source, names, count, close) {
    if (depth >= MAX_DEPTH)
        refuse('is nested deeper than ' + MAX_DEPTH + ' levels and cannot leave the sandbox');
    let frame = frames[depth];
    if (frame === undefined)
        frame = frames[depth] = freshFrame();
    depth++;
    frame.value = value;
    frame.source = source;
    frame.names = names;
    frame.count = count;
    frame.close = close;
    frame.at = 0;
    frame.pairs = frame.wrote = false;
}

function freshFrame() {
    return {
        __proto__: null, value: null, source: null, names: null, count: 0,
        close: '', at: 0, pairs: false, wrote: false,
    };
}

/** Write entries until only `floor` containers are open. */
function finish(floor) {
    while (depth > floor) {
        const frame = frames[depth - 1];
        if (frame.at === frame.count) {
            put(frame.close);
            depth--;
        } else if (frame.pairs) {
            writePair(frame);
        } else if (frame.names === null) {
            writeElements(frame);
        } else {
            writeMembers(frame);
        }
    }
}

/**
 * Elements up to and including the next that is a container or needs a tag.
 * Short texts are gathered in a local and the common kinds are written in
 * place: most results are small, and this loop is most of what they cost.
 */
function writeElements(frame) {
    const { source, count } = frame;
    let gathered = '';
    let item;
    let at = frame.at;
    reading = true;
    for (; at < count; at++) {
        frame.at = at + 1;
        item = source[at];
        if (at > 0)
            gathered += ',';
        if (typeof item === 'number' && item - item === 0 && item !== 0)
            gathered += item;
        else if (typeof item === 'string')
            gathered += p.jsonStringify(item);
        else if (typeof item === 'boolean')
            gathered += item ? 'true' : 'false';
        else
            break;
        if (gathered.length > 4096)
            gathered = flush(gathered);
    }
    reading = false;
    put(gathered);
    if (at < count)
        write(item);
}

/** The same for the members of an object. */
function writeMembers(frame) {
    const { source, names, count } = frame;
    let gathered = '';
    let item;
    let at = frame.at;
    reading = true;
    for (; at < count; at++) {
        const name = names[at];
        frame.at = at + 1;
        item = source[name];
        if (lossy && item === undefined)
            continue;
        gathered += frame.wrote ? ',' + label(name) : label(name);
        frame.wrote = true;
        if (typeof item === 'number' && item - item === 0 && item !== 0)
            gathered += item;
        else if (typeof item === 'string')
            gathered += p.jsonStringify(item);
        else if (typeof item === 'boolean')
            gathered += item ? 'true' : 'false';
        else
            break;
        if (gathered.length > 4096)
            gathered = flush(gathered);
    }
    reading = false;
    put(gathered);
    if (at < count)
        write(item);
}

function flush(gathered) {
    put(gathered);
    return '';
}

/** Entries of a Map, two to a pair: key, value, key, value, ... */
function writePair(frame) {
    const at = frame.at++;
    put(at % 2 === 0 ? (at > 0 ? '],[' : '[') : ',');
    write(frame.source[at]);
}

function write(value) {
    switch (typeof value) {
    case 'string':
        return putString(value);
    case 'number':
        return put(numberText(value));
    case 'boolean':
        return put(value ? 'true' : 'false');
    case 'undefined':
        return put(lossy ? 'null' : '{"$undefined":true}');
    case 'bigint':
        return putBigInt(value);
    case 'function':
        return refuse('is a function and cannot leave the sandbox');
    case 'symbol':
        return refuse('is a symbol and cannot leave the sandbox');
    }
    if (value === null)
        return put('null');
    for (let i = 0; i < depth; i++) {
        if (frames[i].value === value)
            refuse('is a cycle and cannot leave the sandbox');
    }
    reading = true;
    writeObject(value);
    reading = false;
}

function numberText(value) {
    if (value === 0)
        return !p.is(value, -0) || lossy ? '0' : '{"$number":"-0"}';
    if (value - value === 0)
        return '' + value;
    return lossy ? 'null' : '{"$number":"' + value + '"}';
}

function putBigInt(value) {
    const digits = p.BigIntToString(value);
    if (!lossy)
        return put('{"$bigint":"' + digits + '"}');
    put(p.isSafeInteger(+digits) ? digits : '"' + digits + '"');
}

function writeObject(value) {
    if (p.isArray(value)) {
        const { length } = value;
        put('[');
        return open(value, value, null, length, ']');
    }
    const proto = p.getPrototypeOf(value);
    if (proto === p.ObjectPrototype || proto === null)
        return writeProperties(value);
    const writer = writers[kindOf(value)];
    if (writer === undefined)
        writeProperties(value);
    else
        writer(value);
}

/**
 * The kind of an object by its slots, which no guest can fake: 'Map', 'Date',
 * ..., or '' for a plain object or a class instance. Only Headers is asked for
 * its tag: to name its class would load all of fetch.
 */
function kindOf(value) {
    for (let i = 0; i < probes.length; i++) {
        if (probes[i].is(value))
            return probes[i].kind;
    }
    if (p.hasInstance(p.Error, value))
        return 'Error';    // a DOMException, or what inherits from an error
    if (p.hasInstance(p.URL, value))
        return 'URL';
    if (p.hasInstance(p.URLSearchParams, value))
        return 'URLSearchParams';
    if (value[Symbol.toStringTag] === 'Headers' && typeof value.forEach === 'function')
        return 'Headers';
    return '';
}

const probes = [
    { is: isTypedArray, kind: 'TypedArray' }, { is: isDataView, kind: 'DataView' },
    { is: isAnyArrayBuffer, kind: 'ArrayBuffer' }, { is: isMap, kind: 'Map' }, { is: isSet, kind: 'Set' },
    { is: isDate, kind: 'Date' }, { is: isRegExp, kind: 'RegExp' }, { is: isNativeError, kind: 'Error' },
    { is: isPromise, kind: 'Promise' }, { is: isNumberObject, kind: 'Number' }, { is: isStringObject, kind: 'String' },
    { is: isBooleanObject, kind: 'Boolean' }, { is: isBigIntObject, kind: 'BigInt' },
    { is: isSymbolObject, kind: 'Symbol' },
];

function base64Of(bytes) {
    const view = p.BufferFrom(p.TypedArrayBuffer(bytes), p.TypedArrayByteOffset(bytes), p.TypedArrayByteLength(bytes));
    return p.BufferToString(view, 'base64');
}

function stackOf(error) {
    const { stack } = error;
    return typeof stack === 'string' ? stack : p.String(error.name) + ': ' + p.String(error.message);
}

const timer = setTimeout(() => {}, 0);
const immediate = setImmediate(() => {});
const Timeout = timer.constructor;
const Immediate = immediate.constructor;
clearTimeout(timer);
clearImmediate(immediate);

/**
 * Is this a thing that a program's last line happens to evaluate to, and that
 * nobody means as its value? `server.listen(80)`, `setTimeout(f)`, `port.onmessage = f`.
 */
function isIncidental(value) {
    if (typeof value !== 'object' || value === null)
        return typeof value === 'function';
    return p.hasInstance(Timeout, value) || p.hasInstance(Immediate, value) || p.hasInstance(EventEmitter, value);
}

function writeProperties(value) {
    const names = p.keys(value);
    const tagged = !lossy && names.length === 1 && p.StringCharCodeAt(names[0], 0) === 36;
    put(tagged ? '{"$object":{' : '{');
    open(value, value, names, names.length, tagged ? '}}' : '}');
}

function base64(bytes) {
    const size = p.TypedArrayByteLength(bytes);
    if (size * 4 / 3 > limit)
        exceeded(p.ceil(size * 4 / 3));
    return base64Of(bytes);
}

function putBytes(bytes) {
    put(lossy ? '"' + base64(bytes) + '"' : '{"$bytes":"' + base64(bytes) + '"}');
}

function putView(kind, bytes) {
    if (kind === 'Uint8Array' || lossy)
        putBytes(bytes);
    else
        put('{"$typed":{"kind":"' + kind + '","bytes":"' + base64(bytes) + '"}}');
}

const writers = {
    __proto__: null,
    Date(value) {
        const time = p.DateGetTime(value);
        const iso = p.isNaN(time) ? 'null' : '"' + p.DateToISOString(value) + '"';
        put(lossy ? iso : '{"$date":' + iso + '}');
    },
    ArrayBuffer(value) {
        putBytes(new p.Uint8Array(value));
    },
    TypedArray(value) {
        putView(p.TypedArrayKind(value), new p.Uint8Array(p.TypedArrayBuffer(value),
            p.TypedArrayByteOffset(value), p.TypedArrayByteLength(value)));
    },
    DataView(value) {
        putView('DataView', new p.Uint8Array(p.DataViewBuffer(value),
            p.DataViewByteOffset(value), p.DataViewByteLength(value)));
    },
    Map: writeMap,
    Set(value) {
        const items = p.list();
        p.SetForEach(value, (item) => {
            items[items.length] = item;
        });
        put(lossy ? '[' : '{"$set":[');
        open(value, items, null, items.length, lossy ? ']' : ']}');
    },
    Error: writeError,
    RegExp(value) {
        const source = p.RegExpSource(value);
        const flags = p.RegExpFlags(value);
        if (lossy)
            return putString('/' + source + '/' + flags);
        put('{"$regexp":{"source":');
        putString(source);
        put(',"flags":"' + flags + '"}}');
    },
    Promise() {
        refuse('is a promise and cannot leave the sandbox; await it first');
    },
    Number: (value) => write(p.NumberValueOf(value)),
    String: (value) => write(p.StringValueOf(value)),
    Boolean: (value) => write(p.BooleanValueOf(value)),
    BigInt: (value) => write(p.BigIntValueOf(value)),
    Symbol: (value) => write(p.SymbolValueOf(value)),
    URL: (value) => putString(p.URLHref(value)),
    URLSearchParams: (value) => putString(p.URLSearchParamsToString(value)),
    Headers(value) {
        let wrote = false;
        put('{');
        value.forEach((item, name) => {
            if (wrote)
                text += ',';
            wrote = true;
            putString(name);
            text += ':';
            putString(item);
        });
        put('}');
    },
};

function writeMap(value) {
    const names = p.list();
    const items = p.list();
    const flat = p.list();
    let allStrings = true;
    p.MapForEach(value, (item, key) => {
        allStrings = allStrings && typeof key === 'string';
        names[names.length] = key;
        items[items.length] = item;
        flat[flat.length] = key;
        flat[flat.length] = item;
    });
    if (lossy && allStrings) {
        const byName = { __proto__: null };
        for (let i = 0; i < names.length; i++)
            byName[names[i]] = items[i];
        put('{');
        return open(value, byName, names, names.length, '}');
    }
    put(lossy ? '[' : '{"$map":[');
    open(value, flat, null, flat.length, (flat.length > 0 ? ']' : '') + (lossy ? ']' : ']}'));
    frames[depth - 1].pairs = true;
}

function writeError(value) {
    put(lossy ? '{"name":' : '{"$error":{"name":');
    putString(p.String(value.name));
    put(',"message":');
    putString(p.String(value.message));
    if (lossy)
        return put('}');
    put(',"stack":');
    putString(stackOf(value));
    const names = p.keys(value);
    const rest = p.list();
    if (p.hasOwn(value, 'cause'))
        rest[rest.length] = 'cause';
    if (p.hasOwn(value, 'errors'))    // of an AggregateError
        rest[rest.length] = 'errors';
    for (let i = 0; i < names.length; i++) {
        const name = names[i];
        if (name !== 'name' && name !== 'message' && name !== 'stack' &&
            name !== 'cause' && name !== 'errors')
            rest[rest.length] = name;
    }
    open(value, value, rest, rest.length, '}}');
    frames[depth - 1].wrote = true;
}

module.exports = { encode, encodeExports, isIncidental, setLimit, whereThrown, TooLarge };
