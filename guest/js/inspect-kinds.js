// guest/js/inspect-kinds.js -- how each kind of object prints  (SPDX-License-Identifier: MIT)
//
// A describer fills in the shape of one kind of object (see shapeOf in
// inspect.js): the class and size before the braces, the text that stands for
// the whole, and a function for the entries that are no properties.

import * as p from './primordials.js';
import { promiseResult, promiseState, promiseStateUnknown } from './host.js';
import { formatError } from './inspect-error.js';
import { formatPrimitive, formatProperty, formatValue, isIndex, plain, prefix } from './inspect.js';
import { ARRAY, ITEM } from './layout.js';

/** Done when there are no properties to list after the base. */
function only(shape, text) {
    if (shape.keys.length === 0)
        shape.done = text;
}

function sized(ctx, value, shape, name, size) {
    const lead = prefix(shape.constructor, shape.tag, name, '(' + size + ')');
    shape.open = lead + '{';
    if (size === 0)
        only(shape, lead + '{}');
}

function based(ctx, value, shape, name, text, style) {
    const lead = prefix(shape.constructor, shape.tag, name);
    shape.base = lead === (name + ' ') ? text : '' + lead + text;
    only(shape, ctx.style(shape.base, style));
}

function braced(shape, name) {
    shape.open = prefix(shape.constructor, shape.tag, name) + '{';
}

/** Properties that are accessors of the prototype, shown first. */
function addFirst(shape, names) {
    const keys = p.list();
    for (let i = 0; i < names.length; i++)
        p.push(keys, names[i]);
    for (let i = 0; i < shape.keys.length; i++)
        p.push(keys, shape.keys[i]);
    shape.keys = keys;
}

/** By the names of kinds.js; see describe(). */
const describers = {
    __proto__: null,
    Map(ctx, value, shape) {
        sized(ctx, value, shape, 'Map', p.MapSize(value));
        shape.items = mapItems;
    },
    Set(ctx, value, shape) {
        sized(ctx, value, shape, 'Set', p.SetSize(value));
        shape.items = setItems;
    },
    TypedArray(ctx, value, shape) {
        const lead = prefix(shape.constructor, shape.tag, p.typedArrayKind(value),
            '(' + p.TypedArrayLength(value) + ')');
        shape.open = lead + '[';
        shape.close = ']';
        shape.type = ARRAY;
        shape.items = typedItems;
        if (p.TypedArrayLength(value) === 0)
            only(shape, lead + '[]');
    },
    RegExp(ctx, value, shape, depth) {
        const text = '/' + p.RegExpSource(value) + '/' + p.RegExpFlags(value);
        based(ctx, value, shape, 'RegExp', text, 'regexp');
        if (depth > ctx.depth)
            shape.done = ctx.style(shape.base, 'regexp');
    },
    Date(ctx, value, shape) {
        const text = p.isNaN(p.DateGetTime(value)) ? 'Invalid Date' : p.DateToISOString(value);
        based(ctx, value, shape, 'Date', text, 'date');
    },
    Error(ctx, value, shape) {
        shape.base = formatError(ctx, value, shape);
        only(shape, shape.base);
    },
    ArrayBuffer(ctx, value, shape, depth, typed) {
        braced(shape, 'ArrayBuffer');
        if (typed)
            only(shape, shape.open + ' byteLength: ' +
                formatPrimitive(ctx, p.ArrayBufferByteLength(value)) + ' }');
        shape.items = bufferItems;
        addFirst(shape, ['byteLength']);
    },
    DataView(ctx, value, shape) {
        braced(shape, 'DataView');
        addFirst(shape, ['byteLength', 'byteOffset', 'buffer']);
    },
    Promise(ctx, value, shape) {
        braced(shape, 'Promise');
        shape.items = promiseItems;
    },
    WeakSet(ctx, value, shape) {
        braced(shape, 'WeakSet');
        shape.items = unknownItems;
    },
    WeakMap(ctx, value, shape) {
        braced(shape, 'WeakMap');
        shape.items = unknownItems;
    },
    WeakRef(ctx, value, shape) {
        braced(shape, 'WeakRef');
        shape.items = weakRefItems;
    },
    Number: boxed, String: boxed, Boolean: boxed, BigInt: boxed, Symbol: boxed,
};

