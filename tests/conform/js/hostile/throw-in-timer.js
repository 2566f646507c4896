setTimeout(() => { throw new RangeError('in timer'); }, 1);
'value';
