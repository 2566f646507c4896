// guest/node/primordials.cjs -- the language as it was before the guest ran  (SPDX-License-Identifier: MIT)
//
// A guest may replace or delete every global and every prototype method, as
// polyfills and mocks do. What runs around it, and above all what sends its
// result, uses what is captured here: methods are called as functions, our own
// lists have no prototype, and for-of, spread and `await` are avoided in code
// that runs after the guest started. A hostile guest can still spoil its own
// result; that is all it can spoil.
'use strict';

const { bind, call } = Function.prototype;
const uncurry = bind.bind(call);
const getter = (prototype, key) =>
    uncurry(Reflect.getOwnPropertyDescriptor(prototype, key).get);

const TypedArrayPrototype = Reflect.getPrototypeOf(Uint8Array.prototype);

/** An array that cannot reach a setter on Array.prototype. */
function list() {
    return Object.setPrototypeOf([], null);
}

module.exports = {
    __proto__: null,
    world: globalThis,
    uncurry,
    list: list.bind(null),
    apply: Reflect.apply,
    bind: uncurry(bind),
    defineProperty: Object.defineProperty,
    getOwnPropertyDescriptor: Reflect.getOwnPropertyDescriptor,
    getPrototypeOf: Reflect.getPrototypeOf,
    setPrototypeOf: Object.setPrototypeOf,
    deleteProperty: Reflect.deleteProperty,
    hasOwn: Object.hasOwn,
    keys: Object.keys,
    is: Object.is,
    ObjectPrototype: Object.prototype,
    hasInstance: uncurry(Function.prototype[Symbol.hasInstance]),

    isArray: Array.isArray,
    jsonParse: JSON.parse,
    jsonStringify: JSON.stringify,

    Array, BigInt, DataView, Date, Error, Map, Promise, RegExp, Set, String, TypeError, Uint8Array, URL,

    BigIntToString: uncurry(BigInt.prototype.toString),
    BigIntValueOf: uncurry(BigInt.prototype.valueOf),
    BooleanValueOf: uncurry(Boolean.prototype.valueOf),
    NumberValueOf: uncurry(Number.prototype.valueOf),
    StringValueOf: uncurry(String.prototype.valueOf),
    SymbolValueOf: uncurry(Symbol.prototype.valueOf),
    isSafeInteger: Number.isSafeInteger,
    isNaN: Number.isNaN,
    ceil: Math.ceil,
    min: Math.min,

    StringCharCodeAt: uncurry(String.prototype.charCodeAt),
    StringEndsWith: uncurry(String.prototype.endsWith),
    StringIncludes: uncurry(String.prototype.includes),
    StringIndexOf: uncurry(String.prototype.indexOf),
    StringRepeat: uncurry(String.prototype.repeat),
    StringSlice: uncurry(String.prototype.slice),
    StringSplit: uncurry(String.prototype.split),
    StringStartsWith: uncurry(String.prototype.startsWith),
    RegExpExec: uncurry(RegExp.prototype.exec),
    RegExpSource: getter(RegExp.prototype, 'source'),
    RegExpFlags: getter(RegExp.prototype, 'flags'),

    DateGetTime: uncurry(Date.prototype.getTime),
    DateToISOString: uncurry(Date.prototype.toISOString),
    MapClear: uncurry(Map.prototype.clear),
    MapDelete: uncurry(Map.prototype.delete),
    MapForEach: uncurry(Map.prototype.forEach),
    MapGet: uncurry(Map.prototype.get),
    MapSet: uncurry(Map.prototype.set),
    MapSize: getter(Map.prototype, 'size'),
    SetAdd: uncurry(Set.prototype.add),
    SetForEach: uncurry(Set.prototype.forEach),
    PromiseThen: uncurry(Promise.prototype.then),

    TypedArrayKind: getter(TypedArrayPrototype, Symbol.toStringTag),
    TypedArrayBuffer: getter(TypedArrayPrototype, 'buffer'),
    TypedArrayByteOffset: getter(TypedArrayPrototype, 'byteOffset'),
    TypedArrayByteLength: getter(TypedArrayPrototype, 'byteLength'),
    DataViewBuffer: getter(DataView.prototype, 'buffer'),
    DataViewByteOffset: getter(DataView.prototype, 'byteOffset'),
    DataViewByteLength: getter(DataView.prototype, 'byteLength'),
    BufferFrom: Buffer.from,
    BufferToString: uncurry(Buffer.prototype.toString),

    URLHref: getter(URL.prototype, 'href'),
    URLSearchParamsToString: uncurry(URLSearchParams.prototype.toString),
    URLSearchParams,
};
