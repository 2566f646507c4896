queueMicrotask(() => { throw new RangeError('in microtask'); });
new Promise(() => {});
