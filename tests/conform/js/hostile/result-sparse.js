const a = [];
a.length = 4e9;
a;
