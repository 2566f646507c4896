// guest/node/workers.cjs -- worker threads under a limit of memory  (SPDX-License-Identifier: MIT)
//
// From 24 on every worker reserves half a gigabyte for machine code and makes
// all of it writable at once, which the kernel counts as if it were used: a run
// with an ordinary limit could not have one worker. So a worker whose creator
// says nothing about it is given a range of a size that programs fill.
'use strict';

const { syncBuiltinESMExports } = require('module');

const CODE_MB = 16;    // 26 takes 64 at least
const isNeeded = +process.versions.node.split('.')[0] >= 24;

/** Once, before any program. */
function install() {
    if (!isNeeded)
        return;
    const threads = require('worker_threads');
    const { Worker } = threads;
    const frugal = new Proxy(Worker, {
        construct(target, [file, options, ...rest], newTarget) {
            const resourceLimits = { codeRangeSizeMb: CODE_MB, ...options?.resourceLimits };
            const given = typeof options === 'object' || options === undefined
                ? Object.assign(Object.create(options ?? null), { resourceLimits }) : options;
            return Reflect.construct(target, [file, given, ...rest], newTarget);
        },
    });
    Worker.prototype.constructor = frugal;
    threads.Worker = frugal;
    syncBuiltinESMExports();
}

module.exports = { install };
