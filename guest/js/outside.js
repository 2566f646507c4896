// guest/js/outside.js -- what a run may wait for besides timers  (SPDX-License-Identifier: MIT)
//
// A file of its own, so that run.js, which every run touches, does not lie in
// memory among the libraries that few runs use.

/** May this run ask for the network? */
export let network = false;

/** The functions of fetch.js, once the program has made a call; null before. */
export let calls = null;

export function setNetwork(allowed) {
    network = allowed;
}

export function setCalls(functions) {
    calls = functions;
}
