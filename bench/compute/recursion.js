// Ackermann and the Towers of Hanoi: calls, and little else.  SPDX-License-Identifier: MIT
function ackermann(m, n) {
    if (m === 0) return n + 1;
    return n === 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
function hanoi(n, from, to, by) {
    return n === 0 ? 0 : hanoi(n - 1, from, by, to) + 1 + hanoi(n - 1, by, to, from);
}
function work() {
    return ackermann(2, 180) + hanoi(17, 'a', 'b', 'c');
}
const rounds = 5;
