// guest/node/failure.cjs -- an uncaught error, as the result tells it  (SPDX-License-Identifier: MIT)
//
// Node prints the error on stderr by itself; this is the same for machines:
// name, message, stack, and where in the caller's program it happened.
'use strict';

const { inspect, types: { isNativeError } } = require('util');
const p = load('primordials');
const { TooLarge, whereThrown } = load('values');

const WORK = '/workspace/';
const OVERFLOW = 'Maximum call stack size exceeded';

/** Evaluate `read`, and never let the guest's getters stop a report. */
function safely(read, fallback) {
    try {
        const value = read();
        return typeof value === 'string' ? value : fallback;
    } catch {
        return fallback;
    }
}

function isError(value) {
    return isNativeError(value) || typeof value === 'object' && value !== null &&
        safely(() => `${p.hasInstance(p.Error, value)}`, '') === 'true';
}

// ---- places ----------------------------------------------------------------------------

const frame = /^ {4}at (?:.*\()?(?:file:\/\/)?(\/[^()]*?):(\d+):(\d+)\)?$/;
const header = /^(?:file:\/\/)?(\/.*?):(\d+)$/;

/** A file as the caller named it: below the work directory, without that. */
function named(file) {
    return p.StringStartsWith(file, WORK) ? p.StringSlice(file, WORK.length) : file;
}

/** The first frame in a file of the program, else none. */
function inFrames(lines) {
    for (let i = 0; i < lines.length; i++) {
        const match = p.RegExpExec(frame, lines[i]);
        if (match !== null && p.StringStartsWith(match[1], WORK))
            return { file: named(match[1]), line: +match[2], column: +match[3] };
    }
    return null;
}

/** The lines that V8 puts above a SyntaxError: file:line, the source, a caret below. */
function inHeader(lines) {
    const match = p.RegExpExec(header, lines[0]);
    if (match === null || !p.StringStartsWith(match[1], WORK) || lines.length < 3)
        return null;
    const caret = p.StringIndexOf(lines[2], '^');
    return { file: named(match[1]), line: +match[2], column: caret + 1 };
}

function placeOf(stack) {
    const lines = p.StringSplit(stack, '\n');
    return inHeader(lines) ?? inFrames(lines) ?? { file: '', line: 0, column: 0 };
}

/** Without frames of ours. */
function clean(stack) {
    if (!p.StringIncludes(stack, 'node:glovebox/'))
        return stack;
    const lines = p.StringSplit(stack, '\n');
    let text = '';
    for (let i = 0; i < lines.length; i++) {
        if (!p.StringIncludes(lines[i], 'node:glovebox/'))
            text += (text === '' ? '' : '\n') + lines[i];
    }
    return text;
}

/** Frames of the program with the caller's columns, where a word of ours moved them. */
function unmoved(stack, run) {
    const moved = run.form?.moved;
    const at = moved ? `${run.program.file}:${moved.line}:` : '';
    if (!moved || !p.StringIncludes(stack, at))
        return stack;
    const lines = p.StringSplit(stack, '\n');
    let text = '';
    for (let i = 0; i < lines.length; i++) {
        const start = p.StringIndexOf(lines[i], at);
        const digits = start < 0 ? null : p.RegExpExec(/^\d+/, p.StringSlice(lines[i], start + at.length));
        if (digits !== null && +digits[0] >= moved.column + moved.by) {
            const end = start + at.length;
            lines[i] = p.StringSlice(lines[i], 0, end) + (+digits[0] - moved.by) +
                p.StringSlice(lines[i], end + digits[0].length);
        }
        text += (i === 0 ? '' : '\n') + lines[i];
    }
    return text;
}

/** Is it the program's own text that is wrong? Then no code of it has run. */
function isOfText(name, started) {
    return !started && name === 'SyntaxError';
}

// ---- the report ------------------------------------------------------------------------

/** Node keeps the place of a module's syntax error to itself; the parser of form.cjs has one too. */
function placeIn(run, reason, stack) {
    const place = placeOf(stack);
    if (place.line > 0 || reason !== 'syntax_error' || !run.form?.mistake)
        return place;
    return { file: named(run.program.file), line: run.form.mistake.line, column: run.form.mistake.column };
}

/** Members of a result for `error`; anything can be thrown, and this never throws. */
function describe(error, run, started) {
    if (error instanceof TooLarge) {
        return { __proto__: null, reason: 'result_too_large', observed: error.size };
    }
    if (!isError(error)) {
        const text = 'Uncaught ' + safely(() => inspect(error), 'a value that cannot be shown');
        return { __proto__: null, reason: 'exception', name: 'Error', message: text, printed: text };
    }
    const where = whereThrown(error);
    const name = safely(() => p.String(error.name), 'Error');
    const message = safely(() => p.String(error.message), '');
    const stack = unmoved(clean(safely(() => error.stack, name + ': ' + message)), run);
    let reason = 'exception';
    if (isOfText(name, started))
        reason = 'syntax_error';
    else if (name === 'RangeError' && message === OVERFLOW)
        reason = 'stack_overflow';
    const place = placeIn(run, reason, stack);
    return {
        __proto__: null, reason, name, message: message + where, stack,
        printed: unmoved(clean(safely(() => inspect(error), stack)), run),
        file: place.file, line: place.line, column: place.column,
    };
}

module.exports = { describe };
