// guest/js/kinds.js -- what a value really is  (SPDX-License-Identifier: MIT)
//
// `constructor`, `instanceof` and toStringTag belong to the guest. What an
// object is gets decided by its internal slots: the prototype chain only says
// which slot is worth asking for (a failed probe builds a stack trace, which is
// slow), and the captured accessor of that slot has the last word.

import * as p from './primordials.js';
import { promiseState, promiseStateUnknown } from './host.js';

const probes = new p.Map();

function kind(prototype, name, probe) {
    p.MapSet(probes, prototype, { __proto__: null, name, probe });
}

kind(p.MapPrototype, 'Map', p.MapSize);
kind(p.SetPrototype, 'Set', p.SetSize);
kind(p.Date.prototype, 'Date', p.DateGetTime);
kind(p.RegExp.prototype, 'RegExp', (v) => p.RegExpSource(v));
kind(p.ArrayBuffer.prototype, 'ArrayBuffer', p.ArrayBufferByteLength);
kind(p.DataView.prototype, 'DataView', p.DataViewBuffer);
kind(p.PromisePrototype, 'Promise', isPromiseOrThrow);
kind(p.WeakMap.prototype, 'WeakMap', (v) => p.WeakMapHas(v, v));
kind(p.WeakSet.prototype, 'WeakSet', (v) => p.WeakSetHas(v, v));
kind(p.WeakRef.prototype, 'WeakRef', p.WeakRefDeref);
kind(p.Number.prototype, 'Number', p.NumberValueOf);
kind(p.String.prototype, 'String', p.StringValueOf);
kind(p.Boolean.prototype, 'Boolean', p.BooleanValueOf);
kind(p.BigInt.prototype, 'BigInt', p.BigIntValueOf);
kind(p.Symbol.prototype, 'Symbol', p.SymbolValueOf);
kind(p.URL.prototype, 'URL', p.URLHref);
kind(p.URLSearchParams.prototype, 'URLSearchParams', p.URLSearchParamsToString);
kind(p.Headers.prototype, 'Headers', (v) => p.HeadersForEach(v, () => {}));
kind(p.DOMExceptionPrototype, 'Error', (v) => v === p.DOMExceptionPrototype && refuse());

function refuse() {
    throw new p.TypeError('another kind');
}

/** Only the engine can tell; without its answer the tag must do. */
function isPromiseOrThrow(value) {
    if (!(promiseState(value) >= 0) &&
        (!promiseStateUnknown || p.ObjectToString(value) !== '[object Promise]'))
        refuse();
}

/**
 * The kind of an object by its slots: 'Map', 'Date', ... , 'Error',
 * 'TypedArray', or '' for a plain object, a class instance, a function.
 */
export function kindOf(value) {
    if (p.typedArrayKind(value) !== undefined)
        return 'TypedArray';
    if (p.isNativeError(value))
        return 'Error';
    let depth = 0;
    for (let at = p.getPrototypeOf(value); at !== null; at = p.getPrototypeOf(at)) {
        const known = p.MapGet(probes, at);
        if (known !== undefined)
            return p.passes(known.probe, value) ? known.name : '';
        if (++depth > 1000)
            break;
    }
    return '';
}
