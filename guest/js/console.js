// guest/js/console.js -- the console  (SPDX-License-Identifier: MIT)
//
// log, info, debug, dir and table go to stream 1, warn, error, trace and assert
// to stream 2. Labels, counters and the indentation live here, not on the
// console object, so a guest that tampers with the object breaks only itself.

import * as p from './primordials.js';
import { write, monotonic } from './host.js';
import { inspect } from './inspect.js';
import { format } from './format.js';
import { cleanFrames } from './errors.js';
import { table } from './table.js';

const OUT = 1;
const ERR = 2;

const counts = new p.Map();
const times = new p.Map();
let indent = '';

function print(stream, text) {
    if (indent !== '')
        text = indent + p.replaceAll(text, '\n', '\n' + indent);
    write(stream, text + '\n');
}

function warning(text) {
    print(ERR, 'Warning: ' + text);
}

function pad(value) {
    return p.StringPadStart(p.text(value), 2, '0');
}

/** 12.3ms, 1.234s, 1:02.345 (m:ss.mmm), 1:02:03.456 (h:mm:ss.mmm) */
function duration(ms) {
    if (ms < 1000)
        return +p.NumberToFixed(ms, 3) + 'ms';
    if (ms < 60_000)
        return p.NumberToFixed(ms / 1000, 3) + 's';
    const hours = p.floor(ms / 3_600_000);
    const minutes = p.floor(ms % 3_600_000 / 60_000);
    const seconds = p.StringPadStart(p.NumberToFixed(ms % 60_000 / 1000, 3), 6, '0');
    return hours > 0 ? hours + ':' + pad(minutes) + ':' + seconds + ' (h:mm:ss.mmm)'
        : minutes + ':' + seconds + ' (m:ss.mmm)';
}

function logTime(method, label, data) {
    const from = p.MapGet(times, label);
    if (from === undefined)
        return warning('No such label \'' + label + '\' for console.' + method + '()');
    let text = label + ': ' + duration(monotonic() - from);
    for (let i = 0; i < data.length; i++)
        text += ' ' + (typeof data[i] === 'string' ? data[i] : inspect(data[i]));
    print(OUT, text);
}

const methods = {
    log(...args) { print(OUT, format(args)); },
    warn(...args) { print(ERR, format(args)); },
    dir(value, options) {
        const merged = { __proto__: null, customInspect: false };
        if (p.isObject(options)) {
            const names = p.objectKeys(options);
            for (let i = 0; i < names.length; i++)
                merged[names[i]] = options[names[i]];
        }
        print(OUT, inspect(value, merged));
    },
    time(label = 'default') {
        label = p.text(label);
        if (p.MapHas(times, label))
            return warning('Label \'' + label + '\' already exists for console.time()');
        p.MapSet(times, label, monotonic());
    },
    timeEnd(label = 'default') {
        label = p.text(label);
        logTime('timeEnd', label, []);
        p.MapDelete(times, label);
    },
    timeLog(label = 'default', ...data) { logTime('timeLog', p.text(label), data); },
    trace(...args) {
        const text = format(args);
        const frames = cleanFrames(p.ErrorFrames(new p.Error()));
        const head = text === '' ? 'Trace' : 'Trace: ' + text;
        print(ERR, frames === '' ? head : head + '\n' + frames);
    },
    assert(condition, ...args) {
        if (condition)
            return;
        if (args.length === 0)
            return print(ERR, 'Assertion failed');
        args[0] = 'Assertion failed: ' + p.String(args[0]);
        print(ERR, format(args));
    },
    clear() {},
    count(label = 'default') {
        label = p.text(label);
        const count = (p.MapGet(counts, label) ?? 0) + 1;
        p.MapSet(counts, label, count);
        print(OUT, label + ': ' + count);
    },
    countReset(label = 'default') {
        if (!p.MapDelete(counts, p.text(label)))
            warning('Count for \'' + label + '\' does not exist');
    },
    group(...args) {
        if (args.length > 0)
            print(OUT, format(args));
        indent += '  ';
    },
    groupEnd() { indent = p.StringSlice(indent, 2); },
    table(data, columns) {
        if (columns !== undefined && !p.isArray(columns))
            throw new p.TypeError('The "properties" argument must be an instance of Array');
        const tabular = typeof data === 'object' && data !== null;
        print(OUT, tabular ? table(data, columns) : format([data]));
    },
    debug(...args) { print(OUT, format(args)); },
    info(...args) { print(OUT, format(args)); },
    dirxml(...args) { print(OUT, format(args)); },
    error(...args) { print(ERR, format(args)); },
    groupCollapsed(...args) {
        if (args.length > 0)
            print(OUT, format(args));
        indent += '  ';
    },
};

/** The object for globalThis.console: plain, its methods enumerable as in Node. */
export const console = {};
{
    const names = p.objectKeys(methods);
    for (let i = 0; i < names.length; i++)
        p.show(console, names[i], methods[names[i]]);
    p.defineProperty(console, p.symbolToStringTag, {
        __proto__: null, value: 'console', configurable: true,
    });
}
