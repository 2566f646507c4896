// guest/js/events.js -- Event, CustomEvent, EventTarget  (SPDX-License-Identifier: MIT)
//
// There is no tree of targets here, so an event only ever visits one.

import * as p from './primordials.js';
import { monotonic } from './host.js';

export const inspectCustom = p.symbolFor('nodejs.util.inspect.custom');

let dispatch;

export class Event {
    #type;
    #bubbles = false;
    #cancelable = false;
    #composed = false;
    #time = monotonic();
    #target = null;
    #current = null;
    #prevented = false;
    #passive = false;
    #stopped = false;
    #stoppedNow = false;
    #busy = false;
    #trusted = false;

    constructor(type, options = undefined) {
        if (arguments.length === 0)
            throw new p.TypeError('The "type" argument must be specified');
        this.#type = p.text(type);
        if (p.isObject(options)) {
            this.#bubbles = !!options.bubbles;
            this.#cancelable = !!options.cancelable;
            this.#composed = !!options.composed;
        }
    }

    get type() { return this.#type; }
    get target() { return this.#target; }
    get srcElement() { return this.#target; }
    get currentTarget() { return this.#current; }
    get bubbles() { return this.#bubbles; }
    get cancelable() { return this.#cancelable; }
    get composed() { return this.#composed; }
    get timeStamp() { return this.#time; }
    get isTrusted() { return this.#trusted; }
    get defaultPrevented() { return this.#prevented; }
    get returnValue() { return !this.#prevented; }
    get eventPhase() { return this.#busy ? 2 : 0; }
    get cancelBubble() { return this.#stopped; }
    set cancelBubble(value) { this.#stopped ||= !!value; }

    preventDefault() {
        if (this.#cancelable && !this.#passive)
            this.#prevented = true;
    }
    stopPropagation() { this.#stopped = true; }
    stopImmediatePropagation() { this.#stopped = this.#stoppedNow = true; }
    composedPath() { return this.#busy ? [this.#current] : []; }

    /** Deliver to the listeners of one target. */
    static {
        dispatch = (event, target, listeners, trusted) => {
            if (event.#busy)
                throw new p.DOMException('The event is already being dispatched',
                    'InvalidStateError');
            event.#trusted = trusted;
            event.#target = event.#current = target;
            event.#busy = true;
            event.#stoppedNow = false;
            for (let i = 0; i < listeners.length && !event.#stoppedNow; i++) {
                const listener = listeners[i];
                if (listener.removed)
                    continue;
                if (listener.once)
                    listener.remove();
                event.#passive = listener.passive;
                invoke(listener.callback, target, event);
                event.#passive = false;
            }
            event.#busy = false;
            event.#current = null;
            return !event.#prevented;
        };
    }
}


/** An exception in a listener ends the run as uncaught; the others still hear. */
function invoke(callback, target, event) {
    try {
        if (typeof callback === 'function') {
            p.apply(callback, target, [event]);
        } else {
            const { handleEvent } = callback;
            if (typeof handleEvent === 'function')
                p.apply(handleEvent, callback, [event]);
        }
    } catch (error) {
        p.queueMicrotask(() => { throw error; });
    }
}

const phases = ['NONE', 'CAPTURING_PHASE', 'AT_TARGET', 'BUBBLING_PHASE'];
for (let i = 0; i < phases.length; i++) {
    const constant = { __proto__: null, value: i, enumerable: true };
    p.defineProperty(Event, phases[i], constant);
    p.defineProperty(Event.prototype, phases[i], constant);
}
p.tag(Event, 'Event');

export class CustomEvent extends Event {
    #detail;

    constructor(type, options = undefined) {
        super(type, options);
        this.#detail = options?.detail ?? null;
    }

    get detail() { return this.#detail; }
}
p.tag(CustomEvent, 'CustomEvent');

/** Dispatch an event of the runtime's own. */
export let dispatchTrusted;

export class EventTarget {
    #listeners = new p.Map();    // type -> list of listeners

    addEventListener(type, callback, options = undefined) {
        if (callback === null || callback === undefined)
            return;
        if (!p.isObject(callback))
            throw new p.TypeError('The "listener" argument must be an instance of EventListener');
        type = p.text(type);
        const settings = p.isObject(options) ? options : { __proto__: null, capture: !!options };
        const capture = !!settings.capture;
        const { signal } = settings;
        if (signal !== undefined && signal !== null && signal.aborted)
            return;
        let all = p.MapGet(this.#listeners, type);
        if (all === undefined)
            p.MapSet(this.#listeners, type, all = p.list());
        if (find(all, callback, capture) >= 0)
            return;
        const listener = {
            __proto__: null, callback, capture, once: !!settings.once,
            passive: !!settings.passive, removed: false,
            remove: () => this.#remove(type, callback, capture),
        };
        p.push(all, listener);
        if (signal !== undefined && signal !== null) {
            const { remove } = listener;
            signal.addEventListener('abort', () => remove(), { once: true });
        }
    }

    removeEventListener(type, callback, options = undefined) {
        this.#remove(p.text(type), callback, p.isObject(options) ? !!options.capture : !!options);
    }

    dispatchEvent(event) {
        if (!p.isObject(event) || !isEvent(event))
            throw new p.TypeError('The "event" argument must be an instance of Event');
        return this.#dispatch(event, false);
    }

    #remove(type, callback, capture) {
        const all = p.MapGet(this.#listeners, type);
        const at = all === undefined ? -1 : find(all, callback, capture);
        if (at < 0)
            return;
        all[at].removed = true;
        const rest = p.list();    // a fresh list: one may be walked right now
        for (let i = 0; i < all.length; i++) {
            if (i !== at)
                p.push(rest, all[i]);
        }
        p.MapSet(this.#listeners, type, rest);
    }

    #dispatch(event, trusted) {
        const all = p.MapGet(this.#listeners, event.type) ?? p.list();
        const now = p.list();
        for (let i = 0; i < all.length; i++)
            p.push(now, all[i]);
        return dispatch(event, this, now, trusted);
    }

    static {
        dispatchTrusted = (target, event) => target.#dispatch(event, true);
    }
}
p.tag(EventTarget, 'EventTarget');

const eventType = p.uncurry(p.getOwnPropertyDescriptor(Event.prototype, 'type').get);
const isEvent = (event) => p.passes(eventType, event);

function find(all, callback, capture) {
    for (let i = 0; i < all.length; i++) {
        if (all[i].callback === callback && all[i].capture === capture)
            return i;
    }
    return -1;
}
