// tests/conform/behaviours.js -- evaluate expressions, print one line for each.
// behaviours.py puts `const batch = [[number, text], ...];` in front of this.
// SPDX-License-Identifier: MIT

/** Values as text that does not depend on how an engine prints them. */
function show(v, depth = 0) {
    if (typeof v === 'string')
        return JSON.stringify(v);
    if (typeof v === 'bigint')
        return v + 'n';
    if (Object.is(v, -0))
        return '-0';
    if (typeof v === 'function')
        return 'function ' + v.name;
    if (typeof v !== 'object' || v === null)
        return String(v);
    return depth > 6 ? '...' : showObject(v, depth + 1);
}

function showObject(v, depth) {
    const list = (items) => Array.from(items, (x) => show(x, depth)).join(', ');
    if (v instanceof Error || v instanceof DOMException)
        return v.name + ': ' + v.message;
    if (Array.isArray(v))
        return '[' + list(v) + ']';
    if (ArrayBuffer.isView(v) && !(v instanceof DataView))
        return v.constructor.name + '[' + list(v) + ']';
    if (v instanceof Map)
        return 'Map{' + Array.from(v, ([k, x]) => show(k, depth) + ' => ' + show(x, depth)).join(', ') + '}';
    if (v instanceof Set)
        return 'Set{' + list(v) + '}';
    if (v instanceof Date)
        return 'Date ' + (isNaN(v) ? 'NaN' : v.toISOString());
    if (v instanceof RegExp)
        return String(v);
    const kind = Object.prototype.toString.call(v).slice(8, -1);
    const fields = Reflect.ownKeys(v).map((k) => String(k) + ': ' + show(v[k], depth));
    return (kind === 'Object' ? '' : kind + ' ') + '{' + fields.join(', ') + '}';
}

/** For lines that are about the text of an error: engines word theirs freely. */
globalThis.message = (f) => {
    try {
        return f(), 'nothing was thrown';
    } catch (e) {
        return e.name + ': ' + e.message;
    }
};
/** What f throws, or what the promise it gives rejects with: name and DOM code. */
globalThis.thrown = async (f) => {
    try {
        return await f(), 'nothing was thrown';
    } catch (e) {
        return e.code === undefined ? e.name : e.name + ' ' + e.code;
    }
};

(async () => {
    for (const [number, text] of batch) {
        let line;
        try {
            line = show(await (0, eval)(text));
        } catch (e) {
            line = 'throws ' + (e?.name ?? show(e));
        }
        console.log(number + '\t' + JSON.stringify(line));
    }
})();
