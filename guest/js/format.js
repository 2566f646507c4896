// guest/js/format.js -- printf as console.log has it  (SPDX-License-Identifier: MIT)

import * as p from './primordials.js';
import { hasBuiltInToString, inspect } from './inspect.js';

const number = (value) => p.is(value, -0) ? '-0' : p.text(value);

/** One value in the place of `%x`; undefined for an unknown directive. */
const directives = {
    __proto__: null,
    s(value) {
        if (typeof value === 'number')
            return number(value);
        if (typeof value === 'bigint')
            return value + 'n';
        if (typeof value !== 'object' || value === null || !hasBuiltInToString(value))
            return p.String(value);
        return inspect(value, { __proto__: null, depth: 0 });
    },
    d(value) {
        if (typeof value === 'bigint')
            return value + 'n';
        return typeof value === 'symbol' ? 'NaN' : number(p.Number(value));
    },
    i(value) {
        if (typeof value === 'bigint')
            return value + 'n';
        return typeof value === 'symbol' ? 'NaN' : number(p.parseInt(value));
    },
    f: (value) => typeof value === 'symbol' ? 'NaN' : number(p.parseFloat(value)),
    j: (value) => stringify(value),
    o: (value) => inspect(value, { __proto__: null, showHidden: true, showProxy: true, depth: 4 }),
    O: (value) => inspect(value),
    c: () => '',
};

function stringify(value) {
    try {
        return p.jsonStringify(value);
    } catch (error) {
        if (p.isNativeError(error) && p.StringIncludes(p.String(error.message), 'circular'))
            return '[Circular]';
        throw error;
    }
}

/** The text of one console call. */
export function format(args) {
    const first = args[0];
    if (typeof first !== 'string')
        return joined('', args, 0);
    if (args.length === 1)
        return first;
    let text = '';
    let used = 1;
    let last = 0;
    for (let i = 0; i < first.length - 1; i++) {
        if (first[i] !== '%')
            continue;
        const letter = first[++i];
        if (letter === '%') {
            text += p.StringSlice(first, last, i);
            last = i + 1;
        } else if (used < args.length && letter in directives) {
            text += p.StringSlice(first, last, i - 1) + directives[letter](args[used++]);
            last = i + 1;
        }
    }
    return joined(text + p.StringSlice(first, last), args, used);
}

function joined(text, args, from) {
    for (let i = from; i < args.length; i++) {
        if (i > 0)
            text += ' ';
        text += typeof args[i] === 'string' ? args[i] : inspect(args[i]);
    }
    return text;
}
