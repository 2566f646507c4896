// guest/js/headers.js -- what Headers and URLSearchParams accept  (SPDX-License-Identifier: MIT)

import * as p from './primordials.js';

/** The pairs that a sequence of pairs or a record stands for, as [[name, value], ...]. */
export function pairsOf(init, what) {
    const out = [];
    const add = (name, value) => p.show(out, out.length, [p.text(name), p.text(value)]);
    if (typeof init[p.symbolIterator] === 'function') {
        for (const pair of init) {
            const both = [...pair];
            if (both.length !== 2)
                throw new p.TypeError(what + ': each item must be a [name, value] pair');
            add(both[0], both[1]);
        }
        return out;
    }
    const names = p.objectKeys(init);
    for (let i = 0; i < names.length; i++)
        add(names[i], init[names[i]]);
    return out;
}

/** What the global Headers makes of an argument, whatever the guest made of that. */
export function makeHeaders(init) {
    if (init === undefined || p.passes((value) => p.HeadersForEach(value, () => {}), init))
        return new p.Headers(init);
    if (!p.isObject(init))
        throw new p.TypeError('Headers: the value is neither a sequence nor a record');
    return new p.Headers(pairsOf(init, 'Headers'));
}
