({ toJSON() { return 'called'; }, a: 1 }.a, { n: { toJSON: 5, b: 2 } });
