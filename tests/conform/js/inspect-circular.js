// Cycles and shared references.
const a = { name: 'a' };
a.self = a;
console.log(a);
const b = { x: { y: {} } };
b.x.y.top = b;
b.x.y.mid = b.x;
console.log(b);
const list = [1];
list.push(list);
console.log(list);
const map = new Map();
map.set('me', map);
map.set(map, 1);
console.log(map);
const set = new Set();
set.add(set);
console.log(set);
const shared = { s: 1 };
console.log({ one: shared, two: shared });
class Node2 { constructor(v) { this.value = v; this.next = null; } }
const n1 = new Node2(1), n2 = new Node2(2);
n1.next = n2; n2.next = n1;
console.log(n1);
console.log([a, a]);
const fn = function f() {};
fn.me = fn;
console.log(fn);
