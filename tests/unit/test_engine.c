/* tests/unit/test_engine.c -- env/engine.h  SPDX-License-Identifier: MIT */
#include "env/engine.h"
#include "tests/test.h"

static struct engine_choice got;

static enum engine engine_of(const char *name, const char *source)
{
    static const struct str known[] = { { "math", 4 }, { "@own/x", 6 } };
    engine_of_program(name, str_of(source), known, COUNT(known), &got);
    return got.engine;
}

static void all(const char *name, enum engine want, const char *const *list,
                size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (engine_of(name, list[i]) != want)
            TEST_FAIL("%s, not %s: %s", engine_text(got.engine),
                      engine_text(want), list[i]);
}
#define ALL(want, ...) do {                                               \
    static const char *const list_[] = { __VA_ARGS__ };                   \
    all("main.js", want, list_, COUNT(list_));                            \
} while (0)

TEST(engines_have_their_names)
{
    CHECK_TEXT(engine_text(ENGINE_JS), "js");
    CHECK_TEXT(engine_text(ENGINE_NODE), "node");
    CHECK_TEXT(engine_text(ENGINE_PYTHON), "python");
}

TEST(the_extension_decides_for_python_and_cjs)
{
    CHECK_INT(engine_of("a/b.py", "import fs from 'fs'"), ENGINE_PYTHON);
    CHECK_TEXT(got.why, "its name ends in .py");
    CHECK_INT(engine_of("x.cjs", "1 + 1"), ENGINE_NODE);
    CHECK_INT(engine_of("x.mjs", "1 + 1"), ENGINE_JS);
    CHECK_INT(engine_of("x.js", "1 + 1"), ENGINE_JS);
    CHECK_INT(engine_of(".py", "1 + 1"), ENGINE_JS);
    CHECK_INT(engine_of("py", "1 + 1"), ENGINE_JS);
    CHECK_TEXT(got.why, "");
}

TEST(the_first_line_may_name_an_interpreter)
{
    CHECK_INT(engine_of("tool", "#!/usr/bin/env python3\nprint(1)"), ENGINE_PYTHON);
    CHECK_INT(engine_of("tool", "#!/usr/bin/env node\n1"), ENGINE_NODE);
    CHECK_INT(engine_of("tool", "#!/usr/bin/glovebox run\n1"), ENGINE_JS);
    CHECK_INT(engine_of("tool", "#!/bin/x\nimport 'fs'"), ENGINE_NODE);
    CHECK_INT(engine_of("tool", "// #!/usr/bin/python\n1"), ENGINE_JS);
}

TEST(builtins_and_packages_need_node)
{
    ALL(ENGINE_NODE,
        "import fs from 'node:fs'", "import fs from \"fs\"", "import 'lodash'",
        "import * as x from 'a'", "import { a, b as c } from 'pkg/sub'",
        "import d, { e } from '@scope/pkg'", "import d, * as e from 'x'",
        "import{a}from'x'", "import a\n  from\n'x'", "import x from 'y' with { type: 'json' }",
        "import { 'a-b' as c } from 'x'", "import { default as d } from 'x';",
        "import { from } from 'x'", "import from from 'x'", "import as from 'x'",
        "import { import as x } from 'y'", "import type from 'x'",
        "import type, { a } from 'x'", "import defer * as ns from 'x'",
        "export * from 'x'", "export * as ns from 'x'", "export { a } from 'x'",
        "export { a as default, b } from \"x\";", "export { x as import } from 'y'",
        "export { a }\nimport b from 'c'", "export {}; import 'x'",
        "await import('x')", "import(\"node:fs\").then(f)", "import(`x`)",
        "import('x', { with: { type: 'json' } })", "const p = import( /* c */ 'x' )",
        "f(`${import('x')}`)", "if (a) /re/.test(b); import('x')",
        "\xef\xbb\xbfimport 'x'", "\xc2\xa0import 'x'", "1 /* */ ; import 'x'",
        "a = b / c; import('x'); d = e / f", "x = {}\nimport 'y'");
}

TEST(what_js_has_itself_does_not_need_node)
{
    ALL(ENGINE_JS,
        "", "1", "import x from './x.js'", "import '../y.js'", "import '/abs.js'",
        "import 'data:text/javascript,1'", "import 'file:///etc/passwd'",
        "import 'https://x.org/y.js'", "import '#internal'", "import ''", "import '.'",
        "import { add } from 'math'", "import x from '@own/x'", "export * from 'math'",
        "await import('math')", "import.meta.url", "await import(name)",
        "await import('a' + b)", "import(`x${1}`)", "export const from = 'x'",
        "export default 'x'", "export { a }", "export { a };\n'x'",
        "export class A {}\n'fs'", "export function from() { return 'x' }",
        "export { a }\nconst b = 'from'", "let from = 'x'; from 'y'",
        "import.meta.from('x')", "node:fs", "const fs = 'node:fs'");
}

