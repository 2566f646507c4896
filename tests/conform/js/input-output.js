// A typical agent's program: group, sum, format, print.
const orders = [
    { id: 1, customer: 'Ann', total: 120.5, items: ['pen', 'book'], at: new Date(Date.UTC(2024, 0, 5)) },
    { id: 2, customer: 'Bob', total: 80, items: ['cup'], at: new Date(Date.UTC(2024, 0, 7)) },
    { id: 3, customer: 'Ann', total: 40.25, items: [], at: new Date(Date.UTC(2024, 1, 1)) },
];
const byCustomer = orders.reduce((m, o) => m.set(o.customer, [...(m.get(o.customer) ?? []), o]), new Map());
console.log(byCustomer);
for (const [name, list] of byCustomer)
    console.log(`${name.padEnd(5)}|${list.reduce((s, o) => s + o.total, 0).toFixed(2).padStart(8)}`);
console.log(orders.map(({ id, at }) => ({ id, month: at.toISOString().slice(0, 7) })));
console.log(Object.fromEntries([...byCustomer].map(([k, v]) => [k, v.length])));
console.table(orders.map(({ id, customer, total }) => ({ id, customer, total })));
const words = 'the quick brown fox jumps over the lazy dog the end'.split(' ');
const freq = words.reduce((f, w) => ({ ...f, [w]: (f[w] || 0) + 1 }), {});
console.log(freq, Object.entries(freq).sort(([, a], [, b]) => b - a)[0]);
console.log(JSON.stringify({ mean: orders.reduce((s, o) => s + o.total, 0) / orders.length }, null, 2));
const matrix = Array.from({ length: 3 }, (_, i) => Array.from({ length: 3 }, (_, j) => i * j));
console.log(matrix, matrix.map((r) => r.join(' ')).join('\n'));
