// guest/node/values/host.js -- what the host does for the js engine  (SPDX-License-Identifier: MIT)

/** Thrown in place of a text longer than the limit. */
export class TooLarge {
    constructor(size) {
        this.size = size;
    }
}

/** Here no host ends the run: the throw reaches failure.cjs. */
export function exceeded(limit, size) {
    throw new TooLarge(size);
}
