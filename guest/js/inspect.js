// guest/js/inspect.js -- any value as text, as Node's util.inspect shows it  (SPDX-License-Identifier: MIT)
//
// Values are the guest's, so anything read from them may run guest code or
// throw; what is thrown travels on to whoever asked (console.log's caller, or
// the guarded callers in errors.js). Internal slots are asked through
// kinds.js, never through `constructor`.

import * as p from './primordials.js';
import { promiseState, promiseResult, promiseStateUnknown, proxyTarget } from './host.js';
import { kindOf } from './kinds.js';
import { ARRAY, ITEM, OBJECT, escapeText, quoted, reduce } from './layout.js';
import { formatError } from './inspect-error.js';

const custom = p.symbolFor('nodejs.util.inspect.custom');

const defaults = {
    __proto__: null, showHidden: false, depth: 2, colors: false,
    customInspect: true, showProxy: false, maxArrayLength: 100,
    maxStringLength: 10000, breakLength: 80, compact: 3, sorted: false,
    getters: false,
};
const optionNames = p.objectKeys(defaults);

const palette = {
    __proto__: null, special: 36, number: 33, bigint: 33, boolean: 33,
    undefined: 90, string: 32, symbol: 32, date: 35, regexp: 31,
};
const plain = (text) => text;
function coloured(text, style) {
    if (style === 'null')
        return '\u001b[1m' + text + '\u001b[22m';
    const code = palette[style];
    return code === undefined ? text : '\u001b[' + code + 'm' + text + '\u001b[39m';
}

/** Names of the platform's classes: their prototypes' methods are no news. */
const builtIn = new p.Set();
{
    const names = p.getOwnPropertyNames(globalThis);
    for (let i = 0; i < names.length; i++) {
        const first = p.StringCharCodeAt(names[i], 0);
        if (first >= 65 && first <= 90)
            p.SetAdd(builtIn, names[i]);
    }
}

/** `value` as text. `options` are those of util.inspect. */
export function inspect(value, options) {
    const ctx = {
        __proto__: null, indent: 0, seen: p.list(), circular: null,
        currentDepth: 0, style: plain, budget: 0,
    };
    for (let i = 0; i < optionNames.length; i++) {
        const name = optionNames[i];
        ctx[name] = p.isObject(options) && p.hasOwn(options, name) ? options[name] : defaults[name];
    }
    if (ctx.colors)
        ctx.style = coloured;
    if (ctx.depth === null)
        ctx.depth = Infinity;
    if (ctx.maxArrayLength === null)
        ctx.maxArrayLength = Infinity;
    if (ctx.maxStringLength === null)
        ctx.maxStringLength = Infinity;
    if (ctx.compact === false)
        ctx.compact = 0;
    return formatValue(ctx, value, 0, false);
}

export function formatValue(ctx, value, depth, typed) {
    if (!p.isObject(value))
        return formatPrimitive(ctx, value);
    const original = value;
    for (let target = proxyTarget(value); target !== undefined; target = proxyTarget(value)) {
        if (target === null)
            return ctx.style('<Revoked Proxy>', 'special');
        value = target;
    }
    if (ctx.customInspect) {
        const shown = formatCustom(ctx, value, original, depth);
        if (shown !== undefined)
            return shown;
    }
    for (let i = 0; i < ctx.seen.length; i++) {
        if (ctx.seen[i] === value)
            return ctx.style('[Circular *' + reference(ctx, value) + ']', 'special');
    }
    return formatObject(ctx, value, depth, typed);
}

function reference(ctx, value) {
    ctx.circular ??= new p.Map();
    let index = p.MapGet(ctx.circular, value);
    if (index === undefined) {
        index = p.MapSize(ctx.circular) + 1;
        p.MapSet(ctx.circular, value, index);
    }
    return index;
}

/** The guest's own [nodejs.util.inspect.custom](depth, options, inspect). */
function formatCustom(ctx, value, original, depth) {
    const method = value[custom];
    if (typeof method !== 'function')
        return undefined;
    const constructor = value.constructor;
    if (p.isObject(constructor) && constructor.prototype === value)
        return undefined;
    const options = {};
    for (let i = 0; i < optionNames.length; i++)
        p.show(options, optionNames[i], ctx[optionNames[i]]);
    p.show(options, 'depth', ctx.depth === Infinity ? null : ctx.depth - depth);
    p.show(options, 'stylize', (text, style) => ctx.style(p.text(text), style));
    const shown = p.apply(method, original, [ctx.depth - depth, options, publicInspect]);
    if (shown === original)
        return undefined;
    if (typeof shown !== 'string')
        return formatValue(ctx, shown, depth, false);
    return p.replaceAll(shown, '\n', '\n' + p.StringRepeat(' ', ctx.indent));
}

