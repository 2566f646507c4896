// guest/js/run.js -- from evaluation to a delivered result  (SPDX-License-Identifier: MIT)
//
// The host evaluates the program and hands what that gave to begin(). From
// there a run moves through these states, driven by the host's loop:
//
//   begin ──► WAITING ──► SETTLED ──► DONE      deliver()
//      └─────────┴──► FAILED ─────────► DONE    deliverError()
//
// WAITING is for a promise of the guest's. SETTLED still waits for timers that
// keep the run alive. Promise callbacks only change the state; everything is
// delivered from begin() and pending(), with an empty job queue.

import * as p from './primordials.js';
import { deliver, promiseState } from './host.js';
import { encode, encodeExports, setLimit, whereThrown } from './codec.js';
import { decode } from './decode.js';
import { reportError, reportRejection } from './errors.js';
import { inspect } from './inspect.js';
import * as outside from './outside.js';
import * as timers from './timers.js';

const ASYNC_SCRIPT = 1;
const MODULE = 2;

const PLAIN = 1;
const DISPLAY = 2;
const CALL_MAIN = 4;
const COLOURS = 8;
const LEAVE_TIMERS = 16;
const JOBS_PENDING = 32;
const NO_VALUE = 64;    // set-up code: what it evaluates to is nobody's

const WAITING = 1;
const SETTLED = 2;
const FAILED = 3;
const DONE = 4;

const FINISHED = -2;
const NEVER = -1;
const REJECTED = -3;

let state = DONE;
let kind = 0;
let flags = 0;
let result;             // the value, or the reason of the failure
let namespace = null;   // of a module
let awaited = 0;        // which adopt() counts; callbacks of earlier ones do not
let returned = false;   // was __return called?
let returnedValue;
const rejections = new p.Map();    // promise -> reason, not handled so far

export function configure(maxResultBytes, maxTimers, network, secrets) {
    setLimit(maxResultBytes);
    timers.setMaxTimers(maxTimers);
    outside.setNetwork(network === true);
    outside.calls?.lose();
    if (secrets)
        p.hide(p.world, 'secrets', p.freeze(p.jsonParse(secrets)));
    state = DONE;
    result = returnedValue = undefined;
    returned = false;
    namespace = null;
}

export function input(json) {
    p.show(p.world, 'input', decode(json));
}

/** The guest's way to hand over a value from anywhere: the last call wins. */
export function recordReturn(value) {
    returned = true;
    returnedValue = value;
}

export function begin(programKind, value, runFlags, moduleNamespace) {
    kind = programKind;
    flags = runFlags;
    namespace = kind === MODULE ? moduleNamespace : null;
    try {
        if (kind === ASYNC_SCRIPT || kind === MODULE)
            adopt(value, evaluated);
        else
            evaluated(value);
    } catch (error) {
        fail(error);
    }
    if (state === FAILED)
        return pending() === REJECTED;
    return state === SETTLED && (flags & JOBS_PENDING) === 0 && canFinish() &&
        finish() !== 0;
}

/** The program's top level has run. */
function evaluated(value) {
    if (kind === ASYNC_SCRIPT) {
        value = value.value;
    } else if (kind === MODULE) {
        value = p.hasOwn(namespace, 'default') ? namespace.default : undefined;
    }
    if ((flags & CALL_MAIN) !== 0) {
        const { main } = p.world;
        if (typeof main === 'function')
            value = p.apply(main, undefined, []);
    }
    settleWith(value);
}

function settleWith(value) {
    if (p.isObject(value) && typeof value.then === 'function')
        return adopt(value, settled);
    settled(value);
}

function settled(value) {
    result = timers.isTimer(value) || (flags & NO_VALUE) !== 0 ? undefined : value;
    state = SETTLED;
}

function fail(reason) {
    result = reason;
    state = FAILED;
}

/**
 * Wait for a promise or thenable, then call `next`. A real promise is asked
 * through the captured `then`, so a guest that broke Promise.prototype still
 * gets its value; a thenable is resolved through a promise of ours, whose
 * resolving functions make a second or late call harmless.
 */
function adopt(value, next) {
    state = WAITING;
    const mine = ++awaited;
    const onValue = (arrived) => {
        if (mine !== awaited || state !== WAITING)
            return;
        try {
            next(arrived);
        } catch (error) {
            fail(error);
        }
    };
    const onReason = (reason) => {
        if (mine === awaited && state === WAITING)
            fail(reason);
    };
    if (promiseState(value) >= 0 && subscribe(value, onValue, onReason))
        return;
    let resolve;
    const promise = new p.Promise((r) => { resolve = r; });
    subscribe(promise, onValue, onReason);
    resolve(value);
}

/** then() asks promise.constructor, which is the guest's: keep it from ours. */
function subscribe(promise, onValue, onReason) {
    const shielded = !p.hasOwn(promise, 'constructor') &&
        p.reflectDefine(promise, 'constructor', shield);
    try {
        p.PromiseThen(promise, onValue, onReason);
        return true;
    } catch {
        return false;
    } finally {
        if (shielded)
            p.deleteProperty(promise, 'constructor');
    }
}

const shield = { __proto__: null, value: undefined, configurable: true };

/** With an empty job queue: finish, or say how long until a timer is due. */
export function pending() {
    if (state === FAILED) {
        state = DONE;
        reportError(result);
        return REJECTED;
    }
    if (state === SETTLED && canFinish())
        return finish();
    const wait = timers.untilNext();
    if (wait !== Infinity || callsWait())
        return wait;
    if (outside.calls !== null && outside.calls.failStuck())
        return 0;
    if (state === WAITING && returned) {
        state = SETTLED;
        return finish();
    }
    return NEVER;
}

function canFinish() {
    return (flags & LEAVE_TIMERS) !== 0 || !(timers.hasWork() || callsWait());
}

function callsWait() {
    return outside.calls !== null && outside.calls.hasWork();
}

/** Deliver. 0 means: __return was given a promise, which we wait for first. */
function finish() {
    try {
        if (returned) {
            returned = false;
            namespace = null;
            settleWith(returnedValue);
            if (state === WAITING)
                return 0;
        }
        const plain = (flags & PLAIN) !== 0;
        const json = result === undefined ? '' : encode(result, 'value', plain);
        const exports = namespace === null || (flags & NO_VALUE) !== 0
            ? '' : encodeExports(namespace, plain);
        deliver(json, exports, (flags & DISPLAY) !== 0 ? display(result) : '');
    } catch (error) {
        state = DONE;
        reportError(error, whereThrown(error));
        return REJECTED;
    }
    state = DONE;
    result = undefined;
    if (outside.calls !== null)
        outside.calls.lose();
    return FINISHED;
}

function display(value) {
    try {
        return p.StringToWellFormed(
            inspect(value, { __proto__: null, colors: (flags & COLOURS) !== 0 }));
    } catch {
        return '';    // the guest's own inspect method threw
    }
}

export function failed(error) {
    state = DONE;
    reportError(error);
}

export function rejection(promise, reason, handled) {
    if (handled)
        p.MapDelete(rejections, promise);
    else if (outside.calls === null || !outside.calls.isForgotten(reason))
        p.MapSet(rejections, promise, reason);
}

export function unhandled() {
    if (p.MapSize(rejections) === 0)
        return false;
    let first = true;
    let reason;
    p.MapForEach(rejections, (value) => {
        if (first)
            reason = value;
        first = false;
    });
    p.MapClear(rejections);
    state = DONE;
    reportRejection(reason);
    return true;
}
