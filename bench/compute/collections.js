// Map, Set and WeakMap: a graph search, an LRU cache, an inverted index.  SPDX-License-Identifier: MIT
function work() {
    const graph = new Map();
    for (let i = 0; i < 3000; i++) graph.set(i, [(i * 7 + 1) % 3000, (i * 13 + 5) % 3000, (i + 1) % 3000]);
    const seen = new Set([0]), queue = [0];
    for (let i = 0; i < queue.length; i++)
        for (const n of graph.get(queue[i])) if (!seen.has(n)) { seen.add(n); queue.push(n); }
    const lru = new Map();
    let hits = 0;
    for (let i = 0; i < 40000; i++) {
        const key = (i * i) % 211;
        if (lru.has(key)) { hits++; lru.delete(key); } else if (lru.size >= 100) lru.delete(lru.keys().next().value);
        lru.set(key, i);
    }
    const index = new Map(), meta = new WeakMap();
    for (let d = 0; d < 400; d++) {
        const doc = { d };
        meta.set(doc, d);
        for (const w of ['alpha', 'beta', 'gamma', 'w' + d % 50]) {
            if (!index.has(w)) index.set(w, new Set());
            index.get(w).add(doc);
        }
    }
    let sum = 0;
    for (const [, docs] of index) for (const doc of docs) sum += meta.get(doc);
    return seen.size + hits + sum;
}
const rounds = 1;
