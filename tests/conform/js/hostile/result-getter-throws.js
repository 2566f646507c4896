({ items: [1, { get bad() { throw new RangeError('no'); } }] });
