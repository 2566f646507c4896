// guest/js/inspect.js -- any value as text, as Node's util.inspect shows it  (SPDX-License-Identifier: MIT)
//
// Values are the guest's, so anything read from them may run guest code or
// throw; what is thrown travels on to whoever asked (console.log's caller, or
// the guarded callers in errors.js). Internal slots are asked through
// kinds.js, never through `constructor`.

import * as p from './primordials.js';
import { proxyTarget } from './host.js';
import { kindOf } from './kinds.js';
import { ARRAY, ITEM, OBJECT, escapeText, quoted, reduce } from './layout.js';
import { arrayItems, describe, describeFunction, plainPrefix } from './inspect-kinds.js';

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
export const plain = (text) => text;
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
    const shallow = { __proto__: null, customInspect: false, depth: -1, colors: ctx.colors };
    return base + ' <' + inspect(first, shallow) + '>';
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
export const isIndex = (key) => p.RegExpExec(index, key) !== null;

function extraKeys(ctx, value) {
    const all = visibleKeys(ctx, value);
    const out = p.list();
    for (let i = 0; i < all.length; i++) {
        if (typeof all[i] === 'symbol' || !isIndex(all[i]))
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
    if (kind === 'TypedArray')
        shape.keys = extraKeys(ctx, value);
    else
        shape.keys = visibleKeys(ctx, value);
    shape.kind = kind;
    const fill = typeof value === 'function' ? describeFunction : describe(kind);
    fill(ctx, value, shape, depth, typed);
    return shape;
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
    const open = prefix(shape.constructor, shape.tag, 'URL') + '{';
    return reduce(ctx, output, '', [open, '}'], OBJECT, depth + 1, value);
}

const identifier = /^[a-zA-Z_][a-zA-Z_0-9]*$/;

export function formatProperty(ctx, value, depth, key, type) {
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
    const wrapped = (text) =>
        ctx.style('[' + label + ':', 'special') + ' ' + text + ctx.style(']', 'special');
    try {
        const result = p.apply(own.get, value, []);
        if (!p.isObject(result))
            return wrapped(formatPrimitive(ctx, result));
        ctx.indent += 2;
        const text = formatValue(ctx, result, depth, false);
        ctx.indent -= 2;
        return ctx.style('[' + label + ']', 'special') + ' ' + text;
    } catch (error) {
        return wrapped('<Inspection threw (' + error.message + ')>');
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
