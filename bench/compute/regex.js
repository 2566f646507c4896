// Regular expressions: tokens of a small language, replacing, splitting, groups.  SPDX-License-Identifier: MIT
function work() {
    const source = 'let total = 0x1f + 3.14 * rate("eur", 42); // comment\nif (a >= b && !c) { print("done"); }\n'.repeat(60);
    const token = /\s*(?:(\/\/[^\n]*)|(0x[\da-f]+|\d+(?:\.\d+)?)|("(?:[^"\\]|\\.)*")|([A-Za-z_]\w*)|(>=|&&|[-+*\/=!(){};,<]))/gy;
    const kinds = [0, 0, 0, 0, 0];
    token.lastIndex = 0;
    for (let m; (m = token.exec(source)) !== null;)
        for (let i = 1; i <= 5; i++) if (m[i] !== undefined) kinds[i - 1]++;
    const dates = source.replace(/(\d+)\.(\d+)/g, '$2,$1').split(/[;{}]\s*/).length;
    const camel = source.replace(/\b([a-z])([a-z]*)/g, (_, a, b) => a.toUpperCase() + b);
    let valid = 0;
    for (let i = 0; i < 1500; i++)
        if (/^(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(`10.${i % 300}.3.${i % 256}`)) valid++;
    return kinds.join() + ',' + dates + ',' + camel.length + ',' + valid;
}
const rounds = 20;
