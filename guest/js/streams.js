// guest/js/streams.js -- ReadableStream, WritableStream, TransformStream  (SPDX-License-Identifier: MIT)
//
// The default kinds only: no byte streams, no transfer. The host trusts nothing
// here; it is a library for the guest that happens to be preloaded.

import * as p from './primordials.js';

export function deferred() {
    const out = { __proto__: null, promise: undefined, resolve: undefined, reject: undefined };
    out.promise = new p.Promise((resolve, reject) => {
        out.resolve = resolve;
        out.reject = reject;
    });
    return out;
}

const quiet = (promise) => { p.PromiseThen(promise, undefined, () => {}); return promise; };

function method(source, name) {
    const found = source?.[name];
    if (found === undefined)
        return undefined;
    if (typeof found !== 'function')
        throw new p.TypeError('The "' + name + '" property must be of type function');
    return (...args) => p.apply(found, source, args);
}

function highWaterMark(strategy, fallback) {
    const mark = strategy?.highWaterMark;
    if (mark === undefined)
        return fallback;
    if (!(p.Number(mark) >= 0))
        throw new p.RangeError('The property \'highWaterMark\' is invalid. Received ' + mark);
    return p.Number(mark);
}

const illegal = () => { throw new p.TypeError('Illegal constructor'); };
const secret = {};

/** What a stream, its controller and its reader share. */
function sourceState(source, strategy) {
    return {
        __proto__: null, state: 'readable', error: undefined, queue: p.list(), head: 0, size: 0,
        reads: p.list(), closing: false, reader: null, pulling: false, again: false,
        started: false, disturbed: false,
        pull: method(source, 'pull'), cancel: method(source, 'cancel'),
        measure: typeof strategy?.size === 'function' ? strategy.size : () => 1,
        mark: highWaterMark(strategy, 1), controller: null, closed: deferred(),
    };
}

function desired(s) {
    return s.state === 'errored' ? null : s.state === 'closed' ? 0 : s.mark - s.size;
}

function shiftOf(s) {
    const entry = s.queue[s.head];
    s.queue[s.head++] = undefined;
    if (s.head === s.queue.length) {
        s.queue = p.list();
        s.head = 0;
    }
    s.size -= entry.size;
    return entry.chunk;
}

const queued = (s) => s.queue.length - s.head;

function takeRead(s) {
    const first = s.reads[0];
    const rest = p.list();
    for (let i = 1; i < s.reads.length; i++)
        p.push(rest, s.reads[i]);
    s.reads = rest;
    return first;
}

function closeStream(s) {
    s.state = 'closed';
    while (s.reads.length > 0)
        takeRead(s).resolve({ value: undefined, done: true });
    s.closed.resolve(undefined);
}

function errorStream(s, error) {
    if (s.state !== 'readable')
        return;
    s.state = 'errored';
    s.error = error;
    s.queue = p.list();
    s.head = 0;
    while (s.reads.length > 0)
        takeRead(s).reject(error);
    quiet(s.closed.promise);
    s.closed.reject(error);
}

async function callPull(s) {
    if (s.pull === undefined || !s.started || s.closing || s.state !== 'readable' ||
        !(s.reads.length > 0 || desired(s) > 0))
        return;
    if (s.pulling) {
        s.again = true;
        return;
    }
    s.pulling = true;
    try {
        await s.pull(s.controller);
    } catch (error) {
        return errorStream(s, error);
    } finally {
        s.pulling = false;
    }
    if (s.again) {
        s.again = false;
        quiet(callPull(s));
    }
}

