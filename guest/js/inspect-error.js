// guest/js/inspect-error.js -- errors as Node prints them  (SPDX-License-Identifier: MIT)
//
// The stack, with the class named in its first line; then whatever the stack
// does not say: own properties, [cause], [errors].

import * as p from './primordials.js';
import { stackOf } from './errors.js';
import { prefix } from './inspect.js';

/** The text before the braces. Takes keys out of the shape that it covers. */
export function formatError(ctx, error, shape) {
    const name = error.name == null ? 'Error' : p.String(error.name);
    const message = error.message;
    let stack = stackOf(error);
    if (!ctx.showHidden)
        shape.keys = uncovered(shape.keys, error, stack);
    if ('cause' in error)
        addKey(shape.keys, 'cause');
    if (p.isArray(error.errors))
        addKey(shape.keys, 'errors');

    stack = withClass(stack, shape.constructor, name, shape.tag);
    let from = typeof message === 'string' && message !== '' ? p.StringIndexOf(stack, message) : -1;
    if (from !== -1)
        from += message.length;
    const frames = p.StringIndexOf(stack, '\n    at', p.max(from, 0));
    if (frames === -1)
        stack = '[' + stack + ']';
    else
        stack = p.StringSlice(stack, 0, frames) +
            withoutCauseFrames(ctx, error, p.StringSlice(stack, frames + 1));
    return ctx.indent === 0 ? stack
        : p.replaceAll(stack, '\n', '\n' + p.StringRepeat(' ', ctx.indent));
}

function addKey(keys, key) {
    for (let i = 0; i < keys.length; i++) {
        if (keys[i] === key)
            return;
    }
    p.push(keys, key);
}

/** The keys, less name, message and stack where the stack repeats them. */
function uncovered(keys, error, stack) {
    const out = p.list();
    for (let i = 0; i < keys.length; i++) {
        const key = keys[i];
        const known = key === 'name' || key === 'message' || key === 'stack';
        if (!known || !p.StringIncludes(stack, p.String(error[key])))
            p.push(out, key);
    }
    return out;
}

const named = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n {4}at)/;
const bare = /^([a-z_A-Z0-9-]*Error)$/;

/** "Error: x" of a class Foo becomes "Foo [Error]: x" or "FooError: x". */
function withClass(stack, constructor, name, tag) {
    let length = name.length;
    const next = stack[length];
    const regular = p.StringEndsWith(name, 'Error') && p.StringStartsWith(stack, name) &&
        (stack.length === length || next === ':' || next === '\n');
    if (constructor !== null && !regular)
        return stack;
    let fallback = 'Error';
    if (constructor === null) {
        const start = p.RegExpExec(named, stack) ?? p.RegExpExec(bare, stack);
        fallback = start === null ? '' : start[1];
        length = fallback.length;
        fallback ||= 'Error';
    }
    const wanted = p.StringSlice(prefix(constructor, tag, fallback), 0, -1);
    if (name === wanted)
        return stack;
    if (!p.StringIncludes(wanted, name))
        return wanted + ' [' + name + ']' + p.StringSlice(stack, length);
    return length === 0 ? wanted + ': ' + stack : '' + wanted + p.StringSlice(stack, length);
}

/** Frames, less a run of at least four that the cause will show again. */
function withoutCauseFrames(ctx, error, text) {
    const frames = p.split(text, '\n');
    const cause = causeOf(error);
    if (cause === undefined)
        return '\n' + text;
    const causeStack = stackOf(cause);
    const start = p.StringIndexOf(causeStack, '\n    at');
    const theirs = start === -1 ? p.list() : p.split(p.StringSlice(causeStack, start + 1), '\n');
    for (let i = 0; i < frames.length - 3; i++) {
        const same = commonRun(frames, i, theirs);
        if (same > 3)
            return foldFrames(ctx, frames, i, same - 2);
    }
    return '\n' + text;
}

function causeOf(error) {
    try {
        const { cause } = error;
        return p.isObject(cause) && p.isNativeError(cause) ? cause : undefined;
    } catch {
        return undefined;
    }
}

function commonRun(ours, from, theirs) {
    for (let at = 0; at < theirs.length; at++) {
        if (theirs[at] !== ours[from])
            continue;
        let length = 1;
        while (from + length < ours.length && at + length < theirs.length &&
               ours[from + length] === theirs[at + length])
            length++;
        return length;
    }
    return 0;
}

function foldFrames(ctx, frames, from, skipped) {
    const fold = '    ... ' + skipped + ' lines matching cause stack trace ...';
    let text = '';
    for (let i = 0; i < frames.length; i++) {
        if (i === from + 1)
            text += '\n' + ctx.style(fold, 'undefined');
        if (i <= from || i > from + skipped)
            text += '\n' + frames[i];
    }
    return text;
}
