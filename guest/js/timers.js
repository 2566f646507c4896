// guest/js/timers.js -- setTimeout and its family  (SPDX-License-Identifier: MIT)
//
// A timer is a Timeout object, known to us by a record in a WeakMap that the
// guest cannot reach. Due timers fire by due time, then in the order they were
// set, as in Node; immediates run before timers that became due meanwhile.
// The queue is a binary heap whose cancelled entries are dropped when they
// surface. The state lives in this module, so it is part of every image.

import * as p from './primordials.js';
import { monotonic, exceeded } from './host.js';

const MAX_DELAY = 2 ** 31 - 1;

const records = new p.WeakMap();    // Timeout or Immediate -> record
const byId = new p.Map();           // id -> record, for clearTimeout(number)
const heap = p.list();              // records, earliest first
let immediates = p.list();          // records of the round in progress
let nextRound = p.list();
let sequence = 0;
let live = 0;                       // timers and immediates that will fire
let referenced = 0;                 // those of them that keep the run alive
let maxTimers = Infinity;

export function setMaxTimers(count) {
    maxTimers = count;
}

/** Are there timers the run must wait for? */
export const hasWork = () => referenced > 0;

function checkCallback(callback) {
    if (typeof callback === 'function')
        return;
    const error = new p.TypeError('The "callback" argument must be of type function. ' +
        'Received ' + received(callback));
    p.show(error, 'code', 'ERR_INVALID_ARG_TYPE');
    throw error;
}

function received(value) {
    if (value == null)
        return p.text(value);
    if (typeof value === 'object')
        return 'an instance of Object';
    const shown = typeof value === 'string' ? '\'' + value + '\'' : p.String(value);
    return 'type ' + typeof value + ' (' + shown + ')';
}

function keep(record) {
    record.live = true;
    live++;
    if (record.ref)
        referenced++;
    if (live > maxTimers)
        exceeded('max_timers', live);
}

function drop(record) {
    if (!record.live)
        return;
    record.live = false;
    live--;
    if (record.ref)
        referenced--;
    p.MapDelete(byId, record.id);
}

function before(a, b) {
    return a.due < b.due || (a.due === b.due && a.order < b.order);
}

function heapPush(record) {
    let at = heap.length;
    while (at > 0) {
        const parent = (at - 1) >> 1;
        if (!before(record, heap[parent]))
            break;
        heap[at] = heap[parent];
        at = parent;
    }
    heap[at] = record;
}

