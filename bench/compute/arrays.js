// Arrays of numbers and of arrays: push, shift, slice, fill, flat, two dimensions.  SPDX-License-Identifier: MIT
function work() {
    const n = 60, dp = Array.from({ length: n + 1 }, () => new Array(n + 1).fill(0));
    let checksum = 0;
    for (let round = 0; round < 12; round++) {
        for (let i = 1; i <= n; i++)
            for (let j = 1; j <= n; j++)
                dp[i][j] = (i * 7 + round) % 5 === (j * 3) % 5
                    ? dp[i - 1][j - 1] + 1 : Math.max(dp[i - 1][j], dp[i][j - 1]);
        checksum += dp[n][n];
    }
    const queue = [];
    for (let i = 0; i < 30000; i++) {
        queue.push(i, i + 1);
        if (queue.length > 64) checksum += queue.shift() + queue.pop();
    }
    for (let i = 0; i < 1500; i++)
        checksum += queue.slice(0, 40).concat([i]).reverse().indexOf(i);
    const chunks = [];
    for (let i = 0; i < queue.length; i += 16) chunks.push(queue.slice(i, i + 16));
    for (let i = 0; i < 6; i++)
        checksum += chunks.flat().filter(x => x % 3 === i % 3).map(x => x + i).reduce((a, b) => (a + b) % 9973, 0);
    return checksum;
}
const rounds = 4;
