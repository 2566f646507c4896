// guest/node/form.cjs -- which form a program's text is in, and where its value is  (SPDX-License-Identifier: MIT)
//
// A text is parsed once. Its form says how it is compiled; the value of its
// last expression is handed out by words that a reader of a stack trace would
// write himself: `return` in a script, `export default` in a module. They stand
// behind the statement before if a line ends there, or on a line of ours in
// front of the text, so that every line and column stays the caller's.
//
// A text that does not parse here is still given to V8, whose message is the
// one that counts.
'use strict';

const { parse } = load('boot').library('acorn.js');

// Without these words a text is a plain script of expressions, to be compiled
// as it is: it declares nothing that could hide a global from a package.
const wordy = new RegExp('\\b(?:const|let|var|function|class|using|import|export|await|return|' +
    'require|module|exports|__filename|__dirname|arguments|main)\\b');
const modular = /\b(?:import|export)\b/;
const awaiting = /\bawait\b/;
const returning = /\breturn\b/;

const KIND = { PLAIN: 'plain', SCRIPT: 'script', MODULE: 'module' };

const options = {
    ecmaVersion: 'latest', allowHashBang: true, allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true,
};

const blank = {
    kind: '', head: '', text: '', isAsync: false, awaits: [], mistake: null, moved: null, isMeant: true,
};

let mistake = null;    // of the last text that did not parse

function tryParse(text, sourceType, more) {
    try {
        return parse(text, { ...options, ...more, sourceType });
    } catch ({ loc }) {
        mistake = { line: loc?.line ?? 0, column: (loc?.column ?? -1) + 1 };
        return null;
    }
}

/**
 * { kind, head, text, isAsync, awaits, mistake, moved }: the line of ours that
 * goes in front, the text, where it waits, where it is wrong, and from which
 * column on a line had to be moved. isMeant: the value is what the program hands
 * over, not what its last line happens to be. `mode` is the caller's word: auto, script, module,
 * function or main; the ending of `name` counts as Node has it.
 */
function shape(text, mode, name) {
    if (mode === 'auto' && !wordy.test(text))
        return { ...blank, kind: KIND.PLAIN, text, isMeant: false };
    const asModule = mode === 'module' || name.endsWith('.mjs') || name.endsWith('.mts');
    if (mode === 'module')
        return moduleForm(text, tryParse(text, 'module'));
    if (mode === 'auto' && !name.endsWith('.cjs') && (asModule || modular.test(text))) {
        const tree = tryParse(text, 'module');
        if (tree !== null && (isModule(tree, text) || asModule && !isBody(tree, text)))
            return moduleForm(text, tree);
        if (tree === null && looksModular(text))
            return moduleForm(text, null);
    }
    return scriptForm(text, mode);
}

// ---- modules -------------------------------------------------------------------

function isModule(tree, text) {
    return tree.body.some((node) => node.type.startsWith('Import') || node.type.startsWith('Export')) ||
        text.includes('import.meta');
}

/** A return or a lone main() makes it a script whatever its name says. */
function isBody(tree, text) {
    return topLevel(tree, text).returns || lonelyMain(tree, text);
}

