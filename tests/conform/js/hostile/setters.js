// Setters on the root prototypes must see no value of the runtime.
let caught = 0;
const trap = { __proto__: null, set() { caught++; }, get() { return undefined; }, configurable: true };
for (const key of ['0', '1', '2', '3', 'value', 'key', 'name', 'state', 'promise', 'resolve', 'callback', 'record', 'style', 'indent'])
    { Object.defineProperty(Array.prototype, key, trap); Object.defineProperty(Object.prototype, key, trap); }
console.log('%s %o', 'x', { deep: 1 });
console.table([[1]]);
setTimeout(() => {}, 1);
__return({ get caught() { return caught; } });
