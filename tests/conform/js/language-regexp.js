console.log('2024-01-15'.match(/(?<y>\d{4})-(?<m>\d\d)-(?<d>\d\d)/).groups.y, 'aBc'.replace(/b/i, (m) => `[${m}]`));
console.log([...'a1b22c333'.matchAll(/([a-z])(\d+)/g)].map((m) => [m[0], m[1], m[2], m.index]));
console.log('x-y_z'.split(/[-_]/), 'a,b,,c'.split(','), 'abc'.split(''), 'a1b2'.split(/(\d)/));
console.log('John Smith'.replace(/(?<f>\w+) (?<l>\w+)/, '$<l>, $<f>'), 'aaa'.replaceAll('a', 'b'), 'abc'.replace('b', '$&$&'));
const sticky = /foo/y;
sticky.lastIndex = 3;
console.log(sticky.test('barfoo'), sticky.lastIndex, /a.c/s.test('a\nc'), /^b/m.test('a\nb'));
console.log(/(?<=\$)\d+/.exec('cost $42')[0], /(?<!a)b/.test('cb'), /\u{1f600}/u.test('😀'), /\p{Lu}/u.test('É'), /\p{Script=Greek}/u.test('α'));
console.log('😀x'.match(/./gu).length, '😀'.match(/./g).length, /[^\x00-\x7F]/.test('é'), /\bword\b/.test('a word here'));
const re = /a(b)?/dg;
const m = re.exec('xab');
console.log(m.indices[0], m.indices[1], re.flags, re.source, re.global, re.hasIndices, String(/\//));
console.log(RegExp('a+', 'g').toString(), /(?:a|ab)(?:c|bcd)(?:d*)/.exec('abcd')[0], 'aBC'.search(/[A-Z]/));
try { new RegExp('('); } catch (e) { console.log(e.name); }
console.log('tel: 555-1234'.replace(/(\d+)-(\d+)/, '$2-$1'), 'x'.padStart(3, 'ab'), 'abc'.at(-1), ' t '.trim() + '|');
console.log(/[\p{L}--[a-z]]/v.test('a'), /[\p{L}--[a-z]]/v.test('A'), /^(?:\d{1,3}\.){3}\d{1,3}$/.test('192.168.1.1'));
console.log('camelCaseString'.replace(/([A-Z])/g, ' $1').toLowerCase(), 'the quick'.replace(/\b\w/g, (c) => c.toUpperCase()));
console.log('aaa'.lastIndexOf('a'), 'abcabc'.indexOf('c', 3), 'abc'.localeCompare('abd'), 'a\u0301'.normalize('NFC').length);
console.log(/a{2,3}?/.exec('aaaa')[0], /(a*)*b/.test('aaaa'), /\cJ/.test('\n'), /[\b]/.test('\b'));
