// Immediates: after microtasks, in order, with clears and nesting.
const order = [];
setTimeout(() => {
    setImmediate(() => { order.push('i1'); Promise.resolve().then(() => order.push('i1 micro')); });
    setImmediate((a, b) => order.push('i2 ' + a + b), 'x', 'y');
    const gone = setImmediate(() => order.push('never'));
    clearImmediate(gone);
    setImmediate(() => setImmediate(() => { order.push('nested'); console.log(order.join(', ')); }));
    queueMicrotask(() => order.push('micro'));
    order.push('sync');
}, 1);
