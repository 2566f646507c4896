// guest/node/ts.cjs -- TypeScript, wherever JavaScript is accepted  (SPDX-License-Identifier: MIT)
//
// Types are taken out where they stand, by the stripper that the js engine uses
// (guest/js/ts), so every line keeps its number. Nothing is checked.
'use strict';

const fs = require('fs');
const Module = require('module');
const vm = require('vm');

let stripper = null;

/** The JavaScript of `source`; throws a SyntaxError as V8 does for JavaScript. */
function strip(source, file) {
    stripper ??= load('boot').library('types.cjs').strip;
    try {
        return stripper(source, file);
    } catch (error) {
        throw misspelt(error, source, file);
    }
}

/**
 * Node prints the line that threw above an uncaught error, unless that is a
 * SyntaxError that has such lines of its own: so take one and give it ours.
 */
function misspelt({ message, line, column }, source, file) {
    let error;
    try {
        new vm.Script('(', { filename: file });
    } catch (made) {
        error = made;
    }
    error.message = message.replace(/ \([^()]*:\d+:\d+\)$/, '');
    const shown = `${source.split('\n')[line - 1] ?? ''}\n${' '.repeat((column ?? 1) - 1)}^`;
    error.stack = `${file}:${line ?? 1}\n${shown}\n\nSyntaxError: ${error.message}\n    at ${file}:${line}:${column}`;
    return error;
}

/** Files that the program requires may be TypeScript too. */
function extendRequire() {
    const compile = (module, file) => module._compile(strip(fs.readFileSync(file, 'utf8'), file), file);
    Module._extensions['.ts'] = compile;
    Module._extensions['.cts'] = compile;
}

module.exports = { extendRequire, strip };
