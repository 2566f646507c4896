const big = [];
for (let i = 0; i < 1e6; i++) big.push(i & 7);
big;
