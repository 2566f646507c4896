// Timer objects give nothing away and survive tampering.
const t = setTimeout(() => {}, 1);
const fake = Object.create(Object.getPrototypeOf(t));
let errors = 0;
for (const name of ['ref', 'unref', 'hasRef', 'refresh']) {
    try { fake[name](); } catch (e) { errors += e instanceof TypeError; }
}
try { new t.constructor(); } catch (e) { errors += e instanceof TypeError; }
({ errors, own: Reflect.ownKeys(t).length });
