// tests/conform/node/path-url.mjs -- paths, URLs and query strings  (SPDX-License-Identifier: MIT)
import path from 'node:path';
import querystring from 'node:querystring';
import url from 'node:url';

console.log(path.join('/a', '..', 'b', './c'), path.resolve('/x', '..', 'y'), path.relative('/a/b', '/a/c/d'));
console.log(path.parse('/home/user/file.tar.gz'), path.format({ dir: '/d', base: 'f.txt' }), path.isAbsolute('x'));
console.log(path.win32.join('C:\\a', '..', 'b'), path.posix.sep, path.extname('.hidden'), path.normalize('/a//b/../c/'));
const u = new URL('https://user:pw@example.com:8080/p/a/t/h?query=string&a=1#hash');
console.log(u, u.searchParams.get('a'), u.origin);
u.searchParams.append('b', 'ü &');
u.hash = '';
console.log(u.href, URL.canParse('nope'), url.fileURLToPath('file:///a%20b'), url.pathToFileURL('/a b#c').href);
console.log(url.format({ protocol: 'http', host: 'x.y', pathname: '/z' }), url.domainToASCII('español.com'));
console.log(querystring.parse('a=1&b=2&a=3&c=%20'), querystring.stringify({ x: [1, 2], y: 'ä' }));
try {
    new URL('http://[bad');
} catch (error) {
    console.log(error.name, error.code, error.input);
}
