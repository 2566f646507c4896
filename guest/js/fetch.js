// guest/js/fetch.js -- fetch(), served by the host  (SPDX-License-Identifier: MIT)
//
// A call of fetch() has a number and moves so, driven by frames of the host
// that arrive at fetched():
//
//   queued ──► launched ──head──► open ──end, fail──► over
//      └───────────┴──────────────┴── abort ──────────┘
//
// The body is a stream that pulls only when somebody reads. What arrived and was
// not read waits in `chunks`; the host sends no more than a window ahead, and as
// much again as was read. A call keeps the run alive while its head is awaited or
// somebody waits for its bytes: an answer that nobody reads does not.

import * as p from './primordials.js';
import { onAbort } from './abort.js';
import { bodyNow, collectBody, dataResponse, networkResponse, Request } from './fetch-types.js';
import { fetchAbort, fetchDenied, fetchMore, fetchSend } from './host.js';
import { network, setCalls } from './outside.js';
import { ReadableStream, deferred } from './streams.js';

/** Numbers of messages, as in src/wire/messages.h. */
const HEAD = 36;
const DATA = 37;
const END = 38;
const FAIL = 39;

const MAX_OPEN = 64;              // the host takes no more at once
const MAX_BODY = 16 * 2 ** 20;
const GRANT = 64 * 2 ** 10;       // bytes read until the host may send as many

const redirects = ['follow', 'error', 'manual'];    // by their number on the wire

const calls = new p.Map();    // number -> call, launched and not over
let queue = p.list();         // calls that wait for their turn
let lost = p.list();          // calls of runs that are over
const forgotten = new p.WeakSet();    // errors of those
let number = 0;

/** Must the run wait for an answer? */
function hasWork() {
    if (p.MapSize(calls) === 0)
        return false;
    let found = false;
    p.MapForEach(calls, (call) => {
        found = found || !call.answered || call.wanted !== null;
    });
    return found;
}

/** The run is over: what it asked for will not be answered. */
function lose() {
    if (p.MapSize(calls) === 0 && queue.length === 0)
        return;
    p.MapForEach(calls, (call) => p.push(lost, call));
    for (let i = 0; i < queue.length; i++)
        p.push(lost, queue[i]);
    for (let i = 0; i < lost.length; i++)
        lost[i].lost = true;
    p.MapClear(calls);
    queue = p.list();
}

/** Is this the error of a call whose run is over? A later run is not to blame. */
const isForgotten = (error) => p.isObject(error) && p.WeakSetHas(forgotten, error);

/** Nothing else can go on: fail what would wait for ever. Was there anything? */
function failStuck() {
    const stuck = lost.length > 0 ? lost : queue;
    const cause = lost.length > 0
        ? causeOf('ECANCELED', 'ECANCELED: the run that sent this request is over')
        : causeOf('EMFILE', 'EMFILE: ' + MAX_OPEN + ' responses are open and none is read');
    lost = p.list();
    if (stuck === queue)
        queue = p.list();
    for (let i = 0; i < stuck.length; i++)
        fail(stuck[i], cause);
    return stuck.length > 0;
}

/** What run.js asks of us. */
const functions = { __proto__: null, hasWork, lose, failStuck, isForgotten };

// ---- the end of a call ----------------------------------------------------

function causeOf(code, message, hint = '') {
    const cause = new p.Error(message);
    if (code !== '')
        p.show(cause, 'code', code);
    if (hint !== '')
        p.show(cause, 'hint', hint);
    return cause;
}

/** Take a call out of the books; the next in the queue has its turn. */
function release(call) {
    call.over = true;
    call.unhook?.();
    call.unhook = null;
    if (!p.MapDelete(calls, call.id) || queue.length === 0)
        return;
    const next = queue[0];
    const rest = p.list();
    for (let i = 1; i < queue.length; i++)
        p.push(rest, queue[i]);
    queue = rest;
    launch(next);
}

/** Before the head this rejects the promise; after it, the body is cut. */
function stop(call, reason) {
    release(call);
    if (!call.answered) {
        call.answered = true;
        call.out.reject(reason);
        return;
    }
    call.chunks = p.list();
    call.controller?.error(reason);
    const { wanted } = call;
    call.wanted = null;
    wanted?.();
}

function fail(call, cause) {
    const error = call.answered ? new p.TypeError('terminated') : call.failure;
    p.hide(error, 'cause', cause);
    if (call.lost)
        p.WeakSetAdd(forgotten, error);
    stop(call, error);
}

function abort(call, reason) {
    if (call.over)
        return;
    const waiting = p.list();
    for (let i = 0; i < queue.length; i++) {
        if (queue[i] !== call)
            p.push(waiting, queue[i]);
    }
    queue = waiting;
    fetchAbort(call.id);
    stop(call, reason);
}

// ---- the answer -------------------------------------------------------------

/** Called by the host, for calls that are not over. */
export function fetched(type, id, a, b, c, d, e) {
    const call = p.MapGet(calls, id);
    if (call === undefined)
        return;
    if (type === HEAD) {
        answer(call, a, b, c, d, e);
    } else if (type === DATA) {
        p.push(call.chunks, a);
        serve(call);
    } else if (type === END) {
        call.ended = true;
        release(call);
        serve(call);
    } else if (type === FAIL) {
        fail(call, causeOf(a, b, c));
    }
}

