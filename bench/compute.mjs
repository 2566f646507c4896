// bench/compute.mjs -- the same programs in several engines  (SPDX-License-Identifier: MIT)
//
//   node bench/compute.mjs                all of bench/compute in all engines
//   node bench/compute.mjs --one ENGINE FILE    one of them, in this process
//
// Each program defines work() and rounds. It is run in a process of its own,
// warmed up, and timed inside the engine with performance.now(); the figure is
// the least of several repeats. The engines take turns, twice, so that a busy
// moment of the machine does not hit one of them alone.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { figure, geomean } from './figures.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const out = process.env.GB_BENCH_OUT ?? 'build/bench';
const image = process.env.GB_BENCH_IMAGE ?? 'build/release/base.image';
const self = fileURLToPath(import.meta.url);
const REPEATS = 5;
const WARM_UP = 3;
const TURNS = 2;

// The value is [best milliseconds, checksum], as JSON where it must be text.
const driver = `
;(function () {
    var best = Infinity, value;
    for (var i = -${WARM_UP}; i < ${REPEATS}; i++) {
        var t = performance.now();
        for (var r = 0; r < rounds; r++) value = work();
        if (i >= 0) best = Math.min(best, performance.now() - t);
    }
    return JSON.stringify([best, String(value)]);
})()`;

const inside = {
    'node': (source) => vm.runInThisContext(source),
    'quickjs-wasi': async (source) => {
        const { QuickJS } = await import('quickjs-wasi');
        const wasm = readFileSync(fileURLToPath(import.meta.resolve('quickjs-wasi/quickjs.wasm')));
        const js = await QuickJS.create({ wasm });
        const now = js.newFunction('now', () => js.newNumber(performance.now()));
        js.setProp(js.global, 'hostNow', now);
        return js.evalCode('globalThis.performance = { now: hostNow };' + source).toString();
    },
    'quickjs-emscripten': async (source) => {
        const { getQuickJS } = await import('quickjs-emscripten');
        const js = (await getQuickJS()).newContext();
        const now = js.newFunction('now', () => js.newNumber(performance.now()));
        js.setProp(js.global, 'hostNow', now);
        const result = js.evalCode('globalThis.performance = { now: hostNow };' + source);
        return js.getString(js.unwrapResult(result));
    },
};

const engines = [
    { name: 'glovebox', run: (file) => [`${out}/compute`, image, file] },
    { name: 'quickjs-wasi', run: (file) => [process.execPath, self, '--one', 'quickjs-wasi', file] },
    { name: 'quickjs-emscripten', run: (file) => [process.execPath, self, '--one', 'quickjs-emscripten', file] },
    { name: 'node', run: (file) => [process.execPath, self, '--one', 'node', file] },
    { name: 'node --jitless',
      run: (file) => [process.execPath, '--jitless', '--no-warnings', self, '--one', 'node', file] },
];

function measure(engine, file) {
    const [command, ...args] = engine.run(file);
    let value = JSON.parse(execFileSync(command, args, { encoding: 'utf8', stdio: 'pipe' }));
    if (typeof value === 'string')
        value = JSON.parse(value);
    return { ms: value[0], checksum: value[1] };
}

function compare(name) {
    const file = `${out}/compute-programs/${name}.js`;
    writeFileSync(file, readFileSync(`${here}compute/${name}.js`, 'utf8') + driver);
    const best = {};
    let checksum;
    for (let turn = 0; turn < TURNS; turn++)
        for (const engine of engines) {
            const got = measure(engine, file);
            checksum ??= got.checksum;
            if (got.checksum !== checksum)
                throw new Error(`${name}: ${engine.name} computed ${got.checksum}, not ${checksum}`);
            best[engine.name] = Math.min(best[engine.name] ?? Infinity, got.ms);
        }
    return best;
}

function all() {
    mkdirSync(`${out}/compute-programs`, { recursive: true });
    const ratios = Object.fromEntries(engines.map((e) => [e.name, []]));
    console.log('compute: ms by program, least of several (lower is better)');
    console.log('  ' + ['program'.padEnd(12), ...engines.map((e) => e.name.padStart(19))].join(''));
    for (const entry of readdirSync(`${here}compute`).sort()) {
        const name = entry.replace(/\.js$/, '');
        const best = compare(name);
        console.log('  ' + name.padEnd(12) + engines.map((e) => best[e.name].toFixed(1).padStart(19)).join(''));
        for (const e of engines) {
            ratios[e.name].push(best[e.name] / best.glovebox);
            figure(`compute.${name}.${e.name.replaceAll(/\W+/g, '_')}_ms`, best[e.name]);
        }
    }
    console.log('  ' + 'time / ours'.padEnd(12) +
        engines.map((e) => `${geomean(ratios[e.name]).toFixed(2)}x`.padStart(19)).join('') + '   (geometric mean)');
    for (const e of engines) {
        const key = e.name.replaceAll(/\W+/g, '_');
        figure(`compute.ratio.${key}`, geomean(ratios[e.name]));
        figure(`compute.ratio_least.${key}`, Math.min(...ratios[e.name]));
        figure(`compute.ratio_most.${key}`, Math.max(...ratios[e.name]));
    }
}

if (process.argv[2] === '--one')
    console.log(await inside[process.argv[3]](readFileSync(process.argv[4], 'utf8')));
else
    all();
