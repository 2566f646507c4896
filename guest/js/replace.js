// guest/js/replace.js -- a better constructor for a native class  (SPDX-License-Identifier: MIT)

import * as p from './primordials.js';

/**
 * Put `make(Native, newTarget, ...args)` in the place of a native constructor.
 * Both share one prototype, so instances, subclasses and instanceof stay what
 * they were.
 */
export function replaceConstructor(name, make) {
    const Native = p.world[name];
    const Patched = { [name]: function (first = undefined, second = undefined) {
        if (new.target === undefined)
            throw new p.TypeError('Class constructor ' + name + " cannot be invoked without 'new'");
        return make(Native, new.target, first, second);
    } }[name];
    p.defineProperty(Patched, 'prototype', { __proto__: null, value: Native.prototype });
    p.hide(Native.prototype, 'constructor', Patched);
    p.hide(p.world, name, Patched);
}
