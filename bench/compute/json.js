// A document of invoices: build, print, parse, change, print again.  SPDX-License-Identifier: MIT
function work() {
    const invoices = [];
    for (let i = 0; i < 600; i++)
        invoices.push({ number: 'INV-' + i, paid: i % 3 === 0, due: null, amount: i * 1.25,
            buyer: { name: 'Buyer "' + (i % 40) + '"', street: 'Straße ' + i, tags: ['a', 'b\n', 'c'] },
            lines: [{ sku: i, qty: 2 }, { sku: i + 1, qty: 3.5 }] });
    let size = 0;
    for (let round = 0; round < 6; round++) {
        const text = JSON.stringify({ round, invoices });
        const back = JSON.parse(text);
        back.invoices[round].paid = !back.invoices[round].paid;
        size += text.length + JSON.stringify(back.invoices.slice(0, 50), null, 2).length;
    }
    return size;
}
const rounds = 2;
