// guest/js/globals.js -- which names a program finds  (SPDX-License-Identifier: MIT)

import * as p from './primordials.js';
import { AbortController, AbortSignal } from './abort.js';
import { Blob, File } from './blob.js';
import { console } from './console.js';
import { CustomEvent, Event, EventTarget } from './events.js';
import { Request, Response } from './fetch-types.js';
import { installGaps } from './gaps.js';
import { performance } from './performance.js';
import { recordReturn } from './run.js';
import {
    ReadableStream, ReadableStreamDefaultController, ReadableStreamDefaultReader,
} from './streams.js';
import * as timers from './timers.js';
import { TransformStream, WritableStream, WritableStreamDefaultWriter } from './writable.js';
import { fetch } from './fetch.js';

/** Names that the engine defines and a cell does not have. */
const removed = ['SharedArrayBuffer', 'Atomics', 'gc', 'print', 'scriptArgs'];

/** Names that the engine lacks and programs expect. */
const added = {
    __proto__: null, console, performance,
    AbortController, AbortSignal, Blob, CustomEvent, Event, EventTarget, File,
    ReadableStream, ReadableStreamDefaultController, ReadableStreamDefaultReader,
    Request, Response, TransformStream, WritableStream, WritableStreamDefaultWriter,
};

export function installGlobals() {
    for (let i = 0; i < removed.length; i++)
        p.deleteProperty(globalThis, removed[i]);
    hideAll(added);
    hideAll(timers.globals);
    p.show(globalThis, 'fetch', fetch);
    p.hide(globalThis, '__return', { __return(value) { recordReturn(value); } }.__return);
    installGaps();
}

function hideAll(table) {
    const names = p.objectKeys(table);
    for (let i = 0; i < names.length; i++)
        p.hide(globalThis, names[i], table[names[i]]);
}
