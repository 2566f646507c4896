// Objects of one shape, read and written by name; a linked list; computed keys.  SPDX-License-Identifier: MIT
function work() {
    const particles = [];
    for (let i = 0; i < 400; i++)
        particles.push({ id: i, x: i, y: -i, dx: 1, dy: 2, hits: 0, next: null });
    for (let i = 1; i < 400; i++) particles[i - 1].next = particles[i];
    for (let round = 0; round < 500; round++)
        for (let p = particles[0]; p; p = p.next) {
            p.x += p.dx;
            p.y += p.dy;
            if (p.x > 300) { p.x -= 300; p.hits++; }
            if (p.y > 300) { p.y -= 300; p.hits++; }
        }
    const bag = {};
    for (let i = 0; i < 60000; i++) {
        const key = 'k' + (i % 97);
        bag[key] = (bag[key] || 0) + i;
    }
    let sum = 0;
    for (const p of particles) sum += p.hits;
    for (const k in bag) sum += bag[k] % 13;
    return sum;
}
const rounds = 2;
