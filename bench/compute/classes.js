// Classes: inheritance, super, getters, private fields, statics, instanceof.  SPDX-License-Identifier: MIT
class Shape {
    static count = 0;
    #name;
    constructor(name) { this.#name = name; Shape.count++; }
    get name() { return this.#name; }
    area() { return 0; }
    scale(k) { return new this.constructor(this.size * k); }
}
class Square extends Shape {
    constructor(size) { super('square'); this.size = size; }
    area() { return this.size * this.size; }
}
class Circle extends Shape {
    constructor(size) { super('circle'); this.size = size; }
    area() { return Math.floor(3.14159 * this.size ** 2); }
}
class Cube extends Square {
    area() { return super.area() * 6; }
    get volume() { return this.size ** 3; }
}
function work() {
    const kinds = [Square, Circle, Cube];
    let sum = 0;
    for (let i = 0; i < 18000; i++) {
        const s = new kinds[i % 3](i % 50), t = s.scale(2);
        sum += t.area() + t.name.length;
        if (t instanceof Square) sum -= 1;
        if (t instanceof Cube) sum += t.volume;
    }
    return sum;
}
const rounds = 3;
