// guest/node/begin.cjs -- a run takes its program and starts it  (SPDX-License-Identifier: MIT)
'use strict';

const identity = load('identity');
const modules = load('modules');
const ts = load('ts');
const { watch } = load('exit');
const { fresh, handOver, start } = load('run');

function isTyped(settings) {
    return settings.ts === true || /\.[mc]?ts$/.test(settings.name ?? '');
}

/** A run of `source` as the settings have it. */
function runOf(source, settings) {
    const typed = isTyped(settings);
    return fresh({
        source, file: identity.fileOf(settings), name: settings.name ?? 'main.js', mode: settings.mode ?? 'auto',
        strip: typed ? ts.strip : null,
    });
}

function offer(run) {
    Object.defineProperty(globalThis, '__return', {
        value: (value) => handOver(run, value), writable: true, enumerable: false, configurable: true,
    });
}

/**
 * Wait for a program and run it. `pid`: of a fork. `prepare(settings)` is called
 * when it is there and before any of it runs.
 */
function begin(native, pid, prepare) {
    const { settings: text, source } = native.program();
    const settings = JSON.parse(text);
    const run = runOf(source, settings);
    watch(native, run, settings);
    prepare(settings);
    identity.assume(settings, run.program.file, pid);
    modules.use({ strip: run.program.strip });
    if (run.program.strip !== null)
        ts.extendRequire();
    offer(run);
    process.nextTick(start, run);
}

module.exports = { begin, runOf };
