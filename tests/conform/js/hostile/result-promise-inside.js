({ p: new Promise(() => {}) });
