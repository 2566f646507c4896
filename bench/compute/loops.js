// Integers in nested loops: a sieve without an array, and bit counting.  SPDX-License-Identifier: MIT
function work() {
    let primes = 0, bits = 0;
    for (let n = 2; n < 9000; n++) {
        let d = 2;
        while (d * d <= n && n % d !== 0) d++;
        if (d * d > n) primes++;
    }
    for (let i = 0; i < 60000; i++)
        for (let v = i; v; v &= v - 1) bits = (bits + 1) | 0;
    return primes * 1000003 + bits;
}
const rounds = 2;
