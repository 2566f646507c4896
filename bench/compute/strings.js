// Text: edit distance, building, searching, char codes, run-length coding.  SPDX-License-Identifier: MIT
function distance(a, b) {
    let row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
        const next = [i];
        for (let j = 1; j <= b.length; j++)
            next[j] = a[i - 1] === b[j - 1] ? row[j - 1] : 1 + Math.min(row[j - 1], row[j], next[j - 1]);
        row = next;
    }
    return row[b.length];
}
function work() {
    let sum = 0;
    for (let i = 0; i < 15; i++) sum += distance('the quick brown fox jumps ' + i, 'a quack brawn box bumps over ' + i);
    let line = '';
    for (let i = 0; i < 8000; i++) line += String.fromCharCode(97 + i * i % 26);
    for (let i = 0; i < 800; i++) sum += line.indexOf('q' + line.substr(i, 2)) + line.slice(i, i + 30).toUpperCase().charCodeAt(3);
    let packed = '';
    for (let i = 0; i < line.length;) {
        let j = i;
        while (j < line.length && line[j] === line[i]) j++;
        packed += line[i] + (j - i);
        i = j;
    }
    const words = line.match(/.{1,7}/g).map(w => w.padEnd(9, '.').trim().split('').reverse().join(''));
    return sum + packed.length + words.join(' ').length;
}
const rounds = 2;
