// bench/figures.mjs -- clocks, medians, and where figures go (see measure.h).
// SPDX-License-Identifier: MIT
import { appendFileSync } from 'node:fs';

export function figure(name, value) {
    const file = process.env.GB_BENCH_FIGURES;
    if (file && Number.isFinite(value))
        appendFileSync(file, `${name} ${Number(value.toPrecision(6))}\n`);
}

export function part(samples, percent) {
    const sorted = samples.toSorted((a, b) => a - b);
    return sorted[Math.floor((sorted.length - 1) * percent / 100)];
}

export const median = (samples) => part(samples, 50);

export const geomean = (ratios) =>
    Math.exp(ratios.reduce((sum, r) => sum + Math.log(r), 0) / ratios.length);

/** The package, or null with the reason said: a peer may be missing. */
export async function optional(name) {
    try {
        return await import(name);
    } catch (error) {
        console.log(`  (${name} is not here: ${String(error.message).split('\n')[0]})`);
        return null;
    }
}