/** For a text with a mistake in it: would a person call it a module? */
function looksModular(text) {
    return /^[ \t]*(?:import\b(?!\s*\()|export\b)/m.test(text);
}

function moduleForm(text, tree) {
    const form = { ...blank, kind: KIND.MODULE, text, isAsync: true };
    if (tree === null) {
        form.mistake = mistake;
        return form;
    }
    form.awaits = topLevel(tree, text).awaits;
    const last = lastIndex(tree.body);
    if (last < 0 || !isValue(tree.body[last]) || tree.body.some(exportsDefault))
        return form;
    const from = last > 0 ? tree.body[last - 1].end : HEAD;
    insert(form, { from, node: tree.body[last] }, 'export default ');
    return form;
}

function exportsDefault(node) {
    return node.type === 'ExportDefaultDeclaration' || node.type === 'ExportNamedDeclaration' &&
        node.specifiers.some((s) => (s.exported.name ?? s.exported.value) === 'default');
}

// ---- scripts -------------------------------------------------------------------

function scriptForm(text, mode) {
    const form = { ...blank, kind: KIND.SCRIPT, text: unbang(text), isAsync: awaiting.test(text) };
    let tree = tryParse(form.text, 'script', { allowAwaitOutsideFunction: form.isAsync });
    if (tree === null && form.isAsync)    // perhaps `await` is only a name
        tree = tryParse(form.text, 'script', { allowAwaitOutsideFunction: false });
    if (tree === null)
        return form;
    const top = topLevel(tree, text);
    form.awaits = top.awaits;
    form.isAsync = top.awaits.length > 0;
    if (mode === 'main' || mode === 'auto' && lonelyMain(tree, text)) {
        form.text += '\nreturn main();';
    } else if (mode !== 'function' && !top.returns) {
        const edits = [];
        collect(tree.body, HEAD, edits);
        edits.sort((a, b) => b.node.start - a.node.start);
        for (const edit of edits)
            insert(form, edit, 'return ');
    }
    return form;
}

/** The text will not be the first of its file: what is a comment there must be one here. */
function unbang(text) {
    return text.startsWith('#!') ? '//' + text.slice(2) : text;
}

/** Is there a function main() without parameters at the top level, and the word nowhere else? */
function lonelyMain(tree, text) {
    const node = tree.body.find((n) => n.type === 'FunctionDeclaration' && n.id.name === 'main');
    return node !== undefined && node.params.length === 0 && !node.generator && text.match(/\bmain\b/g).length === 1;
}

// ---- the last expression ---------------------------------------------------------

const HEAD = -1;    // in front of the text, on a line of its own

function isValue(node) {
    return node.type === 'ExpressionStatement' && node.directive === undefined;
}

/** The last statement that does something. */
function lastIndex(body) {
    let last = body.length - 1;
    while (last >= 0 && (body[last].type === 'EmptyStatement' || body[last].type === 'FunctionDeclaration'))
        last--;
    return last;
}

/** Every expression of `body` that may be the last one evaluated; `from`: where the body begins. */
function collect(body, from, edits) {
    const last = lastIndex(body);
    if (last >= 0)
        tail(body[last], last > 0 ? body[last - 1].end : from, edits);
}

function tail(node, from, edits) {
    if (isValue(node)) {
        edits.push({ from, node });
    } else if (node.type === 'BlockStatement') {
        collect(node.body, node.start + 1, edits);
    } else if (node.type === 'IfStatement') {
        tail(node.consequent, node.consequent.start, edits);
        if (node.alternate)
            tail(node.alternate, node.alternate.start, edits);
    } else if (node.type === 'TryStatement') {
        tail(node.block, node.block.start, edits);
        if (node.handler)
            tail(node.handler.body, node.handler.body.start, edits);
    }
}

/**
 * Put `word` in front of the expression statement `node`. Nothing but blanks
 * and comments lies between `from` and there: if that holds a line break the
 * word goes to its front, with something that makes the next line belong to it,
 * and no column moves.
 */
function insert(form, { from, node }, word) {
    const { text } = form;
    form.isMeant = false;
    const { join, close } = joins[word];
    const { end, type } = node.expression;
    const apart = from === HEAD || text.slice(from, node.start).includes('\n');
    const wraps = close !== '' && (apart || type === 'SequenceExpression');
    const rest = text.slice(node.start, end) + (wraps ? close : '') + text.slice(end);
    if (from === HEAD) {
        form.head = word + join;
        form.text = text.slice(0, node.start) + rest;
    } else if (apart) {
        const at = quietPlace(text, from, node.start);
        const stop = text[from - 1] === ';' || text[from - 1] === '{' ? ' ' : '; ';
        form.text = text.slice(0, at) + stop + word + join + text.slice(at, node.start) + rest;
    } else {
        const added = word + (wraps ? join : '');
        form.text = text.slice(0, node.start) + added + rest;
        form.moved = { ...placeAt(text, node.start), by: added.length };
    }
}

const joins = {
    'return ': { join: '0,', close: '' },
    'export default ': { join: '(', close: ')' },
};

/** Line and column, from 1, of an offset. */
function placeAt(text, offset) {
    const before = text.slice(0, offset);
    return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/** A line of blanks or comment between two statements, which no error will show; else behind the first. */
function quietPlace(text, from, to) {
    const between = text.slice(from, to);
    const first = between.indexOf('\n') + 1;
    const isQuiet = between.indexOf('\n', first) > 0 && !between.includes('/*');
    return isQuiet ? from + first : from;
}

// ---- what stands at the top level --------------------------------------------------

const nested = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression', 'PropertyDefinition',
    'StaticBlock']);

/** { awaits, returns }: where the text waits outside of functions, and whether it returns there. */
function topLevel(tree, text) {
    const found = { awaits: [], returns: false };
    if (awaiting.test(text) || returning.test(text))
        visit(tree, found);
    return found;
}

function visit(node, found) {
    if (node.type === 'AwaitExpression' || node.type === 'ForOfStatement' && node.await ||
        node.type === 'VariableDeclaration' && node.kind === 'await using')
        found.awaits.push(node.start);
    else if (node.type === 'ReturnStatement')
        found.returns = true;
    for (const key of Object.keys(node)) {
        const child = node[key];
        if (Array.isArray(child))
            child.forEach((one) => descend(one, found));
        else
            descend(child, found);
    }
}

function descend(child, found) {
    if (typeof child === 'object' && child !== null && typeof child.type === 'string' && !nested.has(child.type))
        visit(child, found);
}

module.exports = { shape, KIND };
