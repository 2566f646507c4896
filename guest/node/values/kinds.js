// guest/node/values/kinds.js -- what a value really is  (SPDX-License-Identifier: MIT)

import { types } from 'util';
import * as p from './primordials.js';

const {
    isAnyArrayBuffer, isBigIntObject, isBooleanObject, isDataView, isDate, isMap, isNativeError, isNumberObject,
    isPromise, isRegExp, isSet, isStringObject, isSymbolObject, isTypedArray,
} = types;

const probes = [
    { is: isTypedArray, kind: 'TypedArray' }, { is: isDataView, kind: 'DataView' },
    { is: isAnyArrayBuffer, kind: 'ArrayBuffer' }, { is: isMap, kind: 'Map' }, { is: isSet, kind: 'Set' },
    { is: isDate, kind: 'Date' }, { is: isRegExp, kind: 'RegExp' }, { is: isNativeError, kind: 'Error' },
    { is: isPromise, kind: 'Promise' }, { is: isNumberObject, kind: 'Number' }, { is: isStringObject, kind: 'String' },
    { is: isBooleanObject, kind: 'Boolean' }, { is: isBigIntObject, kind: 'BigInt' },
    { is: isSymbolObject, kind: 'Symbol' },
];

const { toStringTag } = Symbol;

/**
 * The kind of an object by its slots, which no guest can fake: 'Map', 'Date',
 * ..., or '' for a plain object or a class instance. Only Headers is asked for
 * its tag: to name its class would load all of fetch.
 */
export function kindOf(value) {
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
    if (value[toStringTag] === 'Headers' && typeof value.forEach === 'function')
        return 'Headers';
    return '';
}
