let deep = [];
for (let i = 0; i < 1e5; i++) deep = [deep];
deep;
