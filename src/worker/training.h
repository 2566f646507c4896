/*
 * worker/training.h -- what programs usually do, in small.
 *
 * dump.c runs these in every new image and calls the pages hot that several of
 * them write. They stand for kinds of work, so each kind is there once; none
 * is the text of a benchmark.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

static const char *const training[] = {
    "1 + 1",
    "const xs = [3, 1, 2].map(x => x * 2).sort((a, b) => a - b); xs.join()",
    "class P { constructor(n) { this.n = n } get d() { return this.n * 2 } }\n"
    "const o = { p: new P(4).d, list: [1, 'two', { three: 3 }] }; o",
    "console.log('n: %d', 3, { a: [1, 2], b: 'text' }); `${1 + 1} and ${'x'.repeat(3)}`",
    "const m = new Map([['a', 1]]); for (const [k, v] of [...m]) m.set(k + k, v);\n"
    "JSON.parse(JSON.stringify({ n: [...m.keys()] }))",
    "async function f(x) { await null; return x + 1 }\n"
    "const [a, b] = await Promise.all([f(1), f(2)]); ({ a, b })",
    "try { null.x } catch (e) { 'caught ' + e.message }",
    "'2024-01-02 ok'.replace(/(\\d+)-(\\d+)/, '$2/$1').split(' ').map(s => s.trim())",
    "function add(a, b = 2, ...rest) { return a + b + rest.length }\n"
    "let total = 0; for (let i = 0; i < 10; i++) total += add(i, ...[1, 2]); total",
    "const rows = [{ k: 'x', n: 2 }, { k: 'y', n: 5 }, { k: 'x', n: 1 }];\n"
    "const by = {}; for (const { k, n } of rows) by[k] = (by[k] ?? 0) + n;\n"
    "Object.entries(by).filter(([, n]) => n > 2).reduce((s, [k, n]) => s + k + n, '')",
    "const s = new Set([1, 2]); const t = [...s].some(x => s.has(x + 1));\n"
    "Math.max(...s) + Number('4') + parseInt('5', 10) + (t ? 1 : 0)",
    "new Date(0).toISOString() + typeof Symbol.iterator + [1, [2]].flat().includes(2)",
    "export const answer = 42;\n"
    "export default { answer, list: Array.from({ length: 3 }, (_, i) => i) }",
    "function* gen() { yield 1; yield 2 } const { x, ...rest } = { x: 1, y: 2, z: 3 };\n"
    "[...gen()].concat(Object.keys(rest))",
    "const words = 'a b a'.toUpperCase().split(' ');\n"
    "console.log(words); words.slice(1).reverse().find(w => w.startsWith('B'))",
    "if (typeof input === 'undefined') return 'none'; return input.n",
};
