// guest/js/layout.js -- how inspected entries share lines  (SPDX-License-Identifier: MIT)
//
// The rules are those of Node's util.inspect, because people compare: up to
// `compact` inner levels on one line while they fit, and arrays of more than
// six short entries in columns.

import * as p from './primordials.js';

export const OBJECT = 0;    // entries with keys
export const ITEM = 1;      // an array's element: no key
export const ARRAY = 2;     // elements, then extra keys

const controls = new p.RegExp('\\u001b\\[\\d\\d?m');

/** The text without our own colour codes. */
function withoutColours(text) {
    for (;;) {
        const match = p.RegExpExec(controls, text);
        if (match === null)
            return text;
        text = p.replaceAll(text, match[0], '');
    }
}

const wide = (code) => code >= 0x1100 && (
    code <= 0x115f || code === 0x2329 || code === 0x232a ||
    (code >= 0x2e80 && code <= 0x3247 && code !== 0x303f) ||
    (code >= 0x3250 && code <= 0x4dbf) || (code >= 0x4e00 && code <= 0xa4c6) ||
    (code >= 0xa960 && code <= 0xa97c) || (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe10 && code <= 0xfe19) ||
    (code >= 0xfe30 && code <= 0xfe6b) || (code >= 0xff01 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) || (code >= 0x1b000 && code <= 0x1b001) ||
    (code >= 0x1f200 && code <= 0x1f251) || (code >= 0x1f300 && code <= 0x1f64f) ||
    (code >= 0x1f680 && code <= 0x1f6ff) || (code >= 0x1f900 && code <= 0x1f9ff) ||
    (code >= 0x20000 && code <= 0x3fffd));

const invisible = (code) => code <= 0x1f || (code >= 0x7f && code <= 0x9f) ||
    (code >= 0x300 && code <= 0x36f) || (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x20d0 && code <= 0x20ff) || (code >= 0xfe00 && code <= 0xfe0f) ||
    (code >= 0xfe20 && code <= 0xfe2f) || (code >= 0xe0100 && code <= 0xe01ef);

/** How many terminal columns the text takes. */
export function textWidth(text) {
    text = p.StringNormalize(withoutColours(text), 'NFC');
    let width = 0;
    for (let i = 0; i < text.length; i++) {
        const code = p.StringCodePointAt(text, i);
        if (code > 0xffff)
            i++;
        width += wide(code) ? 2 : invisible(code) ? 0 : 1;
    }
    return width;
}

/** Join `output` between `braces`, on one line or on many. */
export function reduce(ctx, output, base, braces, type, depth, value) {
    const lead = base === '' ? '' : base + ' ';
    if (ctx.compact !== true) {
        const entries = output.length;
        if (type === ARRAY && entries > 6 && ctx.compact >= 1)
            output = columns(ctx, output, value);
        if (ctx.currentDepth - depth < ctx.compact && entries === output.length) {
            const start = output.length + ctx.indent + braces[0].length + base.length + 10;
            if (fits(ctx, output, start, base)) {
                const joined = p.ArrayJoin(output, ', ');
                if (!p.StringIncludes(joined, '\n'))
                    return '' + lead + braces[0] + ' ' + joined + ' ' + braces[1];
            }
        }
        const line = '\n' + p.StringRepeat(' ', ctx.indent);
        return '' + lead + braces[0] + line + '  ' +
            '' + p.ArrayJoin(output, ',' + line + '  ') + line + braces[1];
    }
    if (fits(ctx, output, 0, base)) {
        return '' + braces[0] + (base ? ' ' + base : '') + ' ' + p.ArrayJoin(output, ', ') + ' ' +
            braces[1];
    }
    const indentation = p.StringRepeat(' ', ctx.indent);
    const ln = base === '' && braces[0].length === 1
        ? ' ' : (base ? ' ' + base : '') + '\n' + indentation + '  ';
    return '' + braces[0] + ln + p.ArrayJoin(output, ',\n' + indentation + '  ') + ' ' + braces[1];
}

function fits(ctx, output, start, base) {
    let total = output.length + start;
    if (total + output.length > ctx.breakLength)
        return false;
    for (let i = 0; i < output.length; i++) {
        total += ctx.colors ? withoutColours(output[i]).length : output[i].length;
        if (total > ctx.breakLength)
            return false;
    }
    return base === '' || !p.StringIncludes(base, '\n');
}