const publicInspect = { inspect(value, options) { return inspect(value, options); } }.inspect;

export function formatPrimitive(ctx, value) {
    switch (typeof value) {
    case 'string': return formatString(ctx, value);
    case 'number': return ctx.style(p.is(value, -0) ? '-0' : p.text(value), 'number');
    case 'bigint': return ctx.style(value + 'n', 'bigint');
    case 'boolean': return ctx.style(p.text(value), 'boolean');
    case 'undefined': return ctx.style('undefined', 'undefined');
    case 'symbol': return ctx.style(p.SymbolToString(value), 'symbol');
    default: return ctx.style('null', 'null');
    }
}

function formatString(ctx, value) {
    let trailer = '';
    if (value.length > ctx.maxStringLength) {
        const rest = value.length - ctx.maxStringLength;
        value = p.StringSlice(value, 0, ctx.maxStringLength);
        trailer = '... ' + rest + ' more character' + (rest > 1 ? 's' : '');
    }
    if (ctx.compact === true || value.length <= 16 ||
        value.length <= ctx.breakLength - ctx.indent - 4)
        return ctx.style(quoted(value), 'string') + trailer;
    const lines = p.split(value, '\n');
    const out = p.list();
    for (let i = 0; i < lines.length; i++) {
        const line = i < lines.length - 1 ? lines[i] + '\n' : lines[i];
        if (line !== '' || lines.length === 1)
            p.push(out, ctx.style(quoted(line), 'string'));
    }
    return p.ArrayJoin(out, ' +\n' + p.StringRepeat(' ', ctx.indent + 2)) + trailer;
}

/** The name to show as the class, or null for an object without a prototype. */
function constructorName(value, ctx, depth) {
    let first;
    for (let at = value; at !== null; at = p.getPrototypeOf(at)) {
        const own = p.getOwnPropertyDescriptor(at, 'constructor');
        if (own !== undefined && typeof own.value === 'function' &&
            own.value.name !== '' && isInstance(value, own.value))
            return p.String(own.value.name);
        if (at === p.ObjectPrototype && at !== value)
            return 'Object';
        if (at === p.FunctionPrototype && at !== value)
            return 'Function';
        if (at !== value && first === undefined)
            first = at;
    }
    if (first === undefined)
        return null;
    const base = typeof value === 'function' ? 'Function' : 'Object';
    if (depth > ctx.depth)
        return base + ' <Complex prototype>';
    const above = constructorName(first, ctx, depth + 1);
    if (above !== null)
        return base + ' <' + above + '>';
    return base + ' <' + inspect(first, { __proto__: null, customInspect: false, depth: -1, colors: ctx.colors }) + '>';
}

function isInstance(value, constructor) {
    try {
        return value instanceof constructor;
    } catch {
        return false;
    }
}

export function prefix(constructor, tag, fallback, size = '') {
    if (constructor === null) {
        if (tag !== '' && fallback !== tag)
            return '[' + fallback + size + ': null prototype] [' + tag + '] ';
        return '[' + fallback + size + ': null prototype] ';
    }
    if (tag !== '' && constructor !== tag)
        return '' + constructor + size + ' [' + tag + '] ';
    return '' + constructor + size + ' ';
}

function visibleKeys(ctx, value) {
    const symbols = p.getOwnPropertySymbols(value);
    const names = ctx.showHidden ? p.getOwnPropertyNames(value) : namesOf(value);
    const out = p.list();
    for (let i = 0; i < names.length; i++)
        p.push(out, names[i]);
    for (let i = 0; i < symbols.length; i++) {
        if (ctx.showHidden || p.isEnumerable(value, symbols[i]))
            p.push(out, symbols[i]);
    }
    return out;
}

/** A module that is not evaluated yet refuses Object.keys. */
function namesOf(value) {
    try {
        return p.objectKeys(value);
    } catch {
        return p.getOwnPropertyNames(value);
    }
}

const index = /^(0|[1-9][0-9]*)$/;

function extraKeys(ctx, value) {
    const all = visibleKeys(ctx, value);
    const out = p.list();
    for (let i = 0; i < all.length; i++) {
        if (typeof all[i] === 'symbol' || p.RegExpExec(index, all[i]) === null)
            p.push(out, all[i]);
    }
    return out;
}

