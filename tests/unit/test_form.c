/* tests/unit/test_form.c -- which shape a program has.  SPDX-License-Identifier: MIT */
#include "worker/form.h"
#include "tests/test.h"

static struct form form(const char *source) { return form_of(str_of(source)); }

/* What a session would compile instead. */
static const char *session(const char *source)
{
    static struct buf out;
    buf_free(&out);
    buf_init(&out, 1 << 20);
    CHECK(form_for_session(str_of(source), &out) == 0);
    CHECK(buf_add(&out, "", 1) == 0);
    return out.at;
}

TEST(plain_scripts_have_no_marks)
{
    struct form f = form("let x = 1; x + 1");
    CHECK(!f.has_await && !f.has_return && !f.has_module_word);
    CHECK(!f.declares_main && !f.names_main);
    f = form("");
    CHECK(!f.has_await && !f.declares_main);
}

TEST(words_are_found_outside_of_text)
{
    CHECK(form("await f()").has_await);
    CHECK(form("x\nreturn 1").has_return);
    CHECK(form("import a from 'a'").has_module_word);
    CHECK(form("export default 1").has_module_word);
    CHECK(form("if (x) { return }").has_return);
}

TEST(words_in_strings_do_not_count)
{
    CHECK(!form("'await' + \"return\"").has_await);
    CHECK(!form("'a\\'await\\'' ").has_await);
    CHECK(!form("\"\\\\\" + 'import'").has_module_word);
    CHECK(!form("'\\\nawait'").has_await);    /* a line continued */
}

TEST(words_in_comments_do_not_count)
{
    CHECK(!form("// await\n1").has_await);
    CHECK(!form("/* await \n return */ 1").has_return);
    CHECK(form("/* x */ await 1").has_await);
    CHECK(!form("#!/bin/glovebox await\n1").has_await);
    CHECK(form("1 /* never closed").has_await == 0);
}

TEST(words_in_templates_count_only_in_their_holes)
{
    CHECK(!form("`await return`").has_await);
    CHECK(form("`a ${await f()} b`").has_await);
    CHECK(!form("`a ${`b ${c} await`} return`").has_await);
    CHECK(!form("`a ${`b ${c} await`} return`").has_return);
    CHECK(form("`a ${`b ${await c}`}`").has_await);
    CHECK(!form("`\\${await}`").has_await);
    CHECK(!form("`${ {a: '}'} } await`").has_await);
    CHECK(form("`${x}`; await y").has_await);
}

TEST(a_slash_is_a_division_after_a_value)
{
    CHECK(form("a / b; await c / d").has_await);
    CHECK(form("f() / 2; await x / 1").has_await);
    CHECK(form("a[0] / 2; await x / 1").has_await);
    CHECK(form("1 / 2; await x / 1").has_await);
    CHECK(form("x++ / 2; await y").has_await);
}

TEST(a_slash_is_a_regexp_where_a_value_may_begin)
{
    CHECK(!form("x = /await/").has_await);
    CHECK(!form("f(/await/)").has_await);
    CHECK(!form("typeof /await/").has_await);
    CHECK(!form("/[/]await/.test(x)").has_await);
    CHECK(!form("x = /a\\/await/").has_await);
    CHECK(form("/'/; await x").has_await);
    CHECK(form("x = [/\"/, /`/]; await y").has_await);
    CHECK(form("case /'/: await x").has_await);
}

TEST(a_property_of_that_name_is_not_the_word)
{
    CHECK(!form("x.await").has_await);
    CHECK(!form("x.return()").has_return);
    CHECK(!form("x?.import").has_module_word);
    CHECK(!form("o.main()").names_main);
}

TEST(longer_words_are_other_words)
{
    CHECK(!form("awaiting; $await; await_; returned").has_await);
    CHECK(!form("\xc3\xa9" "await").has_await);    /* e with an accent in front */
    CHECK(!form("await\\u0041").has_await);
    CHECK(!form("this.#await").has_await);
    CHECK(!form("0xawait").has_await);
}

TEST(main_is_a_function_at_the_top_without_parameters)
{
    CHECK(form("function main() {}").declares_main);
    CHECK(form("async function main() { return 1 }").declares_main);
    CHECK(form("async  function\n main ( ) {}").declares_main);
    CHECK(!form("function main(x) {}").declares_main);
    CHECK(!form("{ function main() {} }").declares_main);
    CHECK(!form("(function main() {})").declares_main);
    CHECK(!form("x = { main() {} }").declares_main);
    CHECK(!form("const main = () => 1").declares_main);
    CHECK(!form("// function main() {}").declares_main);
    CHECK(!form("function mainly() {}").declares_main);
}

