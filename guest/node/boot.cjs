// guest/node/boot.cjs -- load the glue  (SPDX-License-Identifier: MIT)
//
// The files of this folder are one program. They are compiled under names like
// node:glovebox/run, so that a stack trace shows them as a part of the runtime,
// and they stay out of require.cache, which belongs to the guest.
'use strict';

const fs = require('fs');
const path = require('path');
const vm = require('vm');

const loaded = new Map();
const parameters = ['require', 'module', 'exports', 'load'];

/** What guest/node/<name>.cjs exports. `load` of another file, `require` of Node's own. */
function load(name) {
    let module = loaded.get(name);
    if (module === undefined) {
        module = { exports: {} };
        loaded.set(name, module);
        const source = fs.readFileSync(path.join(__dirname, name + '.cjs'), 'utf8');
        const body = vm.compileFunction(source, parameters, { filename: 'node:glovebox/' + name });
        body.call(module.exports, require, module, module.exports, load);
    }
    return module.exports;
}

/** The native half. Loaded once; preloading it is the zygote's business. */
function native() {
    const module = { exports: {} };
    process.dlopen(module, path.join(__dirname, 'glovebox-node.so'));
    return module.exports;
}

/** A library that comes with the glue: a CommonJS file beside it. */
function library(name) {
    const file = path.join(__dirname, name);
    const module = { exports: {} };
    const body = vm.compileFunction(fs.readFileSync(file, 'utf8'), parameters, { filename: 'node:glovebox/' + name });
    body.call(module.exports, require, module, module.exports, load);
    return module.exports;
}

module.exports = { load, native, library };
loaded.set('boot', module);

// This file and the one that asked for it were found by require.
for (const file of Object.keys(require.cache))
    delete require.cache[file];
