/* tests/unit/test_options.c -- cli/options.h, cli/fit.h, moment.h, incomplete.h
 * SPDX-License-Identifier: MIT */
#include "cli/fit.h"
#include "cli/incomplete.h"
#include "cli/moment.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "tests/test.h"

#include <stdarg.h>

static const char *const colors[] = { "red", "green", NULL };
static const uint64_t most = 100;

struct target {
    int                  flag, color;
    const char          *text, *once;
    struct text_list     list;
    struct option_number size, time, number;
};

#define AT(field) .offset = offsetof(struct target, field)
static const struct option rows[] = {
    { "flag", 'f', OPTION_FLAG, NULL, "a flag", AT(flag) },
    { "quick", 'q', OPTION_FLAG, NULL, NULL, AT(flag) },
    { "text", 't', OPTION_TEXT, "TEXT", "a text", AT(text) },
    { "eval", 'e', OPTION_ONCE, "CODE", "once", AT(once) },
    { "list", 0, OPTION_LIST, "X", "many", AT(list) },
    { "size", 0, OPTION_SIZE, "SIZE", "a size", AT(size), .least = 10 },
    { "time", 0, OPTION_DURATION, "TIME", "a time", AT(time) },
    { "number", 0, OPTION_NUMBER, "N", "a number", AT(number), .most = &most },
    { "color", 0, OPTION_CHOICE, "C", "a choice", AT(color), .choices = colors },
    { NULL }
};

static struct target got;
static struct texts operands;
static struct err why;

static int parse(int argc, ...)
{
    static char *argv[16];
    va_list ap;
    va_start(ap, argc);
    for (int i = 0; i < argc; i++)
        argv[i] = va_arg(ap, char *);
    va_end(ap);
    got = (struct target){ 0 };
    why = (struct err){ 0 };
    return options_parse(rows, argc, argv, &got, &operands, &why);
}

static int says(const char *part)
{
    return strstr(why.msg, part) != NULL;
}

TEST(values_are_attached_or_follow)
{
    CHECK(parse(4, "--text=a=b", "--size", "2kb", "-tlast") == 0);
    CHECK(strcmp(got.text, "last") == 0);
    CHECK(got.size.given && got.size.value == 2048);
    CHECK(!got.time.given && operands.n == 0);
}

TEST(letters_can_be_written_together)
{
    CHECK(parse(2, "-fqe", "code") == 0);
    CHECK(got.flag == 1 && strcmp(got.once, "code") == 0);
    CHECK(parse(1, "-fecode") == 0 && strcmp(got.once, "code") == 0);
}

TEST(operands_and_flags_may_mix_until_two_dashes)
{
    CHECK(parse(6, "a", "-f", "-", "--", "--text", "-f") == 0);
    CHECK(operands.n == 4 && got.flag);
    CHECK(strcmp(operands.at[1], "-") == 0 && strcmp(operands.at[2], "--text") == 0);
}

TEST(an_empty_value_is_a_value)
{
    CHECK(parse(1, "--text=") == 0 && got.text[0] == '\0');
    CHECK(parse(2, "--text", "") == 0 && got.text[0] == '\0');
}

TEST(a_list_keeps_the_order)
{
    CHECK(parse(4, "--list", "1", "--list=2", "--list=3") == 0);
    CHECK(got.list.n == 3 && strcmp(got.list.at[2], "3") == 0);
}

TEST(a_list_that_is_too_long_is_refused)
{
    static char word[] = "--list=x", *argv[MAX_LIST + 1];
    for (int i = 0; i <= MAX_LIST; i++)
        argv[i] = word;
    got.list.n = 0;
    CHECK(options_parse(rows, MAX_LIST, argv, &got, &operands, &why) == 0);
    got.list.n = 0;
    CHECK(options_parse(rows, MAX_LIST + 1, argv, &got, &operands, &why) < 0);
}

TEST(there_may_be_as_many_operands_as_arguments)
{
    static char word[] = "x", flag[] = "-f", *argv[5000];
    for (int i = 0; i < 5000; i++)
        argv[i] = i % 2 ? word : flag;
    CHECK(options_parse(rows, 5000, argv, &got, &operands, &why) == 0);
    CHECK(operands.n == 2500 && operands.at[2499] == word);
}

TEST(the_last_of_several_wins_but_once_means_once)
{
    CHECK(parse(2, "--text=1", "--text=2") == 0 && got.text[0] == '2');
    CHECK(parse(2, "-e1", "--eval=2") < 0 && says("given twice"));
}

TEST(unknown_flags_are_refused_with_the_nearest)
{
    CHECK(parse(1, "--tetx=1") < 0 && says("did you mean --text?"));
    CHECK(parse(1, "--zzzzzzz") < 0 && says("unknown flag --zzzzzzz"));
    CHECK(parse(1, "-z") < 0 && says("unknown flag -z"));
    CHECK(parse(1, "--tex") < 0);    /* no abbreviations: they rot */
}