const unboxers = {
    __proto__: null, Number: p.NumberValueOf, String: p.StringValueOf,
    Boolean: p.BooleanValueOf, BigInt: p.BigIntValueOf, Symbol: p.SymbolValueOf,
};

function boxed(ctx, value, shape) {
    const { kind, constructor, tag } = shape;
    if (kind === 'String') {
        const length = p.StringValueOf(value).length;
        const rest = p.list();
        for (let i = ctx.showHidden ? 0 : length; i < shape.keys.length; i++)
            p.push(rest, shape.keys[i]);
        shape.keys = rest;
    }
    const whose = kind === constructor ? ''
        : constructor === null ? ' (null prototype)' : ' (' + constructor + ')';
    const bare = { __proto__: ctx, style: plain };
    let base = '[' + kind + whose + ': ' + formatPrimitive(bare, unboxers[kind](value)) + ']';
    if (tag !== '' && tag !== constructor)
        base += ' [' + tag + ']';
    shape.base = base;
    only(shape, ctx.style(base, p.StringToLowerCase(kind)));
}

export function describeFunction(ctx, value, shape) {
    shape.base = functionBase(value, shape.constructor, shape.tag);
    only(shape, ctx.style(shape.base, 'special'));
}

function describePlain(ctx, value, shape) {
    const { constructor, tag } = shape;
    if (constructor === 'Object') {
        if (tag === '' && p.ObjectToString(value) === '[object Arguments]')
            shape.open = '[Arguments] {';
        else if (tag !== '')
            shape.open = prefix(constructor, tag, 'Object') + '{';
        return only(shape, shape.open + '}');
    }
    shape.open = plainPrefix(shape) + '{';
    only(shape, shape.open + '}');
}

export function describe(kind) {
    return describers[kind] ?? describePlain;
}

/** Module namespaces are the one null-prototype kind with a name of its own. */
export function plainPrefix(shape) {
    const { constructor, tag } = shape;
    return prefix(constructor, tag, constructor === null && tag === 'Module' ? 'Module' : 'Object');
}

function functionBase(value, constructor, tag) {
    const source = p.FunctionToString(value);
    if (p.StringStartsWith(source, 'class') && p.StringEndsWith(source, '}'))
        return classBase(value, constructor, tag);
    let type = 'Function';
    const real = p.ObjectToString(value);
    if (real === '[object AsyncFunction]')
        type = 'AsyncFunction';
    else if (real === '[object GeneratorFunction]')
        type = 'GeneratorFunction';
    else if (real === '[object AsyncGeneratorFunction]')
        type = 'AsyncGeneratorFunction';
    let base = '[' + type;
    if (constructor === null)
        base += ' (null prototype)';
    base += value.name === '' ? ' (anonymous)]' : ': ' + nameText(value.name) + ']';
    if (constructor !== type && constructor !== null)
        base += ' ' + constructor;
    if (tag !== '' && constructor !== tag)
        base += ' [' + tag + ']';
    return base;
}

const nameText = (name) => typeof name === 'symbol' ? p.SymbolToString(name) : p.String(name);

function classBase(value, constructor, tag) {
    const name = p.hasOwn(value, 'name') && value.name ? nameText(value.name) : '(anonymous)';
    let base = 'class ' + name;
    if (constructor !== 'Function' && constructor !== null)
        base += ' [' + constructor + ']';
    if (tag !== '' && constructor !== tag)
        base += ' [' + tag + ']';
    if (constructor === null)
        return '[' + base + ' extends [null prototype]]';
    const above = p.getPrototypeOf(value).name;
    return above ? '[' + base + ' extends ' + nameText(above) + ']' : '[' + base + ']';
}

const more = (rest) => '... ' + rest + ' more item' + (rest > 1 ? 's' : '');

export function arrayItems(ctx, value, depth) {
    const length = value.length;
    const shown = p.min(p.max(0, ctx.maxArrayLength), length);
    const output = p.list();
    for (let i = 0; i < shown; i++) {
        if (!p.hasOwn(value, i))
            return sparseItems(ctx, value, depth, shown, output, i);
        p.push(output, formatProperty(ctx, value, depth, i, ITEM));
    }
    if (length > shown)
        p.push(output, more(length - shown));
    return output;
}

