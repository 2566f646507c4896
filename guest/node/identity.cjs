// guest/node/identity.cjs -- what a program sees when it asks who and where it is  (SPDX-License-Identifier: MIT)
'use strict';

const path = require('path');
const { revive } = load('values');

const WORK = '/workspace';

/** An environment without anything of ours, in which `node` is found. */
function baseEnvironment() {
    const folders = ['/usr/local/bin', '/usr/bin', '/bin'];
    const own = path.dirname(process.execPath);
    if (!folders.includes(own))
        folders.unshift(own);
    return { PATH: folders.join(':'), HOME: WORK };
}

const base = baseEnvironment();

/** Only what stands in `base`; also in the memory that children inherit from. */
function scrub() {
    for (const name of Object.keys(process.env))
        delete process.env[name];
    Object.assign(process.env, base);
    process.title = 'node';    // overwrites the command line
    process.execArgv = [];
}

function setEnvironment(given) {
    for (const name of Object.keys(given ?? {}))
        process.env[name] = String(given[name]);
}

function setPid(pid) {
    Object.defineProperty(process, 'pid', { value: pid, writable: false, enumerable: true, configurable: true });
}

/** In a run, before its program. `pid`: of a fork, whose process object still has the zygote's. */
function assume(settings, file, pid) {
    if (pid !== undefined)
        setPid(pid);
    process.argv = [process.execPath, file, ...settings.argv ?? []];
    setEnvironment(settings.env);
    process.chdir(settings.cwd ?? WORK);    // also makes node forget where the zygote was
    if (Object.hasOwn(settings, 'input'))
        globalThis.input = revive(settings.input);
}

/** The file that the program is to be, whether it exists or not. */
function fileOf(settings) {
    return path.resolve(WORK, settings.name ?? 'main.js');
}

module.exports = { assume, fileOf, scrub };
