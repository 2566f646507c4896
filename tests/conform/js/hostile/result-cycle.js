const a = { list: [] };
a.list.push({ back: a });
a;