TEST(a_program_that_calls_main_itself_names_it_twice)
{
    CHECK_INT(form("function main() {}").names_main, 1);
    CHECK_INT(form("function main() {} main()").names_main, 2);
    CHECK_INT(form("async function main() {} await main()").names_main, 2);
}

TEST(top_level_declarations_become_var_in_a_session)
{
    CHECK_TEXT(session("let x = 1"), "var x = 1");
    CHECK_TEXT(session("const x = 1"), "var   x = 1");
    CHECK_TEXT(session("let [a, b] = c"), "var [a, b] = c");
    CHECK_TEXT(session("const {a} = c; let d"), "var   {a} = c; var d");
    CHECK_TEXT(session("x\nlet y = 2"), "x\nvar y = 2");
    CHECK_TEXT(session("class A {}"), "var A=class A {}");
    CHECK_TEXT(session("class A extends B {}"), "var A=class A extends B {}");
    CHECK_TEXT(session("var x; function f() {}"), "var x; function f() {}");
}

TEST(inner_declarations_stay_in_a_session)
{
    CHECK_TEXT(session("{ let x = 1 }"), "{ let x = 1 }");
    CHECK_TEXT(session("function f() { const y = 1 }"),
               "function f() { const y = 1 }");
    CHECK_TEXT(session("for (let i = 0;;) {}"), "for (let i = 0;;) {}");
    CHECK_TEXT(session("for (const x of y) {}"), "for (const x of y) {}");
    CHECK_TEXT(session("`${() => { let x = 1 }}`"), "`${() => { let x = 1 }}`");
    CHECK_TEXT(session("'let x = 1'"), "'let x = 1'");
    CHECK_TEXT(session("x = class A {}"), "x = class A {}");
}

TEST(let_as_a_name_stays)
{
    CHECK_TEXT(session("let = 1"), "let = 1");
    CHECK_TEXT(session("x.let; a.const"), "x.let; a.const");
    CHECK_TEXT(session("({ let: 1, class: 2 })"), "({ let: 1, class: 2 })");
}

TEST(a_session_keeps_lines)
{
    CHECK_TEXT(session("let a = 1\n\nconst b = 2\nclass C {}\nthrow 1"),
               "var a = 1\n\nvar   b = 2\nvar C=class C {}\nthrow 1");
}

TEST(deep_nesting_ends_the_scan_and_nothing_else)
{
    static char deep[20000];
    memset(deep, '{', sizeof deep - 1);
    struct form f = form(deep);
    CHECK(!f.has_await);
    memset(deep, '(', sizeof deep - 1);
    CHECK(!form(deep).has_await);
    for (size_t i = 0; i + 3 < sizeof deep; i += 3)
        memcpy(deep + i, "`${", 3);
    CHECK(!form(deep).has_await);
    memset(deep, '}', sizeof deep - 1);
    CHECK(!form(deep).has_await);
}

/* Every prefix of this, and every one byte changed, must be scanned in bounds:
 * the source lies at the very end of a mapping. */
TEST(the_scanner_stays_inside_of_the_source)
{
    static const char text[] =
        "#!x\nlet a=`x${{b:/[/]\\//}}y`;'\\'';\"\\\"\";/*c*/class A{}//d\n"
        "async function main(){return await import('x')}\\u0041 1.5e3 a/b/c";
    size_t page = 4096;
    char *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(map != MAP_FAILED && munmap(map + page, page) == 0);
    unsigned seed = 1;
    for (size_t len = 0; len < sizeof text; len++) {
        char *at = map + page - len;
        for (int round = 0; round < 40; round++) {
            memcpy(at, text, len);
            for (int k = 0; len && k < round / 8; k++) {
                seed = seed * 1103515245 + 12345;
                at[(seed >> 16) % len] = "`${}()[]'\"/\\*#\n\xff""a"[(seed >> 8) % 17];
            }
            struct buf out;
            buf_init(&out, 1 << 16);
            form_of((struct str){ at, len });
            CHECK(form_for_session((struct str){ at, len }, &out) == 0);
            buf_free(&out);
        }
    }
}