function tagOf(ctx, value) {
    const tag = value[p.symbolToStringTag];
    if (typeof tag !== 'string' || tag === '')
        return '';
    const listed = ctx.showHidden ? p.hasOwn : p.isEnumerable;
    return listed(value, p.symbolToStringTag) ? '' : tag;
}

/**
 * What a kind of object looks like: `base` stands before the braces, `items`
 * gives the entries that are no properties, and `done` is the whole text where
 * nothing else is to be shown.
 */
function shapeOf(ctx, value, depth, typed) {
    const constructor = constructorName(value, ctx, depth);
    const tag = tagOf(ctx, value);
    const shape = {
        __proto__: null, constructor, tag, keys: null, base: '', open: '{', close: '}',
        type: OBJECT, items: null, done: undefined,
    };
    if (p.isArray(value)) {
        const lead = constructor !== 'Array' || tag !== ''
            ? prefix(constructor, tag, 'Array', '(' + value.length + ')') : '';
        shape.keys = extraKeys(ctx, value);
        shape.open = lead + '[';
        shape.close = ']';
        shape.type = ARRAY;
        shape.items = arrayItems;
        if (value.length === 0 && shape.keys.length === 0)
            shape.done = lead + '[]';
        return shape;
    }
    const kind = kindOf(value);
    const describe = typeof value === 'function' ? describeFunction : describers[kind] ?? describePlain;
    if (kind === 'TypedArray')
        shape.keys = extraKeys(ctx, value);
    else
        shape.keys = visibleKeys(ctx, value);
    shape.kind = kind;
    describe(ctx, value, shape, depth, typed);
    return shape;
}

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
        const lead = prefix(shape.constructor, shape.tag, p.typedArrayKind(value), '(' + p.TypedArrayLength(value) + ')');
        shape.open = lead + '[';
        shape.close = ']';
        shape.type = ARRAY;
        shape.items = typedItems;
        if (p.TypedArrayLength(value) === 0)
            only(shape, lead + '[]');
    },
    RegExp(ctx, value, shape, depth) {
        based(ctx, value, shape, 'RegExp', '/' + p.RegExpSource(value) + '/' + p.RegExpFlags(value), 'regexp');
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
            only(shape, shape.open + ' byteLength: ' + formatPrimitive(ctx, p.ArrayBufferByteLength(value)) + ' }');
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
    const whose = kind === constructor ? '' : constructor === null ? ' (null prototype)' : ' (' + constructor + ')';
    const bare = { __proto__: ctx, style: plain };
    let base = '[' + kind + whose + ': ' + formatPrimitive(bare, unboxers[kind](value)) + ']';
    if (tag !== '' && tag !== constructor)
        base += ' [' + tag + ']';
    shape.base = base;
    only(shape, ctx.style(base, p.StringToLowerCase(kind)));
}

