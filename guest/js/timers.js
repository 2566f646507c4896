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
let stale = 0;                      // entries of the heap that will not fire
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
    leave(record);
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

/** Give up a record's entry. When most entries are such, the heap is built anew. */
function leave(record) {
    if (record.entry === null)
        return;
    record.entry = null;
    stale++;
    if (stale < 64 || stale * 2 < heap.length)
        return;
    const kept = p.list();
    for (let i = 0; i < heap.length; i++) {
        if (willFire(heap[i]))
            p.push(kept, heap[i]);
    }
    heap.length = 0;
    stale = 0;
    for (let i = 0; i < kept.length; i++)
        heapPush(kept[i]);
}

function willFire(entry) {
    return entry.record.live && entry.record.entry === entry;
}

/** Put a record into the queue, or move it to a later place. */
function schedule(record) {
    leave(record);
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
    const timer = new Timeout(secret);
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

const secret = {};    // only start() may make a timer: one without a record is no timer

function construct(key) {
    if (key !== secret)
        throw new p.TypeError('Illegal constructor');
}

class Timeout {
    constructor(key) { construct(key); }
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
    /** The number that clearTimeout() takes too; kept only if somebody asks. */
    [p.symbolToPrimitive]() {
        const record = recordOf(this);
        if (record.live)
            p.MapSet(byId, record.id, record);
        return record.id;
    }
    [p.symbolDispose]() { stop(this); }
}

class Immediate {
    constructor(key) { construct(key); }
    ref() { return setRef(this, true); }
    unref() { return setRef(this, false); }
    hasRef() { return recordOf(this).ref; }
    [p.symbolDispose]() { stop(this); }
}

/** Start a timer of the runtime's own; it does not keep the run alive. */
export function startUnref(callback, delay) {
    return start(callback, delay, [], false).unref();
}

/** A script that ends in `setTimeout(...)` means no value by it. */
export const isTimer = (value) => p.isObject(value) && p.WeakMapHas(records, value);

export const globals = {
    __proto__: null,
    setTimeout(callback, delay, ...args) { return start(callback, delay, args, false); },
    setInterval(callback, delay, ...args) { return start(callback, delay, args, true); },
    setImmediate(callback, ...args) {
        checkCallback(callback);
        const timer = new Immediate(secret);
        const record = {
            __proto__: null, id: ++sequence, timer, callback, args, ref: true, live: false,
            entry: null,
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
        if (willFire(heap[0]))
            return heap[0];
        heapPop();
        stale--;
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
        entry.record.entry = null;
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
