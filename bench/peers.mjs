// bench/peers.mjs -- a fresh sandbox, a tiny program, its value: us and others
// (SPDX-License-Identifier: MIT)
//
//   node bench/peers.mjs
//
// Every peer makes whatever its own words for "fresh" are, evaluates the same
// program, takes the value out and disposes of what it made. Wall time, median;
// our own figure is measured before and after the peers in the same run, by
// bench/latency.c, and the mean of the two is used. What each peer is and is
// not a boundary against stands in the table, because the numbers alone
// compare unlike things.

import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { Worker } from 'node:worker_threads';
import { figure, median, optional, part } from './figures.mjs';

const out = process.env.GB_BENCH_OUT ?? 'build/bench';
const glovebox = process.env.GB_BENCH_GLOVEBOX ?? 'build/release/glovebox';
const image = process.env.GB_BENCH_IMAGE ?? 'build/release/base.image';
const PROGRAM = '[4,5,6].map(x => x * 10).join()';
const VALUE = '40,50,60';
const LIMIT_MS = 100;
const require = createRequire(import.meta.url);

const peers = [];
const peer = (name, runs, boundary, make) => peers.push({ name, runs, boundary, make });

peer('isolated-vm, new isolate', 200, 'V8 isolate', async () => {
    const { default: ivm } = await optional('isolated-vm') ?? {};
    return ivm && (() => {
        const isolate = new ivm.Isolate({ memoryLimit: 128 });
        const value = isolate.compileScriptSync(PROGRAM).runSync(isolate.createContextSync());
        isolate.dispose();
        return value;
    });
});

peer('isolated-vm, new context only', 200, 'none between runs', async () => {
    const { default: ivm } = await optional('isolated-vm') ?? {};
    if (!ivm)
        return null;
    const isolate = new ivm.Isolate({ memoryLimit: 128 });
    return () => {
        const context = isolate.createContextSync();
        const value = isolate.compileScriptSync(PROGRAM).runSync(context);
        context.release();
        return value;
    };
});

peer('quickjs-emscripten, new runtime', 200, 'wasm memory, shared by all', async () => {
    const { getQuickJS } = await optional('quickjs-emscripten') ?? {};
    const js = getQuickJS && await getQuickJS();
    return js && (() => {
        const runtime = js.newRuntime(), context = runtime.newContext();
        const handle = context.unwrapResult(context.evalCode(PROGRAM));
        const value = context.getString(handle);
        handle.dispose();
        context.dispose();
        runtime.dispose();
        return value;
    });
});

peer('quickjs-emscripten, new context', 200, 'none between runs', async () => {
    const { getQuickJS } = await optional('quickjs-emscripten') ?? {};
    const js = getQuickJS && await getQuickJS();
    const runtime = js && js.newRuntime();
    return js && (() => {
        const context = runtime.newContext();
        const handle = context.unwrapResult(context.evalCode(PROGRAM));
        const value = context.getString(handle);
        handle.dispose();
        context.dispose();
        return value;
    });
});

async function quickjsWasi() {
    const { QuickJS } = await import('quickjs-wasi');
    const bytes = readFileSync(fileURLToPath(import.meta.resolve('quickjs-wasi/quickjs.wasm')));
    return { QuickJS, wasm: await WebAssembly.compile(bytes) };
}

peer('quickjs-wasi in node, create', 100, 'wasm memory', async () => {
    const { QuickJS, wasm } = await quickjsWasi();
    return async () => {
        const js = await QuickJS.create({ wasm });
        const value = js.evalCode(PROGRAM).toString();
        js.dispose();
        return value;
    };
});

peer('quickjs-wasi in node, restore a snapshot', 100, 'wasm memory', async () => {
    const { QuickJS, wasm } = await quickjsWasi();
    const snapshot = (await QuickJS.create({ wasm })).snapshot();
    return async () => {
        const js = await QuickJS.restore(snapshot, { wasm });
        const value = js.evalCode(PROGRAM).toString();
        js.dispose();
        return value;
    };
});

peer('node:vm, new context', 200, 'none', () =>
    () => vm.runInContext(PROGRAM, vm.createContext({})));

