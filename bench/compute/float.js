// A Mandelbrot set, and planets in a plane.  SPDX-License-Identifier: MIT
function mandelbrot(size, limit) {
    let inside = 0;
    for (let py = 0; py < size; py++)
        for (let px = 0; px < size; px++) {
            const cx = px / size * 3 - 2, cy = py / size * 2 - 1;
            let x = 0, y = 0, n = 0;
            while (n < limit && x * x + y * y < 4) {
                const t = x * x - y * y + cx;
                y = 2 * x * y + cy;
                x = t;
                n++;
            }
            if (n === limit) inside++;
        }
    return inside;
}
function orbit(steps) {
    let x = 1, y = 0, vx = 0, vy = 1;
    for (let i = 0; i < steps; i++) {
        const r3 = Math.pow(x * x + y * y, 1.5);
        vx -= x / r3 * 0.001;
        vy -= y / r3 * 0.001;
        x += vx * 0.001;
        y += vy * 0.001;
    }
    return Math.round(Math.hypot(x, y) * 1e6);
}
function work() {
    return mandelbrot(90, 100) * 7 + orbit(60000);
}
const rounds = 2;
