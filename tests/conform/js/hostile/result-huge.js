const s = 'x'.repeat(1 << 20);
Array.from({ length: 1000 }, () => s);