TEST(missing_and_extra_values_are_refused)
{
    CHECK(parse(1, "--text") < 0 && says("--text needs a value: --text TEXT"));
    CHECK(parse(1, "--flag=1") < 0 && says("takes no value"));
}

TEST(numbers_are_checked_with_their_bounds)
{
    CHECK(parse(1, "--size=12q") < 0 && says("--size: '12q' is not a size"));
    CHECK(parse(1, "--size=9") < 0 && says("below the least possible, 10"));
    CHECK(parse(1, "--number=101") < 0 && says("above the ceiling of 100"));
    CHECK(parse(1, "--number=100") == 0);
    CHECK(parse(1, "--number=-1") < 0);
    CHECK(parse(1, "--number=99999999999999999999") < 0);
    CHECK(parse(1, "--time=1.5s") == 0 && got.time.value == 1500);
}

TEST(a_choice_is_an_index)
{
    CHECK(parse(1, "--color=green") == 0 && got.color == 1);
    CHECK(parse(1, "--color=gren") < 0 && says("did you mean green?"));
    CHECK(parse(1, "--color=") < 0);
}

TEST(help_lists_what_has_a_help_text)
{
    AUTO_BUF out;
    buf_init(&out, 4096);
    options_help(rows, &out);
    buf_add(&out, "", 1);
    CHECK(strstr(out.at, "  -f, --flag") && strstr(out.at, "--size SIZE"));
    CHECK(!strstr(out.at, "--quick"));
}

TEST(every_flag_of_run_has_a_help_or_is_another_name)
{
    size_t shown = 0, hidden = 0;
    for (const struct option *o = run_option_rows; o->name; o++) {
        if (o->kind == OPTION_HEADING) {
            CHECK(!o->name[0] && o->help);
            continue;
        }
        *(o->help ? &shown : &hidden) += 1;
        CHECK(o->offset < sizeof(struct run_options));
        CHECK((o->kind == OPTION_FLAG) == !o->argument);
    }
    CHECK(shown > 50 && hidden == 1);    /* --wall */
}

TEST(walls_can_be_left_out_only_by_the_program_of_the_tests)
{
    CHECK(!option_named(run_option_rows, "leave-out"));
}

TEST(a_heading_is_no_flag)
{
    static const struct option with_heading[] = {
        { "", 0, OPTION_HEADING, NULL, "Group", 0 },
        { "flag", 'f', OPTION_FLAG, NULL, "a flag", AT(flag) },
        { "", 0, OPTION_HEADING, NULL, "Other", 0 },
        { NULL }
    };
    static char odd[] = "--=x", flag[] = "--flag", *argv[] = { odd };
    got = (struct target){ 0 };
    CHECK(options_parse(with_heading, 1, argv, &got, &operands, &why) < 0);
    argv[0] = flag;
    CHECK(options_parse(with_heading, 1, argv, &got, &operands, &why) == 0 && got.flag);
    AUTO_BUF out;
    buf_init(&out, 4096);
    options_help(with_heading, &out);
    buf_add(&out, "", 1);
    CHECK(strncmp(out.at, "Group:\n  -f, --flag", 19) == 0 && strstr(out.at, "\n\nOther:\n"));
}

TEST(what_follows_two_dashes_is_told_apart)
{
    CHECK(parse(5, "a", "b", "--", "c", "--text") == 0);
    CHECK(operands.n == 4 && operands.ahead == 2);
    CHECK(parse(2, "--", "a") == 0 && operands.n == 1 && operands.ahead == 0);
    CHECK(parse(3, "a", "-f", "b") == 0 && operands.ahead == 2);
    CHECK(parse(2, "a", "--") == 0 && operands.n == 1 && operands.ahead == 1);
}

TEST(it_can_be_asked_whether_a_flag_was_given)
{
    CHECK(parse(4, "-f", "--list=x", "--size=12b", "--color=green") == 0);
    static const char *const given[] = { "flag", "list", "size", "color" };
    static const char *const absent[] = { "text", "eval", "time", "number" };
    for (size_t i = 0; i < 4; i++) {
        CHECK(option_given(option_named(rows, given[i]), &got));
        CHECK(!option_given(option_named(rows, absent[i]), &got));
    }
    CHECK(!option_named(rows, "nope"));
}

/* ---- flags and engines ------------------------------------------------------ */

static struct run_options wish;

static int fits(enum engine engine, int argc, ...)
{
    static char *argv[16];
    va_list ap;
    va_start(ap, argc);
    for (int i = 0; i < argc; i++)
        argv[i] = va_arg(ap, char *);
    va_end(ap);
    wish = (struct run_options){ 0 };
    why = (struct err){ 0 };
    CHECK_INT(options_parse(run_option_rows, argc, argv, &wish, &operands, &why), 0);
    return fit_check(&wish, engine, &why) == 0;
}