function sparseItems(ctx, value, depth, shown, output, from) {
    const keys = p.objectKeys(value);
    const hole = (count) => p.push(output,
        ctx.style('<' + count + (count > 1 ? ' empty items>' : ' empty item>'), 'undefined'));
    let at = from;
    for (let i = from; i < keys.length && output.length < shown; i++) {
        if (!isIndex(keys[i]) || +keys[i] > 2 ** 32 - 2)
            break;
        const found = +keys[i];
        if (found !== at) {
            hole(found - at);
            at = found;
            if (output.length === shown)
                break;
        }
        p.push(output, formatProperty(ctx, value, depth, keys[i], ITEM));
        at++;
    }
    const rest = value.length - at;
    if (rest > 0) {
        if (output.length === shown)
            p.push(output, more(rest));
        else
            hole(rest);
    }
    return output;
}

function typedItems(ctx, value, depth) {
    const length = p.TypedArrayLength(value);
    const shown = p.min(p.max(0, ctx.maxArrayLength), length);
    const output = p.list();
    for (let i = 0; i < shown; i++)
        p.push(output, formatPrimitive(ctx, value[i]));
    if (length > shown)
        p.push(output, more(length - shown));
    if (ctx.showHidden) {
        const parts = ['BYTES_PER_ELEMENT', 'length', 'byteLength', 'byteOffset', 'buffer'];
        ctx.indent += 2;
        for (let i = 0; i < parts.length; i++)
            p.push(output, '[' + parts[i] + ']: ' + formatValue(ctx, value[parts[i]], depth, true));
        ctx.indent -= 2;
    }
    return output;
}

function bufferItems(ctx, value) {
    const length = p.ArrayBufferByteLength(value);
    const shown = p.min(ctx.maxArrayLength, length);
    let hex;
    try {
        hex = p.bytesToHex(new p.Uint8Array(value, 0, shown));
    } catch {
        return listOf(ctx.style('(detached)', 'special'));
    }
    let text = '';
    for (let i = 0; i < hex.length; i += 2)
        text += (i > 0 ? ' ' : '') + p.StringSlice(hex, i, i + 2);
    if (length > shown)
        text += ' ... ' + (length - shown) + ' more byte' + (length - shown > 1 ? 's' : '');
    return listOf(ctx.style('[Uint8Contents]', 'special') + ': <' + text + '>');
}

function listOf(text) {
    const output = p.list();
    p.push(output, text);
    return output;
}

function setItems(ctx, value, depth) {
    return collect(ctx, p.SetSize(value), p.SetForEach, value,
        (item) => formatValue(ctx, item, depth, false));
}

function mapItems(ctx, value, depth) {
    return collect(ctx, p.MapSize(value), p.MapForEach, value, (item, key) =>
        formatValue(ctx, key, depth, false) + ' => ' + formatValue(ctx, item, depth, false));
}

function collect(ctx, size, each, value, show) {
    const shown = p.min(p.max(0, ctx.maxArrayLength), size);
    const output = p.list();
    ctx.indent += 2;
    each(value, (item, key) => {
        if (output.length < shown)
            p.push(output, show(item, key));
    });
    ctx.indent -= 2;
    if (size > shown)
        p.push(output, more(size - shown));
    return output;
}

function promiseItems(ctx, value, depth) {
    const state = promiseState(value);
    if (promiseStateUnknown)
        return listOf(ctx.style('<unknown>', 'special'));
    if (state === 0)
        return listOf(ctx.style('<pending>', 'special'));
    ctx.indent += 2;
    const text = formatValue(ctx, promiseResult(value), depth, false);
    ctx.indent -= 2;
    return listOf(state === 2 ? ctx.style('<rejected>', 'special') + ' ' + text : text);
}

function unknownItems(ctx) {
    return listOf(ctx.style('<items unknown>', 'special'));
}

function weakRefItems(ctx, value, depth) {
    return listOf(formatValue(ctx, p.WeakRefDeref(value), depth, false));
}
