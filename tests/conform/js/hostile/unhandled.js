Promise.reject(new TypeError('nobody cares'));
setTimeout(() => console.log('never printed'), 50);
'value';
