// Recursion inside printing is a RangeError of the program, or a text.
let deep = {};
for (let i = 0; i < 1e5; i++) deep = { deep };
console.log(deep);
let ended = '';
try { console.dir(deep, { depth: null }); ended = 'printed'; } catch (e) { ended = e.name; }
['printed', 'RangeError', 'InternalError'].includes(ended);
