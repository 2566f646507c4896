// guest/node/zygote.cjs -- a Node.js that is warmed, then forked for every run  (SPDX-License-Identifier: MIT)
//
// Started as `node --v8-pool-size=1 --experimental-vm-modules ... zygote.cjs`
// with glovebox-node.so preloaded. Everything that runs will need is loaded and
// used once; then the process waits in native code for requests to fork. No
// code of a guest ever runs here.
//
//   GLOVEBOX_PRELOAD    names of packages to load, as a JSON list
//   GLOVEBOX_PACKAGES   where they lie; the jail shows them as /node_modules too
'use strict';

const { load, native: loadNative } = require('./boot.cjs');

const preload = JSON.parse(process.env.GLOVEBOX_PRELOAD || '[]');
const random = load('random');
random.holdBack();

// Warnings about the features this file uses are not the guest's.
const warningListeners = process.listeners('warning');
process.removeAllListeners('warning');

const { assume, scrub } = load('identity');
scrub();
const native = loadNative();
const fs = require('fs');
const v8 = require('v8');
// Code that has been compiled once is what a fork is for: V8 must not drop it
// as stale.
v8.setFlagsFromString('--no-flush-bytecode');
const vm = require('vm');
const modules = load('modules');
const words = load('words');
const { begin, runOf } = load('begin');
const { rehearse: dryExit } = load('exit');
const { start } = load('run');
const { strip } = load('ts');

const HERE = 'file:///workspace/';
// Rarely imported, and costly or odd to load: left to those who do.
const unwanted = /^(?:inspector|repl|trace_events|wasi|test|cluster|sys|punycode|domain|sqlite|sea|quic|node:)/;

/** A package in both of its shapes: for import and for require. */
async function loadPackage(name) {
    try {
        await modules.prepare(name, HERE);
    } catch (error) {
        process.stderr.write(`glovebox: preloading ${name}: ${error.message}\n`);
        return;
    }
    try {
        require('module').createRequire('/workspace/main.js')(name);
    } catch {
        // an ES module only
    }
}

const rehearsals = [
    { name: 'main.js', source: '[1, 2].map((x) => x + 1).join()' },
    { name: 'main.cjs', source: 'const os = require("os");\nconst a = [os.EOL];\nmodule.exports = { a };' },
    { name: 'main.js', source: 'const x = await Promise.resolve({ a: [1, "b"] });\nx' },
    { name: 'main.mjs', source: 'import fs from "node:fs"; import { join } from "path";\n' +
        'const x = await Promise.resolve(1);\nexport const y = { x };\njoin("a", "b")' },
];

/** Run a small program of every form, all the way to its text. */
async function rehearse(times) {
    for (let i = 0; i < times; i++) {
        const { name, source } = rehearsals[i % rehearsals.length];
        const run = runOf(`${source} // ${i}`, { name });
        assume({}, run.program.file, process.pid);
        start(run);
        while (run.waiting)
            await new Promise(setImmediate);
        dryExit(run, { display: true });
        const { file } = run.program;
        modules.forget('file://' + file);
        delete require('module')._cache[file];
    }
    process.mainModule = undefined;
}

/** Things that initialise themselves at first use. */
async function touch() {
    await (await fetch('data:,x')).text();
    await import('data:text/javascript,export default 1');
    await fs.promises.stat('/');
    strip('const x: number = 1; enum E { A }', 'main.ts');
    require('util').inspect(new Map([[{ a: 1 }, new Error('x')]]), { colors: true });
    // If they are pipes here, as they are in a run, the same kind of stream fits.
    if (fs.fstatSync(1).isFIFO())
        process.stdout.write('');
    if (fs.fstatSync(2).isFIFO())
        process.stderr.write('');
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** What is garbage now would be copied by every fork. */
async function tidy() {
    v8.setFlagsFromString('--expose-gc');
    const gc = vm.runInNewContext('gc');
    v8.setFlagsFromString('--no-expose-gc');
    for (let i = 0; i < 3; i++) {
        gc();
        await pause(20);
    }
    gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    await pause(20);
}

async function warm() {
    words.install();
    load('workers').install();
    await modules.prepareBuiltins(unwanted);
    for (const name of preload)
        await loadPackage(name);
    random.release();
    await touch();
    await rehearse(32);
    await tidy();
}

function serve() {
    for (const listener of warningListeners)
        process.on('warning', listener);
    native.compact();
    inFork(native.serve(process.version));
}

function inFork({ pid, seed, spare }) {
    random.begin(seed);
    if (spare)
        rehearse(rehearsals.length).then(() => setImmediate(take, pid));
    else
        take(pid);
}

function take(pid) {
    begin(native, pid, (settings) => {
        if (settings.seed !== undefined)
            random.seedWith(settings.seed);
        words.obey(native, settings.permissions);
    });
}

// Forking loses events that were signalled but not seen: let the loop come to
// rest, and fork from a turn of its own.
warm().then(() => setImmediate(serve));
