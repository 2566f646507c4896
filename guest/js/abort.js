// guest/js/abort.js -- AbortController and AbortSignal  (SPDX-License-Identifier: MIT)

import * as p from './primordials.js';
import { Event, EventTarget, dispatchTrusted, inspectCustom } from './events.js';
import { startUnref } from './timers.js';

const secret = {};    // only code here may construct a signal

let abortSignal;

/** Call back with the reason before any event is heard; gives how to stop that. */
export let onAbort;

export class AbortSignal extends EventTarget {
    #aborted = false;
    #reason = undefined;
    #handler = null;
    #followers = p.list();
    #hooks = null;    // callbacks of the runtime's own

    constructor(key) {
        if (key !== secret)
            throw new p.TypeError('Illegal constructor');
        super();
    }

    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() {
        if (this.#aborted)
            throw this.#reason;
    }

    get onabort() { return this.#handler; }
    set onabort(handler) {
        const before = this.#handler;
        this.#handler = typeof handler === 'function' ? handler : null;
        if (before === null && this.#handler !== null)
            super.addEventListener('abort', (event) => {
                if (this.#handler !== null)
                    p.apply(this.#handler, this, [event]);
            });
    }

    static abort(reason = new p.DOMException('This operation was aborted', 'AbortError')) {
        const signal = new AbortSignal(secret);
        signal.#aborted = true;
        signal.#reason = reason;
        return signal;
    }

    static timeout(delay) {
        const signal = new AbortSignal(secret);
        startUnref(() => abortSignal(signal,
            new p.DOMException('The operation was aborted due to timeout', 'TimeoutError')), delay);
        return signal;
    }

    static any(signals) {
        const signal = new AbortSignal(secret);
        for (const source of signals) {
            if (!(#aborted in source))
                throw new p.TypeError('The "signals" argument must be a list of AbortSignal');
            if (source.#aborted) {
                signal.#aborted = true;
                signal.#reason = source.#reason;
                return signal;
            }
        }
        for (const source of signals)
            p.push(source.#followers, signal);
        return signal;
    }

    [inspectCustom](depth, options, inspect) {
        return depth < 0 ? 'AbortSignal' : 'AbortSignal { aborted: ' + this.#aborted + ' }';
    }

    static {
        abortSignal = (signal, reason) => {
            if (signal.#aborted)
                return;
            signal.#aborted = true;
            signal.#reason = reason === undefined
                ? new p.DOMException('This operation was aborted', 'AbortError') : reason;
            const followers = signal.#followers;
            signal.#followers = p.list();
            const hooks = signal.#hooks;
            signal.#hooks = null;
            if (hooks !== null)
                p.MapForEach(hooks, (hook) => hook(signal.#reason));
            dispatchTrusted(signal, new Event('abort'));
            for (let i = 0; i < followers.length; i++)
                abortSignal(followers[i], signal.#reason);
        };
        onAbort = (signal, hook) => {
            signal.#hooks ??= new p.Map();
            p.MapSet(signal.#hooks, hook, hook);
            return () => signal.#hooks !== null && p.MapDelete(signal.#hooks, hook);
        };
    }
}
p.tag(AbortSignal, 'AbortSignal');
p.hide(AbortSignal.prototype, inspectCustom, AbortSignal.prototype[inspectCustom]);

export class AbortController {
    #signal = new AbortSignal(secret);

    get signal() { return this.#signal; }
    abort(reason = undefined) { abortSignal(this.#signal, reason); }

    [inspectCustom](depth) {
        return depth < 0 ? 'AbortController'
            : 'AbortController { signal: AbortSignal { aborted: ' + this.#signal.aborted + ' } }';
    }
}
p.tag(AbortController, 'AbortController');