/** Put many short entries into columns, about as wide as high. */
function columns(ctx, output, value) {
    let count = output.length;
    if (ctx.maxArrayLength < count)
        count--;    // the last one says "... n more items"
    const gap = 2;
    const widths = p.list();
    let total = 0;
    let widest = 0;
    for (let i = 0; i < count; i++) {
        const width = textWidth(output[i]);
        p.push(widths, width);
        total += width + gap;
        widest = p.max(widest, width);
    }
    const cell = widest + gap;
    if (!(cell * 3 + ctx.indent < ctx.breakLength && (total / cell > 5 || widest <= 6)))
        return output;

    const bias = p.sqrt(cell - total / output.length);
    const biased = p.max(cell - 3 - bias, 1);
    const wanted = p.min(
        p.round(p.sqrt(2.5 * biased * count) / biased),
        p.floor((ctx.breakLength - ctx.indent) / cell),
        ctx.compact * 4,
        15);
    return wanted <= 1 ? output : lineUp(ctx, output, widths, count, wanted, value);
}

function lineUp(ctx, output, widths, count, wanted, value) {
    const columnWidths = p.list();
    for (let i = 0; i < wanted; i++) {
        let width = 0;
        for (let j = i; j < count; j += wanted)
            width = p.max(width, widths[j]);
        p.push(columnWidths, width + 2);
    }
    const right = value === undefined || allNumbers(value, output.length);
    const lines = p.list();
    for (let i = 0; i < count; i += wanted) {
        const end = p.min(i + wanted, count);
        let line = '';
        let j = i;
        for (; j < end - 1; j++) {
            const padding = columnWidths[j - i] + output[j].length - widths[j];
            line += right ? p.StringPadStart(output[j] + ', ', padding)
                : p.StringPadEnd(output[j] + ', ', padding);
        }
        line += right
            ? p.StringPadStart(output[j], columnWidths[j - i] + output[j].length - widths[j] - 2)
            : output[j];
        p.push(lines, line);
    }
    if (ctx.maxArrayLength < output.length)
        p.push(lines, output[count]);
    return lines;
}

function allNumbers(value, count) {
    for (let i = 0; i < count; i++) {
        const own = p.getOwnPropertyDescriptor(value, p.text(i));
        const type = own === undefined ? 'undefined' : typeof own.value;
        if (type !== 'number' && type !== 'bigint')
            return false;
    }
    return true;
}

const escapes = {
    __proto__: null, 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r', 39: "\\'", 92: '\\\\',
};

/** One UTF-16 unit as an escape sequence. */
function escapeUnit(code) {
    const known = escapes[code];
    if (known !== undefined)
        return known;
    if (code > 0xff)
        return '\\u' + p.NumberToString(code, 16);
    return '\\x' + p.StringToUpperCase(p.StringPadStart(p.NumberToString(code, 16), 2, '0'));
}

/** Control characters, backslashes, lone surrogates and `quote` escaped. */
export function escapeText(text, quote) {
    let result = '';
    let last = 0;
    for (let i = 0; i < text.length; i++) {
        const code = p.StringCharCodeAt(text, i);
        if (code >= 0xd800 && code <= 0xdfff) {
            const next = code <= 0xdbff ? p.StringCharCodeAt(text, i + 1) : 0;
            if (next >= 0xdc00 && next <= 0xdfff) {
                i++;
                continue;
            }
        } else if (code !== quote && code !== 92 && code >= 32 && (code <= 126 || code >= 160)) {
            continue;
        }
        result += p.StringSlice(text, last, i) + escapeUnit(code);
        last = i + 1;
    }
    return last === 0 ? text : result + p.StringSlice(text, last);
}

/** A string in the quotes that need the least escaping. */
export function quoted(text) {
    let quote = "'";
    if (p.StringIncludes(text, "'")) {
        if (!p.StringIncludes(text, '"'))
            quote = '"';
        else if (!p.StringIncludes(text, '`') && !p.StringIncludes(text, '$' + '{'))
            quote = '`';
    }
    return quote + escapeText(text, quote === "'" ? 39 : -1) + quote;
}
