// guest/node/incidental.cjs -- values that nobody means  (SPDX-License-Identifier: MIT)
'use strict';

const { EventEmitter } = require('events');
const p = load('primordials');

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

module.exports = { isIncidental };
