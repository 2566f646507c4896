// guest/node/exit.cjs -- how a run ends  (SPDX-License-Identifier: MIT)
//
// The result is sent when the process is about to end, so that a late
// __return(), a late exit code and a late uncaught error all count:
//
//   the loop is empty    node emits 'exit', and would then tear itself down
//   process.exit(n)      emits 'exit', then calls process.reallyExit
//   an uncaught error    process._fatalException; if nobody handles it node
//                        emits 'exit', prints the error and ends
//
// In the first two cases the process ends here and at once: node's own way out
// takes longer than many a run. What was written to a pipe is in the pipe.
'use strict';

const { process } = globalThis;    // a program may replace it

const { inspect } = require('util');
const fs = require('fs');
const p = load('primordials');
const { encode, encodeExports, setLimit } = load('values');
const { describe } = load('failure');
const { valueOf } = load('run');

const UNSETTLED = 13;    // node's exit code for a top-level await that nothing can settle

let native = null;
let run = null;
let settings = null;
let natural = false;     // the loop ran empty
let uncaught = null;     // { error } while node deals with one
let sent = false;

// ---- the result ------------------------------------------------------------------------

function display(value) {
    try {
        return inspect(value, { __proto__: null, colors: settings.color === true });
    } catch {
        return '';    // the guest's own inspect method threw
    }
}

function hasMembers(value) {
    return typeof value === 'object' && value !== null;
}

/** A value that nobody handed over on purpose may hold functions: module.exports often does. */
function encodeValue(plain) {
    const value = valueOf(run);
    if (value === undefined)
        return { value, text: '' };
    if (run.module !== null && !run.returned && value === run.module.exports && hasMembers(value) &&
        p.getPrototypeOf(value) === p.ObjectPrototype)
        return { value, text: encodeExports(value, plain) };
    return { value, text: encode(value, 'value', plain) };
}

function success() {
    const plain = settings.plain === true;
    const { value, text } = encodeValue(plain);
    return {
        __proto__: null, reason: 'completed', value: text,
        exports: run.namespace === null || run.returned ? '' : encodeExports(run.namespace, plain),
        display: settings.display === true ? display(value) : '',
    };
}

/** What to send, and the exit code that goes with it. */
function outcome(code) {
    if (uncaught !== null)
        return { message: describe(uncaught.error, run, run.started), code };
    if (run.failed)    // and a handler of the guest kept node from ending
        return { message: describe(run.reason, run, run.started), code: code === 0 ? 1 : code };
    if (run.waiting && natural && !run.returned)
        return { message: { __proto__: null, reason: 'never_settled' }, code };
    try {
        return { message: success(), code };
    } catch (error) {
        return { message: describe(error, run, true), code: code === 0 ? 1 : code };
    }
}

/** Send the result, once. Gives the exit code. */
function deliver(code) {
    if (sent)
        return code;
    sent = true;
    const end = outcome(code);
    native.result(end.message);
    return end.code;
}

function leave(code) {
    native.exit(deliver(code));
}

// ---- unsettled -------------------------------------------------------------------------

const major = +p.StringSplit(process.versions.node, '.')[0];

/** As node does since 22: say where, if there is only one place. */
function warnUnsettled() {
    if (major < 22)
        return;
    const { form, program } = run;
    const where = form.kind === 'module' ? 'file://' + program.file : program.file;
    let text = 'Warning: Detected unsettled top-level await at ' + where;
    if (form.awaits.length === 1) {
        const before = p.StringSplit(p.StringSlice(program.source, 0, form.awaits[0]), '\n');
        const column = before[before.length - 1].length;
        const line = p.StringSplit(program.source, '\n')[before.length - 1];
        text += ':' + before.length + '\n' + line + '\n' + p.StringRepeat(' ', column) + '^\n\n\n';
    }
    try {
        fs.writeSync(2, text + '\n');
    } catch {
        // nobody reads stderr
    }
}

// ---- hooks -----------------------------------------------------------------------------

const { emit: originalEmit } = process;

function emit(event, code) {
    if (event !== 'exit' || sent) {
        natural = event === 'beforeExit';
        return p.apply(originalEmit, this, arguments);
    }
    if (natural && run.waiting && !run.failed && !run.returned && process.exitCode === undefined) {
        process.exitCode = UNSETTLED;
        if (major >= 22)    // before, listeners were told 0
            code = UNSETTLED;
        warnUnsettled();
    }
    const emitted = p.apply(originalEmit, this, ['exit', code]);
    if (uncaught === null)
        leave(+(process.exitCode ?? code) | 0);
    return emitted;
}

function reallyExit(code) {
    natural = false;
    leave(+(code ?? 0) | 0);
}

const originalFatal = process._fatalException;

function fatal(error, fromPromise) {
    const before = uncaught;
    let handled = false;
    uncaught = { error };
    try {
        handled = p.apply(originalFatal, this, [error, fromPromise]);
    } finally {
        if (handled)
            uncaught = before;
        else
            deliver(1);
    }
    return handled;
}

function hide(name, value) {
    p.defineProperty(process, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
}

/** From now on the end of the process is the end of `theRun`. */
function watch(addon, theRun, theSettings) {
    native = addon;
    run = theRun;
    settings = theSettings;
    setLimit(settings.result_bytes ?? Infinity);
    hide('emit', emit);
    process.reallyExit = reallyExit;
    process._fatalException = fatal;
}

/** While warming: everything that deliver() does, but for sending. */
function rehearse(theRun, theSettings) {
    run = theRun;
    settings = theSettings;
    outcome(0);
}

module.exports = { rehearse, watch };