export class ReadableStreamDefaultController {
    #s;
    constructor(key, s) {
        if (key !== secret)
            illegal();
        this.#s = s;
    }
    get desiredSize() { return desired(this.#s); }
    enqueue(chunk) {
        const s = this.#s;
        if (s.closing || s.state !== 'readable')
            throw new p.TypeError('Invalid state: Controller is already closed');
        if (s.reads.length > 0) {
            takeRead(s).resolve({ value: chunk, done: false });
        } else {
            const size = p.Number(s.measure(chunk));
            p.push(s.queue, { __proto__: null, chunk, size });
            s.size += size;
        }
        quiet(callPull(s));
    }
    close() {
        const s = this.#s;
        if (s.closing || s.state !== 'readable')
            throw new p.TypeError('Invalid state: Controller is already closed');
        s.closing = true;
        if (queued(s) === 0)
            closeStream(s);
    }
    error(reason = undefined) { errorStream(this.#s, reason); }
}
p.tag(ReadableStreamDefaultController, 'ReadableStreamDefaultController');

/** The state behind a stream that is not locked; `lock` takes it. */
let stateOf;

export class ReadableStream {
    #s;

    constructor(source = undefined, strategy = undefined) {
        if (source?.type !== undefined)
            throw new p.TypeError('byte streams are not there in this cell');
        const s = this.#s = sourceState(source, strategy);
        s.controller = new ReadableStreamDefaultController(secret, s);
        const started = method(source, 'start')?.(s.controller);
        quiet((async () => {
            try {
                await started;
                s.started = true;
                await callPull(s);
            } catch (error) {
                errorStream(s, error);
            }
        })());
    }

    static from(iterable) {
        const make = iterable[p.symbolAsyncIterator] ?? iterable[p.symbolIterator];
        if (typeof make !== 'function')
            throw new p.TypeError('ReadableStream.from: the value is not iterable');
        const iterator = p.apply(make, iterable, []);
        return new ReadableStream({
            async pull(controller) {
                const next = await iterator.next();
                if (next.done)
                    controller.close();
                else
                    controller.enqueue(await next.value);
            },
            async cancel(reason) { await iterator.return?.(reason); },
        }, { highWaterMark: 0 });
    }

    get locked() { return this.#s.reader !== null; }

    getReader(options = undefined) {
        if (options?.mode !== undefined)
            throw new p.TypeError('byte streams are not there in this cell');
        return new ReadableStreamDefaultReader(this);
    }

    async cancel(reason = undefined) {
        if (this.locked)
            throw new p.TypeError('Invalid state: ReadableStream is locked');
        return cancelStream(this.#s, reason);
    }

    tee() {
        const reader = this.getReader();
        const branches = p.list();
        const cancelled = deferred();
        const gone = [false, false];
        let reading = false;
        const pull = async () => {
            if (reading)
                return;
            reading = true;
            const { value, done } = await reader.read().catch((error) => {
                for (let i = 0; i < 2; i++)
                    branches[i].error(error);
                return { value: undefined, done: null };
            });
            reading = false;
            for (let i = 0; i < 2 && done !== null; i++) {
                if (gone[i])
                    continue;
                if (done)
                    branches[i].close();
                else
                    branches[i].enqueue(value);
            }
        };
        const branch = (i) => new ReadableStream({
            start(controller) { branches[i] = controller; },
            pull,
            cancel(reason) {
                gone[i] = true;
                if (gone[0] && gone[1])
                    cancelled.resolve(reader.cancel(reason));
                return cancelled.promise;
            },
        });
        return [branch(0), branch(1)];
    }

    async *values(options = undefined) {
        const reader = this.getReader();
        let finished = false;
        try {
            for (;;) {
                const { value, done } = await reader.read();
                if (done) {
                    finished = true;
                    return;
                }
                yield value;
            }
        } catch (error) {
            finished = true;
            throw error;
        } finally {
            if (!finished && !options?.preventCancel)
                await reader.cancel();
            reader.releaseLock();
        }
    }

    async pipeTo(destination, options = undefined) {
        const reader = this.getReader();
        const writer = destination.getWriter();
        const signal = options?.signal;
        try {
            for (;;) {
                signal?.throwIfAborted();
                await writer.ready;
                const { value, done } = await reader.read();
                if (done)
                    break;
                await writer.write(value);
            }
            if (!options?.preventClose)
                await writer.close();
        } catch (error) {
            if (!options?.preventAbort)
                await writer.abort(error).catch(() => {});
            if (!options?.preventCancel)
                await reader.cancel(error).catch(() => {});
            throw error;
        } finally {
            reader.releaseLock();
            writer.releaseLock();
        }
    }

    pipeThrough(transform, options = undefined) {
        quiet(this.pipeTo(transform.writable, options));
        return transform.readable;
    }

    static {
        stateOf = (stream) => stream.#s;
    }
}
p.hide(ReadableStream.prototype, p.symbolAsyncIterator, ReadableStream.prototype.values);
p.tag(ReadableStream, 'ReadableStream');

async function cancelStream(s, reason) {
    s.disturbed = true;
    if (s.state === 'errored')
        throw s.error;
    if (s.state === 'closed')
        return;
    s.queue = p.list();
    s.head = 0;
    closeStream(s);
    await s.cancel?.(reason);
}

/** Has anything been read from, or cancelled on, this stream? */
export const isDisturbed = (stream) => stateOf(stream).disturbed;

export class ReadableStreamDefaultReader {
    #s;
    #closed;

    constructor(stream) {
        const s = stateOf(stream);
        if (s.reader !== null)
            throw new p.TypeError('Invalid state: ReadableStream is locked');
        s.reader = this;
        this.#s = s;
        this.#closed = s.closed.promise;
    }

    get closed() { return this.#closed; }

    read() {
        const s = this.#s;
        const read = deferred();
        if (s === null) {
            read.reject(new p.TypeError('Invalid state: The reader is not attached to a stream'));
        } else if (s.state === 'errored') {
            read.reject(s.error);
        } else if (queued(s) > 0) {
            s.disturbed = true;
            read.resolve({ value: shiftOf(s), done: false });
            if (s.closing && queued(s) === 0)
                closeStream(s);
            else
                quiet(callPull(s));
        } else if (s.state === 'closed') {
            s.disturbed = true;
            read.resolve({ value: undefined, done: true });
        } else {
            s.disturbed = true;
            p.push(s.reads, read);
            quiet(callPull(s));
        }
        return read.promise;
    }

    async cancel(reason = undefined) {
        if (this.#s === null)
            throw new p.TypeError('Invalid state: The reader is not attached to a stream');
        return cancelStream(this.#s, reason);
    }

    releaseLock() {
        const s = this.#s;
        if (s === null)
            return;
        while (s.reads.length > 0)
            takeRead(s).reject(new p.TypeError('Invalid state: Releasing reader'));
        s.reader = null;
        this.#s = null;
    }
}
p.tag(ReadableStreamDefaultReader, 'ReadableStreamDefaultReader');