function heapPop() {
    const top = heap[0];
    const last = heap[heap.length - 1];
    heap.length -= 1;
    const size = heap.length;
    if (size === 0)
        return top;
    let at = 0;
    for (;;) {
        let child = at * 2 + 1;
        if (child >= size)
            break;
        if (child + 1 < size && before(heap[child + 1], heap[child]))
            child++;
        if (!before(heap[child], last))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return top;
}

/** Put a record into the queue. A rescheduled one leaves a stale entry behind. */
function schedule(record) {
    const entry = {
        __proto__: null, record, due: monotonic() + record.delay, order: ++sequence,
    };
    record.entry = entry;
    heapPush(entry);
}

function delayOf(value) {
    const delay = p.Number(value);
    return delay >= 1 && delay <= MAX_DELAY ? p.trunc(delay) : 1;
}

function start(callback, delay, args, repeats) {
    checkCallback(callback);
    const timer = p.create(Timeout.prototype);
    const record = {
        __proto__: null, id: ++sequence, timer, callback, args, repeats,
        delay: delayOf(delay), ref: true, live: false, entry: null,
    };
    p.WeakMapSet(records, timer, record);
    keep(record);
    schedule(record);
    return timer;
}

function stop(timer) {
    let record;
    if (p.isObject(timer))
        record = p.WeakMapGet(records, timer);
    else if (typeof timer === 'number' || typeof timer === 'string')
        record = p.MapGet(byId, p.Number(timer));
    if (record !== undefined)
        drop(record);
}

function recordOf(timer) {
    const record = p.isObject(timer) ? p.WeakMapGet(records, timer) : undefined;
    if (record === undefined)
        throw new p.TypeError('Illegal invocation');
    return record;
}

function setRef(timer, ref) {
    const record = recordOf(timer);
    if (record.live && record.ref !== ref)
        referenced += ref ? 1 : -1;
    record.ref = ref;
    return timer;
}

class Timeout {
    ref() { return setRef(this, true); }
    unref() { return setRef(this, false); }
    hasRef() { return recordOf(this).ref; }
    close() { stop(this); return this; }
    refresh() {
        const record = recordOf(this);
        if (!record.live)
            keep(record);
        schedule(record);
        return this;
    }
    [p.symbolToPrimitive]() {
        const record = recordOf(this);
        if (record.live)
            p.MapSet(byId, record.id, record);
        return record.id;
    }
}

class Immediate {
    ref() { return setRef(this, true); }
    unref() { return setRef(this, false); }
    hasRef() { return recordOf(this).ref; }
}

if (p.symbolDispose !== undefined) {
    p.hide(Timeout.prototype, p.symbolDispose, { [p.symbolDispose]() { stop(this); } }[p.symbolDispose]);
    p.hide(Immediate.prototype, p.symbolDispose, { [p.symbolDispose]() { stop(this); } }[p.symbolDispose]);
}
// No way from a timer back to a constructor that would make one without a record.
p.deleteProperty(Timeout.prototype, 'constructor');
p.deleteProperty(Immediate.prototype, 'constructor');
p.hide(Timeout.prototype, 'constructor', function Timeout() { throw new p.TypeError('Illegal constructor'); });
p.hide(Immediate.prototype, 'constructor', function Immediate() { throw new p.TypeError('Illegal constructor'); });
Timeout.prototype.constructor.prototype = Timeout.prototype;
Immediate.prototype.constructor.prototype = Immediate.prototype;

/** Start a timer of the runtime's own; it does not keep the run alive. */
export function startUnref(callback, delay) {
    return start(callback, delay, [], false).unref();
}

export const stopTimer = stop;

/** A script that ends in `setTimeout(...)` means no value by it. */
export const isTimer = (value) => p.isObject(value) && p.WeakMapHas(records, value);

export const globals = {
    __proto__: null,
    setTimeout(callback, delay, ...args) { return start(callback, delay, args, false); },
    setInterval(callback, delay, ...args) { return start(callback, delay, args, true); },
    setImmediate(callback, ...args) {
        checkCallback(callback);
        const timer = p.create(Immediate.prototype);
        const record = {
            __proto__: null, id: ++sequence, timer, callback, args, ref: true, live: false,
        };
        p.WeakMapSet(records, timer, record);
        keep(record);
        p.push(nextRound, record);
        return timer;
    },
    clearTimeout(timer) { stop(timer); },
    clearInterval(timer) { stop(timer); },
    clearImmediate(timer) { stop(timer); },
};

/** The earliest entry that will still fire, or undefined. */
function earliest() {
    while (heap.length > 0) {
        const entry = heap[0];
        if (entry.record.live && entry.record.entry === entry)
            return entry;
        heapPop();
    }
    return undefined;
}

let cursor = 0;

function nextImmediate() {
    for (;;) {
        while (cursor < immediates.length) {
            const record = immediates[cursor++];
            if (record.live)
                return record;
        }
        if (nextRound.length === 0)
            return undefined;
        immediates = nextRound;
        nextRound = p.list();
        cursor = 0;
    }
}

/** Milliseconds until something is due: 0 for now, Infinity for never. */
export function untilNext() {
    if (cursor < immediates.length || nextRound.length > 0)
        return 0;
    const entry = earliest();
    return entry === undefined ? Infinity : p.max(0, entry.due - monotonic());
}

/** Run one due callback. An exception of the callback goes to the caller. */
export function runOne() {
    const entry = earliest();
    if (entry !== undefined && entry.due <= monotonic() && cursor >= immediates.length) {
        heapPop();
        fire(entry.record);
        return true;
    }
    const record = nextImmediate();
    if (record === undefined)
        return false;
    drop(record);
    p.apply(record.callback, record.timer, record.args);
    return true;
}

function fire(record) {
    const { callback, timer, args } = record;
    if (!record.repeats) {
        drop(record);
        p.apply(callback, timer, args);
        return;
    }
    try {
        p.apply(callback, timer, args);
    } finally {
        if (record.live)
            schedule(record);
    }
}
