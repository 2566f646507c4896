// Delete every global and every prototype method, then return a value.
const { log } = console;
const names = Object.getOwnPropertyNames;
const remove = Reflect.deleteProperty;
const roots = [Object, Function, Array, String, Number, Boolean, Symbol, Map, Set, WeakMap, WeakSet, Date, RegExp, Promise,
    Error, TypeError, JSON, Math, Reflect, Uint8Array, ArrayBuffer, BigInt, URL, URLSearchParams, Headers];
const keep = { a: [1, 'x', new Map([[1, new Set([2])]]), new Date(0), 10n], b: { c: undefined } };
for (const root of roots) {
    for (const object of [root.prototype, root]) {
        if (object === undefined) continue;
        for (const key of names(object)) remove(object, key);
    }
}
const world = globalThis;
for (const name of names(world)) remove(world, name);
log('still prints', keep);
keep;
