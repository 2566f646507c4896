Promise.reject('just text');
new Promise(() => {});
