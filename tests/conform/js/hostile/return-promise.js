__return(new Promise((resolve) => setTimeout(resolve, 5, 'awaited')));
new Promise(() => {});
