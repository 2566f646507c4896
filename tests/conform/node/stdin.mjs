// tests/conform/node/stdin.mjs -- standard input to its end  (SPDX-License-Identifier: MIT)
import readline from 'node:readline';

const lines = [];
for await (const line of readline.createInterface({ input: process.stdin }))
    lines.push(line);
console.log(lines.length, lines);
console.log(process.stdin.readableEnded, process.stdin.fd);
