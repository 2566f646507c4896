// Every read makes a fresh, deeper object: only the depth cap ends it.
const make = () => ({ get next() { return make(); } });
make();