peer('worker_threads, new worker', 40, 'none', () => () => new Promise((done, failed) => {
    const text = `require('node:worker_threads').parentPort.postMessage(${PROGRAM})`;
    const worker = new Worker(text, { eval: true });
    worker.once('message', (value) => worker.terminate().then(() => done(value)));
    worker.once('error', failed);
}));

peer('node -e, new process', 20, 'none (a process)', () => () =>
    spawnSync(process.execPath, ['-p', PROGRAM], { encoding: 'utf8' }).stdout.trim());

async function measure({ name, runs, make }) {
    const once = await make();
    if (!once)
        return null;
    const samples = [];
    for (let i = -Math.ceil(runs / 10); i < runs; i++) {
        const began = performance.now();
        const value = await once();
        if (i >= 0)
            samples.push((performance.now() - began) * 1e3);
        if (value !== VALUE)
            throw new Error(`${name} gave ${value}`);
    }
    return samples;
}

function ours() {
    const text = execFileSync(`${out}/latency`, ['--json', image], { encoding: 'utf8' });
    return JSON.parse(text);
}

/** How late isolated-vm ends a loop, on our 100 ms. */
async function lateness() {
    let ivm;
    try {
        ivm = require('isolated-vm');
    } catch {
        return;
    }
    for (const [name, source] of [['loop', 'for (;;);'], ['regex', "/^(a+)+$/.test('a'.repeat(40) + 'b')"]]) {
        const late = [];
        for (let i = 0; i < 20; i++) {
            const isolate = new ivm.Isolate({ memoryLimit: 128 });
            const script = isolate.compileScriptSync(source), context = isolate.createContextSync();
            const began = performance.now();
            try {
                script.runSync(context, { timeout: LIMIT_MS });
            } catch {
                late.push(performance.now() - began - LIMIT_MS);
            }
            isolate.dispose();
        }
        console.log(`  isolated-vm, ${name}: late by p50 ${median(late).toFixed(2)} ms, ` +
            `max ${Math.max(...late).toFixed(2)} ms`);
        figure(`peers.lateness.isolated_vm_${name}.p50_ms`, median(late));
        figure(`peers.lateness.isolated_vm_${name}.max_ms`, Math.max(...late));
    }
}

/** The same through supervisor, socket and sealed worker. */
function oursSealed() {
    const { stderr } = spawnSync(glovebox, ['run', '-q', '-e', PROGRAM, '--repeat', '3000'], { encoding: 'utf8' });
    return Number(/p50 ([\d.]+)/.exec(stderr)?.[1]);
}

const before = ours();
const sealed = oursSealed();
const got = [];
for (const p of peers)
    got.push({ ...p, samples: await measure(p) });
const after = ours();
const us = (before.p50_us + after.p50_us) / 2;

console.log(`a fresh sandbox, \`${PROGRAM}\`, its value; median wall time`);
console.log(`  ${'glovebox, fresh cell in process'.padEnd(42)} ${us.toFixed(1).padStart(9)} us` +
    `          p99 ${Math.max(before.p99_us, after.p99_us).toFixed(0).padStart(7)}   linear memory`);
console.log(`  ${'glovebox, through its sealed worker'.padEnd(42)} ` +
    `${sealed.toFixed(1).padStart(9)} us ${(sealed / us).toFixed(1).padStart(6)}x` +
    `                linear memory, sealed process`);
figure('peers.glovebox_sealed.p50_us', sealed);
figure('peers.glovebox.p50_us', us);
for (const { name, boundary, samples } of got.filter((g) => g.samples)) {
    const p50 = median(samples), key = name.replaceAll(/\W+/g, '_');
    console.log(`  ${name.padEnd(42)} ${p50.toFixed(1).padStart(9)} us ${(p50 / us).toFixed(0).padStart(6)}x` +
        `  p99 ${part(samples, 99).toFixed(0).padStart(7)}   ${boundary}`);
    figure(`peers.${key}.p50_us`, p50);
    figure(`peers.${key}.ratio`, p50 / us);
}
console.log(`lateness at ${LIMIT_MS} ms`);
await lateness();
process.exit(0);
