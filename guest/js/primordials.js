// guest/js/primordials.js -- the language as it was before the guest ran  (SPDX-License-Identifier: MIT)
//
// A guest may replace or delete every global and every prototype method, and
// may plant setters on Object.prototype and Array.prototype. The runtime must
// go on working, and must never hand an internal value to a planted setter.
// So every file here keeps to these habits:
//
//   - methods are captured below and called as functions: StringSlice(s, 1);
//   - our own arrays come from list(): without a prototype, `a[i] = v` cannot
//     reach a setter on Array.prototype;
//   - our own objects are literals with `__proto__: null`;
//   - no for-of, no spread, no array destructuring: they ask
//     Array.prototype[Symbol.iterator]; no `await` either: it asks
//     Promise.prototype.constructor;
//   - no template literal with a value in it: this engine compiles it to a call
//     of String.prototype.concat. build.sh refuses one.
//
// The libraries that only the guest uses (streams, events, ...) may iterate and
// await, since nothing the host believes depends on them.

export const {
    Array, ArrayBuffer, BigInt, Boolean, DataView, Date, DOMException, Error,
    Function, Headers, Map, Number, Object, Promise, RangeError,
    RegExp, Set, String, Symbol, TextDecoder, TextEncoder,
    TypeError, URL, URLSearchParams, Uint8Array, WeakMap, WeakRef, WeakSet,
    queueMicrotask,
} = globalThis;

/** The global object: the name globalThis is the guest's to delete. */
export const world = globalThis;

const { bind, call } = Function.prototype;

/** Make a method callable as a function whose first argument is `this`. */
export const uncurry = bind.bind(call);

const getter = (object, key) =>
    uncurry(Reflect.getOwnPropertyDescriptor(object, key).get);

export const {
    apply, construct, defineProperty: reflectDefine, deleteProperty,
    getOwnPropertyDescriptor, getPrototypeOf,
} = Reflect;

export const {
    defineProperty, freeze, getOwnPropertyNames,
    getOwnPropertySymbols, is, keys: objectKeys, setPrototypeOf,
} = Object;
export const ObjectPrototype = Object.prototype;
export const FunctionPrototype = Function.prototype;
export const hasOwn = Object.hasOwn;
export const isEnumerable = uncurry(ObjectPrototype.propertyIsEnumerable);
export const ObjectToString = uncurry(ObjectPrototype.toString);
export const FunctionToString = uncurry(FunctionPrototype.toString);
export const hasInstance = uncurry(FunctionPrototype[Symbol.hasInstance]);

export const { isArray } = Array;
export const ArrayPrototype = Array.prototype;
export const ArrayJoin = uncurry(ArrayPrototype.join);
export const ArraySort = uncurry(ArrayPrototype.sort);

const string = String.prototype;
export const StringCharCodeAt = uncurry(string.charCodeAt);
export const StringCodePointAt = uncurry(string.codePointAt);
export const StringEndsWith = uncurry(string.endsWith);
export const StringIncludes = uncurry(string.includes);
export const StringIndexOf = uncurry(string.indexOf);
export const StringIsWellFormed = uncurry(string.isWellFormed);
export const StringNormalize = uncurry(string.normalize);
export const StringPadEnd = uncurry(string.padEnd);
export const StringPadStart = uncurry(string.padStart);
export const StringRepeat = uncurry(string.repeat);
export const StringSlice = uncurry(string.slice);
export const StringStartsWith = uncurry(string.startsWith);
export const StringToLowerCase = uncurry(string.toLowerCase);
export const StringToUpperCase = uncurry(string.toUpperCase);
export const StringToWellFormed = uncurry(string.toWellFormed);
export const StringTrim = uncurry(string.trim);
export const StringValueOf = uncurry(string.valueOf);

export const { isNaN, isSafeInteger, parseFloat, parseInt } = Number;
export const NumberToFixed = uncurry(Number.prototype.toFixed);
export const NumberToString = uncurry(Number.prototype.toString);
export const NumberValueOf = uncurry(Number.prototype.valueOf);
export const BooleanValueOf = uncurry(Boolean.prototype.valueOf);
export const BigIntToString = uncurry(BigInt.prototype.toString);
export const BigIntValueOf = uncurry(BigInt.prototype.valueOf);
export const SymbolToString = uncurry(Symbol.prototype.toString);
export const SymbolValueOf = uncurry(Symbol.prototype.valueOf);
export const symbolFor = Symbol.for;
export const stringFromCharCode = String.fromCharCode;
export const {
    asyncIterator: symbolAsyncIterator, iterator: symbolIterator,
    toPrimitive: symbolToPrimitive, toStringTag: symbolToStringTag,
    dispose: symbolDispose,
} = Symbol;

export const { ceil, floor, max, min, round, sqrt, trunc } = Math;

export const MapPrototype = Map.prototype;
export const MapClear = uncurry(MapPrototype.clear);
export const MapDelete = uncurry(MapPrototype.delete);
export const MapForEach = uncurry(MapPrototype.forEach);
export const MapGet = uncurry(MapPrototype.get);
export const MapHas = uncurry(MapPrototype.has);
export const MapSet = uncurry(MapPrototype.set);
export const MapSize = getter(MapPrototype, 'size');

export const SetPrototype = Set.prototype;
export const SetAdd = uncurry(SetPrototype.add);
export const SetForEach = uncurry(SetPrototype.forEach);
export const SetHas = uncurry(SetPrototype.has);
export const SetSize = getter(SetPrototype, 'size');

