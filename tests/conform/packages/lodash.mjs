import _ from 'lodash';
import chunk from 'lodash/chunk.js';
console.log(_.groupBy([6.1, 4.2, 6.3], Math.floor), chunk([1, 2, 3, 4, 5], 2));
console.log(_.merge({ a: [{ b: 2 }] }, { a: [{ c: 3 }] }), _.camelCase('Foo Bar'), _.VERSION.split('.')[0]);
