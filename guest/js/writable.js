// guest/js/writable.js -- WritableStream and TransformStream  (SPDX-License-Identifier: MIT)
//
// Writes run one after the other through a chain of promises; backpressure is
// the number of writes not done yet against the high water mark.

import * as p from './primordials.js';
import { ReadableStream } from './streams.js';

let sinkOf;

const quiet = (promise) => { p.PromiseThen(promise, undefined, () => {}); return promise; };

export class WritableStream {
    #sink;

    constructor(sink = undefined, strategy = undefined) {
        const state = this.#sink = {
            __proto__: null, sink: sink ?? {}, waiting: 0, mark: strategy?.highWaterMark ?? 1,
            state: 'writable', error: undefined, writer: null, tail: undefined, controller: null,
        };
        state.controller = {
            error(reason) { state.state = 'errored'; state.error = reason; },
            signal: undefined,
        };
        state.tail = quiet((async () => state.sink.start?.(state.controller))());
        quiet(state.tail.catch((error) => state.controller.error(error)));
    }

    get locked() { return this.#sink.writer !== null; }
    getWriter() { return new WritableStreamDefaultWriter(this); }
    async abort(reason = undefined) { return abort(this.#sink, reason); }
    async close() { return close(this.#sink); }

    static {
        sinkOf = (stream) => stream.#sink;
    }
}
p.tag(WritableStream, 'WritableStream');

/** Do `work` after everything written before; an error stops the stream. */
function enqueue(s, work) {
    const before = s.tail;
    const done = (async () => {
        await before.catch(() => {});
        if (s.state === 'errored')
            throw s.error;
        try {
            return await work();
        } catch (error) {
            s.controller.error(error);
            throw error;
        }
    })();
    s.tail = done;
    return quiet(done);
}

function close(s) {
    if (s.state !== 'writable')
        return p.Promise.reject(new p.TypeError('Invalid state: WritableStream is closed'));
    s.state = 'closing';
    return enqueue(s, async () => {
        await s.sink.close?.();
        s.state = 'closed';
    });
}

async function abort(s, reason) {
    if (s.state === 'closed' || s.state === 'errored')
        return;
    s.controller.error(reason);
    await s.sink.abort?.(reason);
}

export class WritableStreamDefaultWriter {
    #s;

    constructor(stream) {
        const s = sinkOf(stream);
        if (s.writer !== null)
            throw new p.TypeError('Invalid state: WritableStream is locked');
        s.writer = this;
        this.#s = s;
    }

    get desiredSize() {
        return this.#s.state === 'errored' ? null : this.#s.mark - this.#s.waiting;
    }
    get ready() {
        return this.desiredSize > 0 ? p.Promise.resolve()
            : quiet(this.#s.tail.then(() => undefined));
    }
    get closed() {
        const s = this.#s;
        return quiet((async () => {
            while (s.state === 'writable' || s.state === 'closing') {
                const { tail } = s;
                await tail;
                if (tail === s.tail && s.state === 'writable')
                    await new p.Promise(() => {});
            }
            if (s.state === 'errored')
                throw s.error;
        })());
    }

    write(chunk) {
        const s = this.#s;
        if (s.state !== 'writable')
            return p.Promise.reject(s.state === 'errored' ? s.error
                : new p.TypeError('Invalid state: WritableStream is closed'));
        s.waiting++;
        return enqueue(s, async () => {
            try {
                await s.sink.write?.(chunk, s.controller);
            } finally {
                s.waiting--;
            }
        });
    }
    close() { return close(this.#s); }
    abort(reason = undefined) { return abort(this.#s, reason); }
    releaseLock() { this.#s.writer = null; }
}
p.tag(WritableStreamDefaultWriter, 'WritableStreamDefaultWriter');

export class TransformStream {
    #readable;
    #writable;

    constructor(transformer = undefined, writableStrategy = undefined, readableStrategy = undefined) {
        let output;
        let wanted = false;    // the reader's side asked for a chunk
        let wake = null;
        this.#readable = new ReadableStream({
            start(controller) { output = controller; },
            pull() {
                wanted = true;
                wake?.();
            },
            cancel(reason) { return transformer?.cancel?.(reason); },
        }, readableStrategy ?? { highWaterMark: 0 });
        const control = {
            enqueue: (chunk) => output.enqueue(chunk),
            error: (reason) => output.error(reason),
            terminate: () => output.close(),
            get desiredSize() { return output.desiredSize; },
        };
        this.#writable = new WritableStream({
            start: () => transformer?.start?.(control),
            async write(chunk) {
                if (!wanted)
                    await new p.Promise((resolve) => { wake = resolve; });
                wanted = false;
                wake = null;
                try {
                    if (transformer?.transform)
                        await transformer.transform(chunk, control);
                    else
                        control.enqueue(chunk);
                } catch (error) {
                    output.error(error);
                    throw error;
                }
            },
            async close() {
                await transformer?.flush?.(control);
                output.close();
            },
            abort: (reason) => output.error(reason),
        }, writableStrategy);
    }

    get readable() { return this.#readable; }
    get writable() { return this.#writable; }
}
p.tag(TransformStream, 'TransformStream');
