// guest/js/errors.js -- stacks, and failures handed to the host  (SPDX-License-Identifier: MIT)
//
// The engine's `stack` is a prototype accessor that gives frames only. Programs
// written for Node expect "Name: message" above them, and nobody should see
// frames of this runtime, so the accessor is replaced by one that adds the
// former and drops the latter.
//
// Error.prepareStackTrace goes away: its call sites would hand out the function
// objects of the runtime's own frames.

import * as p from './primordials.js';
import { deliverError } from './host.js';
import { inspect } from './inspect.js';

/** Frames without those of the runtime, one per line, no newline at the end. */
export function cleanFrames(frames) {
    if (typeof frames !== 'string' || frames === '')
        return '';
    const lines = p.split(frames, '\n');
    let text = '';
    for (let i = 0; i < lines.length; i++) {
        const line = lines[i];
        if (line !== '' && !p.StringIncludes(line, 'glovebox:'))
            text += text === '' ? line : '\n' + line;
    }
    return text;
}

/** "Name: message", as Error.prototype.toString would have it. */
function headline(error) {
    const name = error.name === undefined ? 'Error' : p.String(error.name);
    const message = error.message === undefined ? '' : p.String(error.message);
    if (name === '')
        return message;
    return message === '' ? name : name + ': ' + message;
}

function withFrames(head, frames) {
    const clean = cleanFrames(frames);
    return clean === '' ? head : head + '\n' + clean;
}

/** What `error.stack` says, with a headline even where the engine gave none. */
export function stackOf(error) {
    const stack = error.stack;
    if (typeof stack !== 'string')
        return stack ? p.String(stack) : headline(error);
    if (stack === '' || p.StringStartsWith(stack, '    at '))
        return withFrames(headline(error), stack);
    return stack;
}

export function installStacks() {
    p.defineProperty(p.ErrorPrototype, 'stack', {
        __proto__: null,
        get: { stack() {
            const frames = p.ErrorFrames(this);
            return frames === undefined ? undefined : withFrames(headline(this), frames);
        } }.stack,
        set: { stack(value) { p.ErrorSetStack(this, value); } }.stack,
        configurable: true,
    });
    delete p.Error.prepareStackTrace;
    const capture = { captureStackTrace(target, above) {
        p.captureStackTrace(target, typeof above === 'function' ? above : capture);
        const own = p.getOwnPropertyDescriptor(target, 'stack');
        if (own !== undefined && typeof own.value === 'string')
            p.hide(target, 'stack', withFrames(headline(target), own.value));
    } }.captureStackTrace;
    p.hide(p.Error, 'captureStackTrace', capture);
}

const plainFrame = /^ {4}at (?:.*\()?([^()]+?):(\d+)(?::(\d+))?\)?$/;

/** Where the program was: the first frame that lies in a file of the caller. */
function locate(frames) {
    const lines = p.split(frames, '\n');
    let best = null;
    for (let i = 0; i < lines.length; i++) {
        const match = p.RegExpExec(plainFrame, lines[i]);
        if (match === null)
            continue;
        if (best === null)
            best = match;
        if (match[1] !== '<input>')
            return match;
    }
    return best;
}

const noNetwork = 'this cell has no network; hand the data in with `input`, ' +
    'or give the program a function that fetches';
const noFiles = 'this cell has no file system; hand the data in with `input`';
const noBrowser = 'there is no browser here';
const noStorage = 'nothing outlives a run; return what should be kept';
const noCommonJs = 'programs are scripts or ES modules here; use `export`';

