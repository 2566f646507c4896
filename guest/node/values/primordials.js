// guest/node/values/primordials.js -- captured by guest/node/primordials.cjs  (SPDX-License-Identifier: MIT)
//
// Under the names that guest/js/primordials.js has for them. The build fails if
// codec.js or decode.js uses one that is not here.

export const {
    list, defineProperty, getPrototypeOf, hasOwn, hasInstance, is, isArray, keys: objectKeys, ObjectPrototype,
    jsonParse, jsonStringify, ceil, min, isNaN, isSafeInteger,
    BigInt, Date, Error, Map, RegExp, Set, String, TypeError, Uint8Array, URL, URLSearchParams,
    BigIntToString, BigIntValueOf, BooleanValueOf, NumberValueOf, StringValueOf, SymbolValueOf,
    StringCharCodeAt, StringIncludes, StringIndexOf, StringSlice, StringStartsWith,
    RegExpExec, RegExpFlags, RegExpSource, DateGetTime, DateToISOString,
    MapClear, MapForEach, MapGet, MapSet, MapSize, SetAdd, SetForEach,
    DataViewBuffer, DataViewByteLength, DataViewByteOffset,
    TypedArrayBuffer, TypedArrayByteLength, TypedArrayByteOffset, TypedArrayKind: typedArrayKind,
    URLHref, URLSearchParamsToString,
} = load('primordials');

const { BufferFrom, BufferToString } = load('primordials');

export function push(array, value) {
    array[array.length] = value;
}

export function hide(object, key, value) {
    defineProperty(object, key, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
}

export function show(object, key, value) {
    defineProperty(object, key, { __proto__: null, value, writable: true, configurable: true, enumerable: true });
}

export function bytesToBase64(bytes) {
    const view = BufferFrom(TypedArrayBuffer(bytes), TypedArrayByteOffset(bytes), TypedArrayByteLength(bytes));
    return BufferToString(view, 'base64');
}

/** Bytes of their own, not a slice of the pool that Buffer shares. */
export function bytesFromBase64(constructor, text) {
    return new constructor(BufferFrom(text, 'base64'));
}

/** By the object's own method: to capture the class's would load all of fetch. */
export function HeadersForEach(headers, each) {
    headers.forEach(each);
}
