// guest/node/modules.cjs -- ES modules of a program, and what they import  (SPDX-License-Identifier: MIT)
//
// The program itself need not exist as a file, so Node's own loader cannot load
// it: it is a vm.SourceTextModule, and so are the ES modules below its folder
// that it imports, or there would be two copies of them. Everything else is
// loaded by Node and handed on as a vm.SyntheticModule of its namespace.
// Builtins and packages are made so while the zygote warms up.
'use strict';

const fs = require('fs');
const path = require('path');
const vm = require('vm');
const { builtinModules, createRequire, isBuiltin } = require('module');
const { fileURLToPath, pathToFileURL } = require('url');
const p = load('primordials');

const { USE_MAIN_CONTEXT_DEFAULT_LOADER } = vm.constants;
const { SourceTextModule, SyntheticModule } = vm;

const WORK = '/workspace/';
const local = /^(?:\.{0,2}\/|\.{1,2}$|file:)/;

let hooks = { strip: null };            // set by use()
const known = new p.Map();              // bare specifier -> module, made while warming
const sources = new p.Map();            // URL of a file of ours -> module
const namespaces = new p.Map();         // namespace -> module
const importers = new p.Map();          // URL -> import() as if called from there

/** What the files of this run need besides: { strip(source, file) } for TypeScript. */
function use(given) {
    hooks = given;
}

// ---- what Node loads -------------------------------------------------------------

/** A module that exports what `namespace` has now. */
function synthesise(namespace, identifier) {
    let module = p.MapGet(namespaces, namespace);
    if (module !== undefined)
        return module;
    const names = p.keys(namespace);
    module = new SyntheticModule(names, function () {
        for (let i = 0; i < names.length; i++)
            this.setExport(names[i], namespace[names[i]]);
    }, { identifier });
    p.MapSet(namespaces, namespace, module);
    return module;
}

/** import(), as if written in the file at `url`. */
function importer(url) {
    let found = p.MapGet(importers, url);
    if (found === undefined) {
        const filename = p.StringStartsWith(url, 'file:') ? fileURLToPath(url) : url;
        found = new vm.Script('(s, o) => import(s, o)', {
            filename, importModuleDynamically: USE_MAIN_CONTEXT_DEFAULT_LOADER,
        }).runInThisContext();
        p.MapSet(importers, url, found);
    }
    return found;
}

/** While warming: import `specifier` once for all runs. */
async function prepare(specifier, base) {
    const module = synthesise(await importer(base)(specifier), specifier);
    if (module.status === 'unlinked') {
        await module.link(() => {});
        await module.evaluate();
    }
    known.set(specifier, module);
    return module;
}

async function prepareBuiltins(unwanted) {
    for (const name of builtinModules) {
        if (name.startsWith('_') || unwanted.test(name))
            continue;
        const module = await prepare(name.startsWith('node:') ? name : 'node:' + name, 'file:///workspace/');
        if (!name.startsWith('node:'))
            known.set(name, module);
    }
}

// ---- what is ours ------------------------------------------------------------------

function hasExtension(file, extensions) {
    const ending = path.extname(file);
    for (let i = 0; i < extensions.length; i++) {
        if (extensions[i] === ending)
            return true;
    }
    return false;
}

/** "module", "commonjs" or undefined: what the nearest package.json says. */
function packageType(file) {
    for (let folder = path.dirname(file); p.StringStartsWith(folder + '/', WORK); folder = path.dirname(folder)) {
        try {
            return p.jsonParse(fs.readFileSync(folder + '/package.json', 'utf8')).type;
        } catch {
            continue;
        }
    }
    return undefined;
}

const moduleSyntax = /^[ \t]*(?:import\b(?!\s*\()|export\b)/m;

/** The text of a file of the program that is an ES module; null if Node is to load it. */
function textOf(url) {
    if (!p.StringStartsWith(url, 'file://' + WORK))
        return null;
    const file = fileURLToPath(url);
    const typed = hasExtension(file, ['.ts', '.mts']);
    if (!typed && !hasExtension(file, ['.mjs', '.js']) || typed && hooks.strip === null)
        return null;
    let text;
    try {
        text = fs.readFileSync(file, 'utf8');
    } catch {
        return null;    // Node finds the words for it
    }
    if (hasExtension(file, ['.js', '.ts'])) {
        const type = packageType(file);
        if (type === 'commonjs' || type !== 'module' && p.RegExpExec(moduleSyntax, text) === null)
            return null;
    }
    return typed ? hooks.strip(text, file) : text;
}

/** A module of the program. `more`: options of vm.SourceTextModule. */
function sourceModule(url, text, more) {
    const module = new SourceTextModule(text, {
        __proto__: null, ...more, identifier: url, initializeImportMeta: describe, importModuleDynamically: importNow,
    });
    p.MapSet(sources, url, module);
    return module;
}

const hasMain = +p.StringSplit(process.versions.node, '.')[0] >= 24;
let mainURL = '';

function describe(meta, module) {
    const url = module.identifier;
    const file = fileURLToPath(url);
    meta.dirname = path.dirname(file);
    meta.filename = file;
    if (hasMain)
        meta.main = url === mainURL;
    meta.resolve = function resolve(specifier) {
        return resolveFrom(`${specifier}`, url);
    };
    meta.url = url;
}

function resolveFrom(specifier, base) {
    if (p.RegExpExec(local, specifier) !== null || p.RegExpExec(/^[a-z][a-z+.-]*:/, specifier) !== null)
        return new p.URL(specifier, base).href;
    if (isBuiltin(specifier))
        return 'node:' + specifier;
    return pathToFileURL(createRequire(base).resolve(specifier)).href;
}

// ---- linking -----------------------------------------------------------------------

/** The module that `specifier` names in the module at `base`, or a promise of it. */
function find(specifier, base, attributes) {
    const ready = p.MapGet(known, specifier);
    if (ready !== undefined)
        return ready;
    if (p.RegExpExec(local, specifier) !== null && p.keys(attributes).length === 0) {
        const url = new p.URL(specifier, base).href;
        const own = p.MapGet(sources, url);
        if (own !== undefined)
            return own;
        const text = textOf(url);
        if (text !== null)
            return sourceModule(url, text);
    }
    const given = p.keys(attributes).length > 0 ? { with: attributes } : undefined;
    return p.PromiseThen(importer(base)(specifier, given), (namespace) => synthesise(namespace, specifier));
}

function link(specifier, referrer, extra) {
    return find(specifier, referrer.identifier, extra?.attributes ?? extra?.assert ?? {});
}

/** import() in a module of ours. */
async function importNow(specifier, referrer, attributes) {
    const module = await find(specifier, referrer.identifier, attributes ?? {});
    await whole(module);
    await module.evaluate();
    return module;
}

const links = new p.Map();    // module -> promise of its link

/** Link once, however many ask. */
function whole(module) {
    let linked = p.MapGet(links, module);
    if (linked === undefined) {
        linked = module.status === 'unlinked' ? module.link(link) : undefined;
        p.MapSet(links, module, linked);
    }
    return linked;
}

/** The program: compiled now (it may throw), linked when the promise says so. */
function mainModule(url, text, more) {
    mainURL = url;
    const module = sourceModule(url, text, more);
    return { module, linked: () => whole(module) };
}

/** After a rehearsal: the real program has the same URL. */
function forget(url) {
    p.MapDelete(sources, url);
    p.MapDelete(importers, url);
}

module.exports = { forget, importer, mainModule, prepare, prepareBuiltins, use };
