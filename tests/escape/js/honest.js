// tests/escape/js/honest.js -- what a run finds, as one number  (SPDX-License-Identifier: MIT)
//
// Walks everything reachable from globalThis without calling a getter, then
// uses a bit of everything. Run between hostile programs: the answer must be
// the same every time, and nobody's leftovers may be in it.

const seen = new Set();
let hash = 0x811c9dc5, nodes = 0;
function mix(text) {
    for (let i = 0; i < text.length; i++)
        hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
}
function walk(value, path) {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function')) {
        mix(path + typeof value + (typeof value === 'symbol' ? value.toString() : String(value)));
        return;
    }
    if (seen.has(value))
        return;
    seen.add(value);
    nodes++;
    mix(path + (Object.isFrozen(value) ? 'f' : '') + (Object.isExtensible(value) ? 'e' : ''));
    for (const key of Reflect.ownKeys(value)) {
        const d = Object.getOwnPropertyDescriptor(value, key);
        const at = path + '.' + String(key);
        mix(at + d.writable + d.enumerable + d.configurable);
        if (own.has(key) && value === globalThis)
            continue;
        if ('value' in d)
            walk(d.value, at);
        else
            walk(d.get, at + ' get'), walk(d.set, at + ' set');
    }
    walk(Object.getPrototypeOf(value), path + '.[[Prototype]]');
}
const own = new Set(['seen', 'hash', 'nodes', 'mix', 'walk', 'own', 'uses']);
walk(globalThis, 'globalThis');

const uses = [
    [3, 1, 2].sort().join(), JSON.stringify({ a: [1, { b: 2 }] }), 'aXbX'.replaceAll('X', '-'),
    new Map([[1, 2]]).get(1), 2n ** 70n + '', new URL('http://a.example/?q=1').searchParams.get('q'),
    new TextDecoder().decode(new TextEncoder().encode('\u20ac')), structuredClone({ x: [1] }).x[0],
    Symbol.for('canary-symbol').description, typeof globalThis.canary, [][0], ({}).polluted,
    await new Promise((r) => setTimeout(r, 0, 'timer')), (await import('nothing').catch((e) => e.name)),
    new Date(0).toISOString(), /(\d+)/.exec('a12')[1], new Error('e').message,
];
console.log('honest');
({ nodes, hash, uses: uses.map(String).join('|') })
