const tag = (strings, ...values) => strings.raw.join('|') + values.join('+') + strings.length;
console.log(tag`a${1}\n${2}c`, String.raw`\u0041${5}\t`, `multi
line ${'nested ' + `${1 + 1}`}`);
console.log('abc'.padEnd(5, '*'), 'ab'.repeat(3), 'a-b-c'.split('-', 2), 'Hello'.startsWith('He'), 'Hello'.endsWith('lo'), 'x'.codePointAt(), '😀'.length, [...'😀é'].length);
console.log('ß'.toUpperCase(), 'İ'.toLowerCase().length, 'ÀÉ'.toLowerCase(), '\u0041', 'a\
b', 'tab\there', 'nul\0'.length);
console.log('abc'.substring(2, 0), 'abc'.substr(-2, 1), 'abc'.slice(-2), 'abc'.charAt(5) === '', 'abc'[1], 'abc'.charCodeAt(1), String.fromCodePoint(128512, 65));
console.log('a' < 'b', 'a' < 'B', '10' < '9', 10 < '9', 'abc'.concat(1, null), '' + {} + [], `${[1, [2]]}`, '5' * '2', '5' + 2, +'5' + 2);
console.log('  x '.trimStart() + '|', 'a,b;c'.split(/[,;]/), 'x'.localeCompare('y'), 'café' === 'cafe\u0301', 'café' === 'cafe\u0301'.normalize());
console.log('aXbX'.replaceAll('X', (m, i) => i), 'abc'.search('c'), 'abcdef'.match(/cd/).index, 'test'.match(/x/), 'x'.anchor === undefined);
console.log(encodeURIComponent('😀'), 'abc'.includes('bc', 2), 'z'.codePointAt(0).toString(2), 'a\u{1F600}b'.at(1).length);
console.log(['é', 'z', 'a', 'É'].sort(), ['b10', 'b9', 'b1'].sort(), 'I\'m "quoted" `tick`');
console.log(Object.getOwnPropertyNames('ab'), 'ab'.length, Object('ab')[0], typeof Object('x'), 'x' instanceof String);
