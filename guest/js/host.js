// guest/js/host.js -- the host functions, taken out of the guest's reach  (SPDX-License-Identifier: MIT)
//
// The host defines globalThis.__host just before this bundle is evaluated. The
// functions are copied here and the global is deleted, so no guest program
// ever sees a way to call the host.

const given = globalThis.__host;
delete globalThis.__host;

export const {
    write, monotonic, exceeded, deliver, deliverError,
    fetchSend, fetchAbort, fetchMore, fetchDenied,
} = given;

// Three questions only the engine can answer. A host that does not answer them
// costs detail in console output, nothing else.
const nothing = () => undefined;
/** 0 pending, 1 fulfilled, 2 rejected; anything else: no promise, or unknown. */
export const promiseState = given.promiseState ?? nothing;
export const promiseStateUnknown = given.promiseState === undefined;
export const promiseResult = given.promiseResult ?? nothing;
/** The target of a proxy, without running a trap; undefined: no proxy. */
export const proxyTarget = given.proxyTarget ?? nothing;