TEST(flags_that_make_no_sense_for_an_engine_are_refused)
{
    CHECK(!fits(ENGINE_NODE, 2, "--root", "x") && says("--root is not for node programs"));
    CHECK(says("--file PATH=FILE"));
    CHECK(!fits(ENGINE_PYTHON, 2, "--module", "a=b") && says("--python"));
    CHECK(!fits(ENGINE_NODE, 2, "--setup", "x") && says("--preload"));
    CHECK(!fits(ENGINE_PYTHON, 2, "--packages", "x") && says("VENV/bin/python"));
    CHECK(!fits(ENGINE_NODE, 2, "--secret", "K@h") && says("end to end"));
    CHECK(!fits(ENGINE_NODE, 2, "--allow-import", "x") && !fits(ENGINE_PYTHON, 1, "--ts"));
    CHECK(!fits(ENGINE_JS, 2, "--mount", "a:/b") && says("it has no files"));
    CHECK(!fits(ENGINE_JS, 2, "--env", "A=1") && says("--input"));
    CHECK(fits(ENGINE_JS, 2, "--secret", "K@h") && fits(ENGINE_JS, 2, "--allow-net", "h"));
    CHECK(!fits(ENGINE_JS, 2, "--packages", "x") && !fits(ENGINE_JS, 1, "--cold"));
    CHECK(!fits(ENGINE_JS, 2, "--disk", "1mb") && !fits(ENGINE_JS, 2, "--permissions", "{}"));
}

TEST(flags_of_all_engines_fit_all)
{
    for (int e = 0; e < ENGINES; e++) {
        CHECK(fits((enum engine)e, 4, "--timeout=1s", "--memory=64mb", "--cpu=1s", "--json"));
        CHECK(fits((enum engine)e, 4, "--seed=1", "--input=1", "--jobs=2", "-q"));
    }
    CHECK(fits(ENGINE_NODE, 3, "--packages=x", "--mount=a:/b", "--ts"));
    CHECK(fits(ENGINE_PYTHON, 3, "--allow-import=x", "--out=d", "--env=A"));
    CHECK(fits(ENGINE_JS, 3, "--root=x", "--clock=0", "--max-timers=5"));
}

/* ---- times ---------------------------------------------------------------- */

static int64_t moment_ms(const char *text)
{
    uint64_t ns = 0;
    return moment_parse(text, &ns, NULL) < 0 ? -1 : (int64_t)(ns / 1000000);
}

TEST(moments_in_iso_8601_and_milliseconds)
{
    CHECK(moment_ms("0") == 0 && moment_ms("1700000000123") == 1700000000123);
    CHECK(moment_ms("1970-01-02") == 86400000);
    CHECK(moment_ms("2020-02-29T12:30:15Z") == 1582979415000);
    CHECK(moment_ms("2020-02-29T12:30:15.25+02:00") == 1582972215250);
    CHECK(moment_ms("2020-02-29 12:30") == 1582979400000);
}

TEST(malformed_moments_are_refused)
{
    static const char *const bad[] = {
        "", "soon", "2020-13-01", "2020-02-30", "2020-1-1", "1969-12-31",
        "2020-01-01T25:00Z", "2020-01-01T10:00:60Z", "2020-01-01T10:00Zx",
        "2020-01-01T10:00+2", "-5", "99999999999999", "999999999999999999999",
        "1970-01-01T00:00+01:00", "2020-01-01T10:00.Z",
    };
    for (size_t i = 0; i < COUNT(bad); i++)
        CHECK(moment_ms(bad[i]) == -1);
}

/* ---- does the input go on? ------------------------------------------------ */

static int goes_on(const char *text)
{
    return input_incomplete(str_of(text));
}

TEST(open_brackets_and_templates_go_on)
{
    CHECK(goes_on("f(") && goes_on("{") && goes_on("[1,\n2") && goes_on("`a"));
    CHECK(goes_on("`${a") && goes_on("`${`x") && goes_on("`${ {} } b"));
    CHECK(goes_on("/* open") && goes_on("x = ") && goes_on("a =>") && goes_on("a.b."));
}

TEST(whole_inputs_do_not)
{
    static const char *const whole[] = {
        "", "1", "f()", "`a${ {x: `b`} }c`", "'('", "\"{\"", "// (", "/* ( */ 1",
        "/[(]/.test(x)", "a / b / c", "i++", "x--", "1.", "'unclosed (", "a\\",
        "})", "x = /a\\/(/", "[1, 2].map(n => n * 2)", "{}", "a > b",
    };
    for (size_t i = 0; i < COUNT(whole); i++)
        CHECK(!goes_on(whole[i]));
}

TEST(deep_nesting_is_counted_beyond_what_is_kept)
{
    char text[2001];
    memset(text, '(', 1000);
    memset(text + 1000, ')', 1000);
    CHECK(input_incomplete((struct str){ text, 1999 }));
    CHECK(!input_incomplete((struct str){ text, 2000 }));
}