function describeFunction(ctx, value, shape) {
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

/** Module namespaces are the one null-prototype kind with a name of its own. */
function plainPrefix(shape) {
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

function formatObject(ctx, value, depth, typed) {
    const shape = shapeOf(ctx, value, depth, typed);
    if (shape.kind === 'URL' && depth <= ctx.depth)
        return formatUrl(ctx, value, depth, shape);
    if (shape.done !== undefined)
        return shape.done;
    if (depth > ctx.depth || ctx.budget > 2 ** 27) {
        const name = p.StringSlice(plainPrefix(shape), 0, -1);
        return ctx.style(shape.constructor === null ? name : '[' + name + ']', 'special');
    }
    depth += 1;
    p.push(ctx.seen, value);
    ctx.currentDepth = depth;
    const output = shape.items === null ? p.list() : shape.items(ctx, value, depth);
    const items = output.length;
    for (let i = 0; i < shape.keys.length; i++)
        p.push(output, formatProperty(ctx, value, depth, shape.keys[i], shape.type));
    ctx.seen.length -= 1;
    if (ctx.sorted)
        sortEntries(ctx, output, shape.type === OBJECT ? 0 : items);

    let { base } = shape;
    const ref = ctx.circular === null ? undefined : p.MapGet(ctx.circular, value);
    if (ref !== undefined) {
        const mark = ctx.style('<ref *' + ref + '>', 'special');
        base = base === '' ? mark : mark + ' ' + base;
    }
    const text = reduce(ctx, output, base, [shape.open, shape.close], shape.type, depth, value);
    ctx.budget += text.length;
    return text;
}

function sortEntries(ctx, output, from) {
    const tail = [];
    for (let i = from; i < output.length; i++)
        p.show(tail, i - from, output[i]);
    p.ArraySort(tail, typeof ctx.sorted === 'function' ? ctx.sorted : undefined);
    for (let i = from; i < output.length; i++)
        output[i] = tail[i - from];
}

/** Node lists a URL's parts as if they were its properties. */
const urlParts = ['href', 'origin', 'protocol', 'username', 'password', 'host',
    'hostname', 'port', 'pathname', 'search', 'searchParams', 'hash'];

function formatUrl(ctx, value, depth, shape) {
    ctx.currentDepth = depth + 1;
    const output = p.list();
    for (let i = 0; i < urlParts.length; i++) {
        ctx.indent += 2;
        p.push(output, urlParts[i] + ': ' + formatValue(ctx, value[urlParts[i]], depth + 1, false));
        ctx.indent -= 2;
    }
    return reduce(ctx, output, '', [prefix(shape.constructor, shape.tag, 'URL') + '{', '}'], OBJECT, depth + 1, value);
}

/* ---- entries that are no properties ---- */

const more = (rest) => '... ' + rest + ' more item' + (rest > 1 ? 's' : '');

function arrayItems(ctx, value, depth) {
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
    const hole = (count) =>
        p.push(output, ctx.style('<' + count + ' empty item' + (count > 1 ? 's' : '') + '>', 'undefined'));
    let at = from;
    for (let i = from; i < keys.length && output.length < shown; i++) {
        if (p.RegExpExec(index, keys[i]) === null || +keys[i] > 2 ** 32 - 2)
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

/* ---- properties ---- */

const identifier = /^[a-zA-Z_][a-zA-Z_0-9]*$/;

function formatProperty(ctx, value, depth, key, type) {
    const own = p.getOwnPropertyDescriptor(value, key) ??
        { __proto__: null, value: value[key], enumerable: true };
    const text = formatSlot(ctx, value, depth, own, type);
    if (type === ITEM)
        return text;
    let name;
    if (typeof key === 'symbol')
        name = '[' + ctx.style(escapeText(p.SymbolToString(key), 39), 'symbol') + ']';
    else if (key === '__proto__')
        name = "['__proto__']";
    else if (own.enumerable === false)
        name = '[' + escapeText(key, 39) + ']';
    else if (p.RegExpExec(identifier, key) !== null)
        name = key;
    else
        name = ctx.style(quoted(key), 'string');
    return name + ': ' + text;
}

function formatSlot(ctx, value, depth, own, type) {
    if (own.value !== undefined) {
        const step = ctx.compact !== true || type !== OBJECT ? 2 : 3;
        ctx.indent += step;
        const text = formatValue(ctx, own.value, depth, false);
        ctx.indent -= step;
        return text;
    }
    if (own.get !== undefined)
        return formatGetter(ctx, value, depth, own);
    if (own.set !== undefined)
        return ctx.style('[Setter]', 'special');
    return ctx.style('undefined', 'undefined');
}

function formatGetter(ctx, value, depth, own) {
    const label = own.set === undefined ? 'Getter' : 'Getter/Setter';
    const wanted = ctx.getters === true || (ctx.getters === 'get' && own.set === undefined) ||
        (ctx.getters === 'set' && own.set !== undefined);
    if (!wanted)
        return ctx.style('[' + label + ']', 'special');
    try {
        const result = p.apply(own.get, value, []);
        ctx.indent += 2;
        const text = p.isObject(result)
            ? ctx.style('[' + label + ']', 'special') + ' ' + formatValue(ctx, result, depth, false)
            : ctx.style('[' + label + ':', 'special') + ' ' + formatPrimitive(ctx, result) + ctx.style(']', 'special');
        ctx.indent -= 2;
        return text;
    } catch (error) {
        return ctx.style('[' + label + ':', 'special') + ' <Inspection threw (' + error.message + ')>' + ctx.style(']', 'special');
    }
}

/** Would String(value) say something the class's author wrote? */
export function hasBuiltInToString(value) {
    for (let target = proxyTarget(value); target !== undefined; target = proxyTarget(value)) {
        if (target === null)
            return true;
        value = target;
    }
    if (typeof value.toString !== 'function' && typeof value[p.symbolToPrimitive] !== 'function')
        return true;
    for (let at = value; at !== null; at = p.getPrototypeOf(at)) {
        if (!p.hasOwn(at, 'toString') && !p.hasOwn(at, p.symbolToPrimitive))
            continue;
        if (at === value)
            return false;
        const own = p.getOwnPropertyDescriptor(at, 'constructor');
        return own !== undefined && typeof own.value === 'function' &&
            p.SetHas(builtIn, own.value.name);
    }
    return true;
}