function answer(call, status, statusText, url, redirected, headers) {
    call.answered = true;
    const source = { __proto__: null,
        start(controller) { call.controller = controller; },
        pull() {
            return new p.Promise((resolve) => {
                call.wanted = resolve;
                serve(call);
            });
        },
        cancel() { abort(call, undefined); },
    };
    const lines = p.split(headers, '\n');
    call.out.resolve(networkResponse(
        { __proto__: null, status, statusText, url, redirected, lines },
        call.method === 'HEAD' ? null
            : () => new ReadableStream(source, { __proto__: null, highWaterMark: 0 })));
}

/** Give the reader what there is, if it asked. */
function serve(call) {
    const { wanted, controller } = call;
    if (controller === null)
        return;
    if (call.first < call.chunks.length) {
        if (wanted === null)
            return;
        const chunk = call.chunks[call.first];
        call.chunks[call.first++] = undefined;
        if (call.first === call.chunks.length) {
            call.chunks = p.list();
            call.first = 0;
        }
        call.wanted = null;
        grant(call, p.TypedArrayByteLength(chunk));
        controller.enqueue(chunk);
        wanted();
    }
    if (call.ended && call.chunks.length === 0 && !call.closed) {
        call.closed = true;
        controller.close();
        if (wanted !== null && call.wanted === wanted) {
            call.wanted = null;
            wanted();
        }
    }
}

function grant(call, size) {
    call.read += size;
    if (call.read < GRANT || call.over)
        return;
    fetchMore(call.id, call.read);
    call.read = 0;
}

// ---- the request ------------------------------------------------------------

function headerText(headers) {
    const lines = p.list();
    let accepts = false;
    p.HeadersForEach(headers, (value, name) => {
        accepts = accepts || name === 'accept';
        p.push(lines, name + '\n' + value + '\n');
    });
    if (!accepts)
        p.push(lines, 'accept\n*/*\n');
    return p.ArrayJoin(lines, '');
}

function launch(call) {
    const { request } = call;
    p.MapSet(calls, call.id, call);
    let redirect = 0;
    while (redirect < 2 && redirects[redirect] !== request.redirect)
        redirect++;
    const sent = fetchSend(call.id, call.method, call.url, headerText(request.headers), redirect,
        call.body ?? undefined);
    call.request = call.body = null;
    if (!sent)
        fail(call, causeOf('EINVAL', 'EINVAL: a method, URL or header that cannot be sent'));
}

/** All of the body is there. */
function submit(call, body) {
    if (call.over)
        return;
    if (body !== null && p.TypedArrayByteLength(body) > MAX_BODY) {
        fail(call, causeOf('EMSGSIZE', 'EMSGSIZE: a request body of more than 16 MiB'));
        return;
    }
    call.body = body;
    if (p.MapSize(calls) < MAX_OPEN)
        launch(call);
    else
        p.push(queue, call);
}

/** What a run without a network says, in the words of the policies of others. */
function deny(call, url) {
    const port = p.URLPort(url) || (p.URLProtocol(url) === 'https:' ? '443' : '80');
    const host = p.URLHostname(url);
    fetchDenied(call.url);
    fail(call, causeOf('EACCES', 'EACCES: permission denied, tcp://' + host + ':' + port +
        ': blocked by network.http policy', 'this run has no network; hand the data in with ' +
        '`input`, or let the run have a network policy that allows ' + host));
}

function begin(call, request) {
    const { signal } = request;
    if (signal.aborted) {
        stop(call, signal.reason);
        return;
    }
    const url = new p.URL(request.url);
    const scheme = p.URLProtocol(url);
    if (scheme === 'data:') {
        const made = dataResponse(request.url);
        if (made === null)
            fail(call, causeOf('', 'invalid data: URL'));
        else
            call.out.resolve(made);
        return;
    }
    if (scheme !== 'http:' && scheme !== 'https:') {
        fail(call, causeOf('', 'unknown scheme'));
        return;
    }
    call.url = p.split(request.url, '#')[0];
    if (!network) {
        deny(call, url);
        return;
    }
    setCalls(functions);
    call.unhook = onAbort(signal, (reason) => abort(call, reason));
    const body = bodyNow(request);
    if (body !== undefined)
        submit(call, body);
    else
        p.PromiseThen(collectBody(request), (bytes) => submit(call, bytes),
            (error) => call.over || stop(call, error));
}

export const { fetch } = { fetch(input, init = undefined) {
    const out = deferred();
    // Made here: where the program asked is what its reader wants to see.
    const failure = new p.TypeError('fetch failed');
    p.captureStackTrace(failure, fetch);
    const call = {
        __proto__: null, id: ++number, out, failure, request: null, method: '', url: '',
        body: null, unhook: null, over: false, lost: false, answered: false, ended: false,
        closed: false, controller: null, wanted: null, chunks: p.list(), first: 0, read: 0,
    };
    try {
        const request = new Request(input, init);
        call.request = request;
        call.method = request.method;
        begin(call, request);
    } catch (error) {
        out.reject(error);
    }
    return out.promise;
} };
