// Sorting: numbers, text, records by two keys, and a hand-written quicksort.  SPDX-License-Identifier: MIT
function work() {
    let seed = 99;
    const next = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff);
    const numbers = Array.from({ length: 6000 }, next);
    const names = numbers.slice(0, 2000).map(n => 'n' + (n % 5000).toString(36));
    const rows = numbers.slice(0, 2500).map(n => ({ group: n % 17, rank: n % 1009 }));
    const quick = (a, lo, hi) => {
        while (lo < hi) {
            let p = a[(lo + hi) >> 1], i = lo, j = hi;
            while (i <= j) {
                while (a[i] < p) i++;
                while (a[j] > p) j--;
                if (i <= j) { const t = a[i]; a[i++] = a[j]; a[j--] = t; }
            }
            if (j - lo < hi - i) { quick(a, lo, j); lo = i; } else { quick(a, i, hi); hi = j; }
        }
        return a;
    };
    const s1 = numbers.slice().sort((a, b) => a - b);
    const s2 = names.slice().sort();
    const s3 = rows.slice().sort((a, b) => a.group - b.group || b.rank - a.rank);
    const s4 = quick(numbers.slice(), 0, numbers.length - 1);
    return s1[17] === s4[17] ? (s4[600] + s2[9].length + s3[40].rank) % 1000003 : -1;
}
const rounds = 6;
