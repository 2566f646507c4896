class Base {
    #priv = 1; static count = 0; static #hidden = 'h'; field = this.constructor.name;
    constructor() { Base.count++; }
    get priv() { return this.#priv; } set priv(v) { this.#priv = v * 2; }
    static { this.ready = true; }
    static reveal() { return Base.#hidden; }
    #method() { return 'private ' + this.#priv; }
    call() { return this.#method(); }
    has(o) { return #priv in o; }
    static async *gen() { yield 1; yield 2; }
    ['comp' + 'uted']() { return 'c'; }
}
class Derived extends Base { constructor(x) { super(); this.x = x; } call() { return 'derived ' + super.call(); } get [Symbol.toStringTag]() { return 'D'; } }
const d = new Derived(5);
d.priv = 4;
console.log(d.priv, d.call(), d.x, d.field, Base.count, Base.ready, Base.reveal(), d.has(d), d.has({}), d.computed(), String(d));
console.log(d instanceof Base, Object.getPrototypeOf(Derived) === Base, Derived.name, Derived.length, typeof Derived);
try { Derived(); } catch (e) { console.log(e.name); }
try { new (class extends null { constructor() { this.x; } })(); } catch (e) { console.log(e.name); }
class Species extends Array { static get [Symbol.species]() { return Array; } }
console.log(new Species(1, 2, 3).map((x) => x) instanceof Species, new Species(3).length);
const mixin = (B) => class extends B { mixed() { return 'm'; } };
console.log(new (mixin(Object))().mixed(), new (class { static [Symbol.hasInstance](x) { return x === 1; } }.constructor)() !== null);
class Acc { static #n = 0; static get next() { return ++Acc.#n; } accessor = 1; }
console.log(Acc.next, Acc.next, new Acc().accessor, Object.getOwnPropertyNames(Acc.prototype));
function Legacy() { if (!new.target) return new Legacy(); this.ok = true; }
console.log(Legacy().ok, Reflect.construct(Legacy, [], Derived) instanceof Derived);
class Err extends TypeError { constructor(m) { super(m); this.name = this.constructor.name; } }
console.log(new Err('m') instanceof TypeError, String(new Err('m')));
