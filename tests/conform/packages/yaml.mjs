import YAML from 'yaml';
console.log(YAML.parse('a: [1, two, 3.5]\nb:\n  - x: &k yes\n  - *k\n'), YAML.stringify({ list: [1, { a: null }], text: 'x: y' }));
