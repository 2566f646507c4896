const p = Promise.reject(new Error('handled in the same turn'));
Promise.resolve().then(() => p.catch(() => {}));
'fine';
