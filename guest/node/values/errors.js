// guest/node/values/errors.js -- the stack of an error that is a value  (SPDX-License-Identifier: MIT)

import { String } from './primordials.js';

/** V8 writes the headline itself; only what the guest put in its place lacks one. */
export function stackOf(error) {
    const { stack } = error;
    return typeof stack === 'string' ? stack : String(error.name) + ': ' + String(error.message);
}
