const u = new URL('https://user:pa%20ss@example.com:8080/a/./b/../c?x=1&y=a%20b#frag');
console.log(u.href, u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash);
console.log(String(u), JSON.stringify({ u }), u.toString() === u.href);
console.log(u);
u.searchParams.append('z', 'ä&b');
console.log(u.search);
u.searchParams.delete('x');
u.searchParams.set('y', '2');
console.log(u.href);
u.search = '?fresh=1';
console.log(u.searchParams.get('fresh'), u.searchParams === u.searchParams, [...u.searchParams]);
u.hash = '';
u.port = '443';
u.pathname = '/new path';
u.hostname = 'EXAMPLE.org';
console.log(u.href);
console.log(new URL('../x?y#z', 'http://h/a/b/c').href, new URL('//other/p', 'https://h').href);
console.log(new URL('http://münchen.de/ä').href, new URL('file:///C:/a/../b').href, new URL('data:text/plain,hi').pathname);
for (const bad of ['', 'nope', 'http://', 'http://a b/', 'http://[::1', '//x']) {
    try { console.log(new URL(bad).href); } catch (e) { console.log(e.name, e instanceof TypeError, e.message); }
}
console.log(URL.canParse('http://x'), URL.canParse('x'), URL.canParse('x', 'http://y'));
console.log(new URL('http://[::1]:80/').host, new URL('http://0x7f.1/').hostname, new URL('HTTP://EXAMPLE.COM:80').href);
const p = new URLSearchParams('a=1&b=2&a=3&empty=&noval&sp=a+b%20c');
console.log(p.get('a'), p.getAll('a'), p.get('missing'), p.has('b'), p.has('a', '3'), p.has('a', '9'), p.size);
console.log(p.toString(), [...p.keys()], [...p.values()], [...p.entries()].length);
p.sort();
console.log(p.toString());
p.delete('a', '1');
console.log(p.toString());
p.forEach((v, k) => console.log(k, v));
console.log(new URLSearchParams({ q: 'x y', n: 1 }).toString(), new URLSearchParams([['a', 'b'], ['c', 'd']]).toString());
console.log(new URLSearchParams(new Map([['m', 'v']])).toString(), new URLSearchParams('?lead=1').toString());
console.log(new URLSearchParams('a=1'), new URLSearchParams());
console.log(Object.prototype.toString.call(u), Object.prototype.toString.call(p));
