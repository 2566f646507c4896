// guest/js/ts/main.js -- TypeScript to JavaScript, line for line  (SPDX-License-Identifier: MIT)
//
// Types are taken out where they stand, so every line keeps its number and an
// error points at the caller's own source. Nothing is checked: a program with
// type errors runs, as it would after tsc --transpileOnly.

import { transform } from 'sucrase';

// Captured, because the stripper may share its realm with other code.
const { exec } = RegExp.prototype;
const apply = Reflect.apply;

const position = /^([^]*?) \((\d+):(\d+)\)$/;

/** The JavaScript of `source`; throws a SyntaxError that names line and column. */
export function strip(source, fileName) {
    try {
        return transform(source, {
            transforms: ['typescript'],
            disableESTransforms: true,
            filePath: fileName,
        }).code;
    } catch (error) {
        throw syntaxError(error, fileName);
    }
}

function syntaxError(error, fileName) {
    const named = `Error transforming ${fileName}: `;
    let text = String(error && error.message);
    if (text.startsWith(named))
        text = text.slice(named.length);
    const match = apply(exec, position, [text]);
    const made = new SyntaxError(match === null ? text
        : `${match[1]} (${fileName}:${match[2]}:${match[3]})`);
    if (match !== null) {
        const where = { line: +match[2], column: +match[3] };
        Object.defineProperty(made, 'stack', {
            value: `    at ${fileName}:${where.line}:${where.column}`,
            writable: true, configurable: true,
        });
        Object.assign(made, where);
    }
    return made;
}
