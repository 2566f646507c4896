({ then(resolve, reject) { reject(undefined); } });
