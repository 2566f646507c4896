let deep = 1;
for (let i = 0; i < 900; i++) deep = { d: deep };
deep;
