({ get then() { throw new Error('no then for you'); } });
