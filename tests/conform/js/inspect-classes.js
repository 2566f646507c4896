// Instances, constructors, prototypes, tags.
class Empty {}
class Point { constructor(x, y) { this.x = x; this.y = y; } }
class Point3 extends Point { #secret = 1; constructor(x, y, z) { super(x, y); this.z = z; } }
console.log(new Empty(), new Point(1, 2), new Point3(1, 2, 3));
console.log(Empty, Point3, class {}, class extends Point {}, class extends null {});
console.log([Empty, Point]);
class Static { static a = 1; static b() {} }
console.log(Static);
function Old() { this.a = 1; }
console.log(new Old(), Old);
Old.prototype.method = function () {};
console.log(new Old());
console.log(Object.create(Point.prototype));
console.log(Object.create({ a: 1 }));
console.log(Object.create(new Point(1, 2)));
console.log(Object.setPrototypeOf({ a: 1 }, null));
console.log(Object.setPrototypeOf([1], null));
class Tagged { get [Symbol.toStringTag]() { return 'Custom'; } }
console.log(new Tagged(), { [Symbol.toStringTag]: 'Own' });
console.log(Object.defineProperty({}, Symbol.toStringTag, { value: 'Hidden' }));
class Custom { [Symbol.for('nodejs.util.inspect.custom')](depth, options) { return `<custom ${depth} ${typeof options.stylize}>`; } }
console.log(new Custom(), { inner: new Custom() }, [[new Custom()]]);
class CustomObject { [Symbol.for('nodejs.util.inspect.custom')]() { return { replaced: true }; } }
console.log(new CustomObject());
class CustomLines { [Symbol.for('nodejs.util.inspect.custom')]() { return 'a\nb'; } }
console.log({ x: { y: new CustomLines() } });
console.log(Point.prototype, Object.prototype, Function.prototype);
const fn = function () {};
fn.prop = 1;
console.log(fn);
const named = () => {};
Object.defineProperty(named, 'name', { value: '' });
console.log(named);
console.log(Object.assign(class Foo {}, { x: 1 }));
console.log(new (class Anonymous extends Map {})([[1, 2]]));
console.log(Math.max, parseInt, Symbol, Map.prototype.get);
console.log((function () { return arguments; })(1, 'a'));
console.log(new Proxy({ a: 1 }, {}), new Proxy([1, 2], {}), new Proxy(function f() {}, {}));
console.log(new Proxy({ a: 1 }, { get() { throw new Error('trap'); }, ownKeys() { throw new Error('trap'); } }));
