(async () => { setTimeout(() => console.log('not waited for'), 10000); throw new SyntaxError('from main'); })();