export const WeakMapGet = uncurry(WeakMap.prototype.get);
export const WeakMapHas = uncurry(WeakMap.prototype.has);
export const WeakMapSet = uncurry(WeakMap.prototype.set);
export const WeakSetAdd = uncurry(WeakSet.prototype.add);
export const WeakSetHas = uncurry(WeakSet.prototype.has);
export const WeakRefDeref = uncurry(WeakRef.prototype.deref);

export const DateGetTime = uncurry(Date.prototype.getTime);
export const DateToISOString = uncurry(Date.prototype.toISOString);
export const dateNow = Date.now;

export const RegExpExec = uncurry(RegExp.prototype.exec);
export const RegExpSource = getter(RegExp.prototype, 'source');
export const RegExpFlags = getter(RegExp.prototype, 'flags');

export const PromisePrototype = Promise.prototype;
export const PromiseThen = uncurry(PromisePrototype.then);

export const TypedArrayPrototype = getPrototypeOf(Uint8Array.prototype);
export const TypedArrayBuffer = getter(TypedArrayPrototype, 'buffer');
export const TypedArrayByteLength = getter(TypedArrayPrototype, 'byteLength');
export const TypedArrayByteOffset = getter(TypedArrayPrototype, 'byteOffset');
export const TypedArrayLength = getter(TypedArrayPrototype, 'length');
export const TypedArraySet = uncurry(TypedArrayPrototype.set);
/** The kind of a typed array ("Float64Array"), or undefined: cannot be spoofed. */
export const typedArrayKind = getter(TypedArrayPrototype, symbolToStringTag);
export const ArrayBufferByteLength = getter(ArrayBuffer.prototype, 'byteLength');
export const ArrayBufferSlice = uncurry(ArrayBuffer.prototype.slice);
export const DataViewBuffer = getter(DataView.prototype, 'buffer');
export const DataViewByteLength = getter(DataView.prototype, 'byteLength');
export const DataViewByteOffset = getter(DataView.prototype, 'byteOffset');

const bytes = Uint8Array.prototype;
export const bytesFromBase64 = uncurry(Uint8Array.fromBase64);
export const bytesToBase64 = uncurry(bytes.toBase64);
export const bytesToHex = uncurry(bytes.toHex);

export const ErrorPrototype = Error.prototype;
export const { captureStackTrace, isError: isNativeError } = Error;
/** The engine's frames of an error, whatever its own `stack` property says. */
export const ErrorFrames = getter(ErrorPrototype, 'stack');
export const ErrorSetStack = uncurry(getOwnPropertyDescriptor(ErrorPrototype, 'stack').set);
export const DOMExceptionPrototype = DOMException.prototype;

export const TextEncoderEncode = uncurry(TextEncoder.prototype.encode);
export const TextDecoderDecode = uncurry(TextDecoder.prototype.decode);

export const URLHref = getter(URL.prototype, 'href');
export const URLProtocol = getter(URL.prototype, 'protocol');
export const URLHostname = getter(URL.prototype, 'hostname');
export const URLPort = getter(URL.prototype, 'port');
export const URLUsername = getter(URL.prototype, 'username');
export const URLPassword = getter(URL.prototype, 'password');
export const URLSearchParamsToString = uncurry(URLSearchParams.prototype.toString);
export const HeadersForEach = uncurry(Headers.prototype.forEach);
export const HeadersAppend = uncurry(Headers.prototype.append);

export const { parse: jsonParse, stringify: jsonStringify } = JSON;

export const isObject = (value) =>
    (typeof value === 'object' && value !== null) || typeof value === 'function';

/** What a template literal would make of a value: a symbol is refused. */
export function text(value) {
    if (typeof value === 'symbol')
        throw new TypeError('Cannot convert a Symbol value to a string');
    return String(value);
}

/** A growable array that no setter on Array.prototype can observe. */
export function list() {
    return setPrototypeOf([], null);
}

export function push(array, value) {
    array[array.length] = value;
}

/** `text` cut at every `separator`, as a list(). */
export function split(text, separator) {
    const parts = list();
    let start = 0;
    for (;;) {
        const end = StringIndexOf(text, separator, start);
        if (end < 0)
            break;
        push(parts, StringSlice(text, start, end));
        start = end + separator.length;
    }
    push(parts, StringSlice(text, start));
    return parts;
}

/** Plain replacement of every occurrence, without RegExp and its hooks. */
export function replaceAll(text, from, to) {
    return StringIncludes(text, from) ? ArrayJoin(split(text, from), to) : text;
}

/** Does `probe(value)` pass without an exception? For brand checks. */
export function passes(probe, value) {
    try {
        probe(value);
        return true;
    } catch {
        return false;
    }
}

/** Define what the platform would: writable, configurable, not enumerable. */
export function hide(object, key, value) {
    defineProperty(object, key, {
        __proto__: null, value, writable: true, configurable: true, enumerable: false,
    });
}

/** The same, visible in for-in and Object.keys. */
export function show(object, key, value) {
    defineProperty(object, key, {
        __proto__: null, value, writable: true, configurable: true, enumerable: true,
    });
}

/** Is `object` of a class we wrote: give it the platform's toStringTag. */
export function tag(constructor, name) {
    defineProperty(constructor.prototype, symbolToStringTag, {
        __proto__: null, value: name, configurable: true,
    });
}
