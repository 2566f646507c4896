// guest/js/decode.js -- values in through the wall: JSON text -> value  (SPDX-License-Identifier: MIT)
//
// The reverse of codec.js. The text was made outside, so a tag that is unknown
// or malformed is refused by name rather than passed on as data.

import * as p from './primordials.js';

/** The value that tagged JSON text says. */
export function decode(json) {
    const value = p.jsonParse(json);
    return p.StringIncludes(json, '"$') ? revive(value) : value;
}

/** The same of a tree, which is used up. Members exist already, so that plain
 * assignment meets no setter, not even __proto__'s. */
export function revive(value) {
    if (typeof value !== 'object' || value === null)
        return value;
    if (p.isArray(value)) {
        for (let i = 0; i < value.length; i++)
            value[i] = revive(value[i]);
        return value;
    }
    const names = p.objectKeys(value);
    if (names.length === 1 && p.StringStartsWith(names[0], '$'))
        return untag(names[0], value[names[0]]);
    return reviveMembers(value, names);
}

function reviveMembers(value, names) {
    for (let i = 0; i < names.length; i++) {
        const member = revive(value[names[i]]);
        p.show(value, names[i], member);
    }
    return value;
}

function untag(tag, body) {
    if (!p.hasOwn(readers, tag))
        throw new p.TypeError('unknown tag ' + p.jsonStringify(tag) + ' in input');
    return readers[tag](body);
}

function bad(tag) {
    throw new p.TypeError('malformed ' + tag + ' in input');
}

function text(tag, body) {
    return typeof body === 'string' ? body : bad(tag);
}

function items(tag, body) {
    return p.isArray(body) ? revive(body) : bad(tag);
}

function record(tag, body) {
    return typeof body === 'object' && body !== null && !p.isArray(body) ? body : bad(tag);
}

const numbers = { __proto__: null, NaN, Infinity, '-Infinity': -Infinity, '-0': -0 };

const kinds = { __proto__: null };
{
    const names = ['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array',
        'Int32Array', 'Uint32Array', 'Float16Array', 'Float32Array', 'Float64Array',
        'BigInt64Array', 'BigUint64Array', 'DataView'];
    for (let i = 0; i < names.length; i++)
        kinds[names[i]] = globalThis[names[i]];
}

const errors = { __proto__: null };
{
    const names = ['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError',
        'EvalError', 'URIError'];
    for (let i = 0; i < names.length; i++)
        errors[names[i]] = globalThis[names[i]];
}

const integer = /^-?\d+$/;

const readers = {
    __proto__: null,
    $undefined: (body) => body === true ? undefined : bad('$undefined'),
    $number: (body) => p.hasOwn(numbers, body) ? numbers[body] : bad('$number'),
    $bigint(body) {
        if (p.RegExpExec(integer, text('$bigint', body)) === null)
            bad('$bigint');
        return p.BigInt(body);
    },
    $date: (body) => new p.Date(body === null ? NaN : text('$date', body)),
    $bytes: (body) => p.bytesFromBase64(p.Uint8Array, text('$bytes', body)),
    $typed(body) {
        const { kind, bytes } = record('$typed', body);
        if (typeof kind !== 'string' || kinds[kind] === undefined)
            bad('$typed');
        const raw = p.bytesFromBase64(p.Uint8Array, text('$typed', bytes));
        return new kinds[kind](p.TypedArrayBuffer(raw));
    },
    $map(body) {
        const pairs = items('$map', body);
        const map = new p.Map();
        for (let i = 0; i < pairs.length; i++) {
            const pair = pairs[i];
            if (!p.isArray(pair) || pair.length !== 2)
                bad('$map');
            p.MapSet(map, pair[0], pair[1]);
        }
        return map;
    },
    $set(body) {
        const members = items('$set', body);
        const set = new p.Set();
        for (let i = 0; i < members.length; i++)
            p.SetAdd(set, members[i]);
        return set;
    },
    $error: reviveError,
    $regexp(body) {
        const { source, flags } = record('$regexp', body);
        return new p.RegExp(text('$regexp', source), text('$regexp', flags));
    },
    $object: (body) => reviveMembers(record('$object', body), p.objectKeys(body)),
};

function reviveError(body) {
    const names = p.objectKeys(record('$error', body));
    const name = text('$error', body.name);
    const known = errors[name];
    const error = new (known ?? p.Error)(text('$error', body.message));
    if (known === undefined)
        p.hide(error, 'name', name);
    for (let i = 0; i < names.length; i++) {
        const key = names[i];
        if (key === 'name' || key === 'message')
            continue;
        const value = revive(body[key]);
        if (key === 'stack' || key === 'cause')
            p.hide(error, key, value);
        else
            p.show(error, key, value);
    }
    return error;
}