TEST(strings_comments_templates_and_regular_expressions_decide_nothing)
{
    ALL(ENGINE_JS,
        "// import 'fs'", "/* import 'fs'\nrequire('x') */ 1", "'import \"fs\"'",
        "\"require('x')\"", "`import 'fs'`", "`a ${ b } import 'fs' `",
        "`${`require('x')`} ${'import(\"y\")'}`", "`\\`import 'fs'`", "'\\' import \"fs\"'",
        "/import 'fs'/", "/require('x')/.test(s)", "x = /[/]import 'fs'/",
        "return /'/.test(x) ? \"import 'fs'\" : /\"/", "a.match(/`/); b = '`import \"fs\"'",
        "if (x) /import 'fs'/.exec(y)", "while (a) /require('x')/", "({}) / 1; '/import'",
        "x = a / b / c; // import 'fs'", "i++ / 2; /* require('x') */",
        "function f() {} /import 'fs'/.test(x)", "a = [] / 1; \"import 'fs'\"",
        "x = { a: 1 } / 2; '/import(\"fs\")'", "a = b\n/ c / \"import 'fs'\"",
        "typeof /import 'fs'/", "case /require('x')/:", "yield /require('x')/",
        "a.return / 2; \"import 'fs'\"", "a?.if / 2; '/'", "=> /require('x')/",
        "'unclosed import \"fs\"", "/* unclosed import 'fs'", "`unclosed import 'fs'",
        "`${ unclosed 'import' `", "'\\", "`\\", "/\\", "\"\\\n require('x')\"",
        "s = 'a\\\nimport \"fs\"'", "f(/\\//, 'require(\"x\")')", "#import", "a.#import('x')");
}

TEST(code_in_the_holes_of_templates_counts)
{
    ALL(ENGINE_NODE, "`${require('x')}`", "`a${`b${require('x')}`}`",
        "`${ {a: `}`} }${require('x')}`", "`${'}'}${require('x')}`",
        "`${a}`; require('x')", "`${ /}/ }`; require('x')");
}

TEST(require_needs_node)
{
    ALL(ENGINE_NODE,
        "require('fs')", "const x = require(name)", "f(require('a'), 1)", "require (`x`)",
        "if (1) { require('x') }", "...require('x')", "x = y ? require('a') : 1",
        "typeof require === 'function' && require('x')", "require('a').b",
        "module.exports = require('./x')", "!function () { require('x') }()",
        "import fs = require('fs')", "a\n  .b; require('x')", "require('x')");
    engine_of("a.js", "\n\nlet a = require('x')");
    CHECK_TEXT(got.why, "it calls require (line 3)");
}

TEST(a_require_of_its_own_or_of_an_object_does_not)
{
    ALL(ENGINE_JS,
        "obj.require('x')", "obj?.require('x')", "this.#require('x')",
        "function require(n) { return n } require('x')", "const require = n => n; require('x')",
        "let require; require('x')", "var a = 1, require = f; require('x')",
        "define(function (require) { require('x') })", "(require, module) => { require('x') }",
        "require => require('x')", "!function (a, require, b) { require('x') }()",
        "class A { require(n) { return n } }", "x = { require(n) { return n } }",
        "async (require) => require('x')", "requires('x')", "_require('x')",
        "typeof require", "require", "x = require", "({ require: 1 })", "require.main");
    ALL(ENGINE_NODE, "if (require) { require('x') }", "f(require, 1); require('x')",
        "for (a of b(require)) { require('x') }");
}

TEST(types_are_not_imported)
{
    ALL(ENGINE_JS, "import type { A } from 'pkg'", "import type A from 'pkg'",
        "import type * as N from 'pkg'", "export type { A } from 'pkg'",
        "export type * from 'pkg'", "import type from from 'pkg'",
        "export type A = 'x' | 'y'", "type A = 'from'; let b: A",
        "import type { A } from 'pkg'; import b from './b.ts'");
    ALL(ENGINE_NODE, "import type { A } from 'pkg'; import b from 'c'",
        "export type A = 'x'; import b from 'c'");
}

TEST(it_says_why)
{
    engine_of("a.js", "// one\nimport a from './a.js';\nimport b from 'node:fs';\n"
                      "import c from 'c'; require('d')");
    CHECK_TEXT(got.why, "it imports node:fs (line 3)");
    engine_of("a.js", "`\n\n${1}\n`; /*\n*/ '\\\n'; import('x')");
    CHECK_TEXT(got.why, "it imports x (line 6)");
    engine_of("a.js", "require('a'); import 'b'");
    CHECK_TEXT(got.why, "it imports b (line 1)");
    engine_of("a.js", "require('a');\nimport 'b'");
    CHECK_TEXT(got.why, "it calls require (line 1)");
}

TEST(any_bytes_can_be_read)
{
    static const char parts[][8] = { "import", "'x'", "(", ")", "{", "}", "`", "${",
                                     "/", "\\", "require", "\n", "from", ".", "*/" };
    unsigned state = 1;
    for (int round = 0; round < 20000; round++) {
        char text[200] = "";
        size_t n = 0;
        for (int k = 0; k < 20; k++) {
            state = state * 1103515245 + 12345;
            const char *p = parts[(state >> 16) % COUNT(parts)];
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", p);
        }
        char *exact = malloc(n ? n : 1);    /* so that a sanitizer sees the end */
        memcpy(exact, text, n);
        engine_of_program("x.js", (struct str){ exact, n }, NULL, 0, &got);
        free(exact);
    }
    static char deep[200001];
    memset(deep, '(', 100000);
    memset(deep + 100000, ')', 100000);
    CHECK_INT(engine_of("x.js", deep), ENGINE_JS);
    memset(deep, '{', 200000);
    CHECK_INT(engine_of("x.js", deep), ENGINE_JS);
}