/** What would be needed for a name that programs expect and a cell lacks. */
const missing = {
    __proto__: null,
    XMLHttpRequest: noNetwork,
    WebSocket: noNetwork,
    EventSource: noNetwork,
    process: 'this cell is no Node.js process; hand values in with `input`',
    require: 'this cell has no CommonJS loader; hand the code in as a module and `import` it',
    module: noCommonJs,
    exports: noCommonJs,
    __dirname: noFiles,
    __filename: noFiles,
    Buffer: 'use Uint8Array, TextEncoder and TextDecoder',
    global: 'use globalThis',
    window: noBrowser + '; use globalThis for the global object',
    document: noBrowser + ', so there is no DOM',
    navigator: noBrowser,
    alert: noBrowser + '; use console.log',
    prompt: 'nobody answers here; hand the data in with `input`',
    localStorage: noStorage,
    sessionStorage: noStorage,
    WebAssembly: 'this cell runs JavaScript only',
    SharedArrayBuffer: 'a cell has one thread; use ArrayBuffer',
    Atomics: 'a cell has one thread; plain reads and writes are atomic',
    Worker: 'a cell has one thread; start several runs instead',
    Intl: 'this engine has no locale data; format by hand',
    Deno: 'this is not Deno; use the standard globals',
    Bun: 'this is not Bun; use the standard globals',
};

const undefinedName = /^'?([A-Za-z_$][\w$]*)'? is not defined$/;

function explain(error, message) {
    const match = p.RegExpExec(undefinedName, message);
    if (match === null || !p.isNativeError(error) || !p.hasOwn(missing, match[1]))
        return '';
    return ': ' + missing[match[1]];
}

/** Evaluate `read`, and never let the guest's getters stop a report. */
function safely(read, fallback) {
    try {
        const value = read();
        return typeof value === 'string' ? value : fallback;
    } catch {
        return fallback;
    }
}

function isErrorLike(value) {
    return p.isObject(value) && (p.isNativeError(value) ||
        safely(() => p.text(p.hasInstance(p.Error, value)), '') === 'true');
}

function send(name, message, stack, printed, frames) {
    const at = locate(frames);
    deliverError(
        p.StringToWellFormed(name), p.StringToWellFormed(message),
        p.StringToWellFormed(stack), p.StringToWellFormed(printed),
        at === null ? '' : at[1],
        at === null ? 0 : +at[2],
        at === null || at[3] === undefined ? 0 : +at[3]);
}

/** Hand an uncaught value to the host. Anything can be thrown; this never throws. */
export function reportError(error, where = '') {
    if (!isErrorLike(error)) {
        const shown = safely(() => inspect(error), 'a value that cannot be shown');
        const text = 'Uncaught ' + shown + where;
        return send('Error', text, '', text, '');
    }
    const name = safely(() => p.String(error.name), 'Error');
    const message = safely(() => p.String(error.message), '');
    const more = explain(error, message) + where;
    const stack = safely(() => stackOf(error), name + ': ' + message);
    let printed = safely(() => inspect(error), stack);
    if (more !== '')
        printed = insertAfter(printed, message, more);
    send(name, message + more, more === '' ? stack : insertAfter(stack, message, more),
        printed, framesOf(error, stack));
}

function insertAfter(text, message, more) {
    const at = p.StringIndexOf(text, message);
    if (at < 0)
        return text;
    const end = at + message.length;
    return p.StringSlice(text, 0, end) + more + p.StringSlice(text, end);
}

/** The engine's own frames where it has some: `stack` may be the guest's prose. */
function framesOf(error, stack) {
    return safely(() => cleanFrames(p.ErrorFrames(error)), '') || stack;
}

const orphan = 'This error originated either by throwing inside of an async function ' +
    'without a catch block, or by rejecting a promise which was not handled with .catch(). ' +
    'The promise rejected with the reason ';

/** The same for a rejection nobody handled; what is no error gets Node's words. */
export function reportRejection(reason) {
    if (isErrorLike(reason))
        return reportError(reason);
    const shown = typeof reason === 'string' ? '"' + reason + '"'
        : '"' + safely(() => inspect(reason), 'a value that cannot be shown') + '"';
    const name = 'UnhandledPromiseRejection';
    const message = '' + orphan + shown + '.';
    send(name, message, name + ': ' + message, '[' + name + ': ' + message + ']', '');
}
