new Promise(() => {});
