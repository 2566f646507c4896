// guest/node/run.cjs -- from a program's text to its value  (SPDX-License-Identifier: MIT)
//
//   plain    expressions only: compiled as a script, with its completion value
//   script   compiled as the body of a function with CommonJS's five names, so
//            that its declarations hide nothing from packages; async if it waits
//   module   an ES module (modules.cjs)
//
// What a synchronous program throws is not caught here: Node prints it, and
// exit.cjs hears of it. A promise of the program's is waited for; if it rejects,
// the rejection is Node's to report too.
'use strict';

const path = require('path');
const vm = require('vm');
const Module = require('module');
const { pathToFileURL } = require('url');
const { types: { isPromise } } = require('util');
const p = load('primordials');
const { shape, KIND } = load('form');
const { isIncidental } = load('incidental');
const modules = load('modules');

const { createRequire, _nodeModulePaths: nodeModulePaths } = Module;
const { USE_MAIN_CONTEXT_DEFAULT_LOADER } = vm.constants;
const parameters = 'exports, require, module, __filename, __dirname';

/** A run begins: nothing has happened yet. */
function fresh(program) {
    return {
        __proto__: null,
        program,               // { source, file, mode, name, strip }
        form: null,
        started: false,        // has code of the guest run?
        waiting: true,         // for a promise of the program's
        failed: false, reason: undefined,
        value: undefined,
        namespace: null,       // of a module
        module: null,          // of a script: CommonJS's
        exportsAtStart: null,
        returned: false,       // was __return called?
        lastCall: null,        // of __return: an earlier promise does not count
    };
}

// ---- the value -----------------------------------------------------------------------

function isThenable(value) {
    return (typeof value === 'object' && value !== null || typeof value === 'function') &&
        typeof value.then === 'function';
}

/** then(), whatever the guest made of Promise.prototype: a species of its own is not asked for. */
function follow(value, onValue, onError) {
    const promise = isPromise(value) ? value : new p.Promise((resolve) => resolve(value));
    try {
        p.defineProperty(promise, 'constructor',
            { __proto__: null, value: p.Promise, writable: true, enumerable: false, configurable: true });
    } catch {
        // frozen: then it is asked
    }
    return p.PromiseThen(promise, onValue, onError);
}

/** Wait for what the program evaluated to, then take it. `meant`: it was handed over on purpose. */
function settleWith(run, value, meant) {
    if (isPromise(value) || isThenable(value))
        follow(value, (arrived) => settled(run, arrived, meant), (reason) => fail(run, reason));
    else
        settled(run, value, meant);
}

function settled(run, value, meant) {
    run.waiting = false;
    if (!run.returned)
        run.value = !meant && isIncidental(value) ? undefined : value;
}

/** Thrown on, so that Node reports it as the rejection it is. */
function fail(run, reason) {
    run.waiting = false;
    run.failed = true;
    run.reason = reason;
    throw reason;
}

/** The guest's way to hand over a value from anywhere: the last call wins. */
function handOver(run, value) {
    run.returned = true;
    const call = run.lastCall = {};
    if (!isPromise(value) && !isThenable(value)) {
        run.value = value;
        return;
    }
    run.value = undefined;
    follow(value, (arrived) => {
        if (run.lastCall === call)
            run.value = arrived;
    }, (reason) => fail(run, reason));
}

/** What goes out as the value, when the process ends. */
function valueOf(run) {
    if (run.returned || run.module === null)
        return run.value;
    const { exports } = run.module;
    const assigned = exports !== run.exportsAtStart || p.keys(exports).length > 0;
    if (!assigned || typeof exports === 'function')
        return run.value;
    return exports;
}

// ---- the forms -----------------------------------------------------------------------

function runPlain(run) {
    const script = new vm.Script(run.form.text, {
        filename: run.program.file, importModuleDynamically: USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    run.started = true;
    settleWith(run, script.runInThisContext(), false);
}

/** The line of ours in front is line 0, so the guest's first is 1. */
function runScript(run) {
    const { form, program: { file } } = run;
    const opening = (form.isAsync ? '(async function (' : '(function (') + parameters + ') {' + form.head + '\n';
    const body = new vm.Script(opening + form.text + '\n})', {
        filename: file, lineOffset: -1, importModuleDynamically: USE_MAIN_CONTEXT_DEFAULT_LOADER,
    }).runInThisContext();
    const module = commonModule(file);
    run.module = module;
    run.exportsAtStart = module.exports;
    run.started = true;
    const { exports } = module;
    const given = [exports, createRequire(file), module, file, path.dirname(file)];
    const value = p.apply(body, exports, given);
    module.loaded = true;
    settleWith(run, value, form.isMeant);
}

/** What `module` and `require.main` are to the program. */
function commonModule(file) {
    const module = new Module(file, undefined);
    module.id = '.';
    module.filename = file;
    module.paths = nodeModulePaths(path.dirname(file));
    process.mainModule = module;
    Module._cache[file] = module;
    return module;
}

/** Evaluated from a promise's job: no frame of ours is below the guest's. */
function runModule(run) {
    const { form, program: { file } } = run;
    const text = form.head === '' ? form.text : form.head + '\n' + form.text;
    const { module, linked } = modules.mainModule(pathToFileURL(file).href, text,
        { lineOffset: form.head === '' ? 0 : -1 });
    const evaluate = p.bind(module.evaluate, module);
    const ready = follow(linked(), () => {
        run.started = true;
    });
    follow(follow(ready, evaluate), () => {
        const { namespace } = module;
        run.namespace = namespace;
        settleWith(run, p.hasOwn(namespace, 'default') ? namespace.default : undefined, form.isMeant);
    }, (reason) => fail(run, reason));
}

const runners = { [KIND.PLAIN]: runPlain, [KIND.SCRIPT]: runScript, [KIND.MODULE]: runModule };

/** Run the program. What it throws at once is thrown; `run` is filled in as things happen. */
function start(run) {
    const { program } = run;
    if (program.strip !== null)
        program.source = program.strip(program.source, program.file);
    run.form = shape(program.source, program.mode, program.name);
    let thrown = true;
    try {
        runners[run.form.kind](run);
        thrown = false;
    } finally {
        if (thrown)    // and perhaps a listener of the guest's carries on
            run.waiting = false;
    }
}

module.exports = { fresh, handOver, start, valueOf };
