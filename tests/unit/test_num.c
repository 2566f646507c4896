/* tests/unit/test_num.c -- base/num.h.  SPDX-License-Identifier: MIT */
#include "base/base.h"
#include "base/err.h"
#include "base/num.h"
#include "tests/test.h"

#include <errno.h>

typedef int parse_fn(const char *, uint64_t *, struct err *);

struct good { const char *text; uint64_t value; };

static void check_good(parse_fn *parse, const struct good *g, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct err e = { 0 };
        uint64_t v = 0;
        if (parse(g[i].text, &v, &e) != 0)
            TEST_FAIL("'%s' refused: %s", g[i].text, e.msg);
        if (v != g[i].value)
            TEST_FAIL("'%s' gave %llu", g[i].text, (unsigned long long)v);
        CHECK_INT(e.code, 0);
    }
}

static void check_bad(parse_fn *parse, int code, const char *const *bad,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct err e = { 0 };
        uint64_t v = 4711;
        int r = parse(bad[i], &v, &e);
        if (r != code)
            TEST_FAIL("'%s' gave %d, value %llu", bad[i], r,
                      (unsigned long long)v);
        CHECK_INT(v, 4711);
        CHECK(e.code == code && strstr(e.msg, "is "));
        CHECK_INT(parse(bad[i], &v, NULL), code);
    }
}
#define GOOD(parse, table) check_good(parse, table, COUNT(table))
#define BAD(parse, code, ...) do {                              \
    static const char *const list_[] = { __VA_ARGS__ };         \
    check_bad(parse, code, list_, COUNT(list_));                \
} while (0)

TEST(durations_are_milliseconds_in_any_unit)
{
    static const struct good g[] = {
        { "0", 0 }, { "250", 250 }, { "200ms", 200 }, { "5s", 5000 },
        { "1.5s", 1500 }, { "2m", 120000 }, { "2min", 120000 },
        { "1h", 3600000 }, { "0.5h", 1800000 }, { "1d", 86400000 },
        { "5S", 5000 }, { "10 s", 10000 }, { "007s", 7000 },
        { "0.001s", 1 }, { "1.500000000000000000000000s", 1500 },
        { "18446744073709551615", UINT64_MAX },
        { "18446744073709551.615s", UINT64_MAX },
    };
    GOOD(num_duration, g);
    BAD(num_duration, -EINVAL, "", " ", "s", "5x", "5 x", "-5s", "+5s", ".5s",
        "5.s", "5..1s", "1.2.3s", "5s ", " 5s", "5  s", "5s5", "1e3", "0x10",
        "NaN", "inf", "5\xC2\xB5s", "1,5s", "5mb",
        "0.5ms", "1.0005s", "0.00001666666666666666666666666s");
    BAD(num_duration, -ERANGE, "18446744073709551616", "99999999999999999999h",
        "18446744073709551.616s", "5124095576031h",
        "340282366920938463463374607431768211456ms");
}

TEST(sizes_are_bytes_and_their_units_are_binary)
{
    static const struct good g[] = {
        { "0", 0 }, { "1000", 1000 }, { "100b", 100 }, { "100B", 100 },
        { "512kb", 512 * KIB }, { "512k", 512 * KIB }, { "512KiB", 512 * KIB },
        { "64mb", 64 * MIB }, { "64MB", 64 * MIB }, { "64mib", 64 * MIB },
        { "1gb", 1024 * MIB }, { "1.5gb", 1536 * MIB }, { "0.5kb", 512 },
        { "2t", 2 * MIB * MIB }, { "1.5 MB", 1536 * KIB },
        { "16777215tib", UINT64_MAX - MIB * MIB + 1 },
        { "0.0009765625kb", 1 },
    };
    GOOD(num_size, g);
    BAD(num_size, -EINVAL, "", "mb", "64m b", "64mbs", "-1", "0.3kb", "0.1b",
        "1.5", "64%", "5s", "1 234", "1_000");
    BAD(num_size, -ERANGE, "16777216tb", "18446744073709551616",
        "99999999999999999999999999999999999999gb");
}

TEST(counts_and_whole_numbers)
{
    static const struct good c[] = {
        { "1000", 1000 }, { "10k", 10000 }, { "1.5K", 1500 },
        { "2m", 2000000 }, { "0", 0 },
    };
    static const struct good u[] = {
        { "0", 0 }, { "42", 42 }, { "18446744073709551615", UINT64_MAX },
    };
    GOOD(num_count, c);
    GOOD(num_u64, u);
    BAD(num_count, -EINVAL, "", "1.5", "10kb", "0.0001k", "-1", "many");
    BAD(num_count, -ERANGE, "18446744073709551616", "18446744073709552k");
    BAD(num_u64, -EINVAL, "", "-0", "1.0", "10k", "1 ", "x");
    BAD(num_u64, -ERANGE, "18446744073709551616");
}

TEST(signed_numbers_reach_both_ends_and_not_further)
{
    static const struct { const char *text; int64_t v; int r; } t[] = {
        { "0", 0, 0 }, { "-0", 0, 0 }, { "-1", -1, 0 }, { "42", 42, 0 },
        { "9223372036854775807", INT64_MAX, 0 },
        { "-9223372036854775808", INT64_MIN, 0 },
        { "9223372036854775808", 0, -ERANGE },
        { "-9223372036854775809", 0, -ERANGE },
        { "-99999999999999999999999", 0, -ERANGE },
        { "", 0, -EINVAL }, { "-", 0, -EINVAL }, { "--1", 0, -EINVAL },
        { "- 1", 0, -EINVAL }, { "+1", 0, -EINVAL }, { "1.5", 0, -EINVAL },
    };
    for (size_t i = 0; i < COUNT(t); i++) {
        struct err e = { 0 };
        int64_t v = 4711;
        CHECK_INT(num_i64(t[i].text, &v, &e), t[i].r);
        CHECK_INT(v, t[i].r ? 4711 : t[i].v);
        CHECK_INT(e.code, t[i].r);
        CHECK_INT(num_i64(t[i].text, &v, NULL), t[i].r);
    }
}

static const char *complaint(parse_fn *parse, const char *text, struct err *e)
{
    uint64_t v;
    CHECK(parse(text, &v, e) < 0);
    return e->msg;
}

TEST(a_refusal_says_what_was_wrong_and_what_would_be_right)
{
    struct err e;
    CHECK_TEXT(complaint(num_duration, "5x", &e),
               "'5x' is not a duration; try 500ms, 5s or 2m");
    CHECK_TEXT(complaint(num_size, "lots", &e),
               "'lots' is not a size; try 512kb, 64mb or 1gb");
    CHECK_TEXT(complaint(num_count, "-3", &e),
               "'-3' is not a count; try 1000 or 10k");
    CHECK_TEXT(complaint(num_u64, "1.5", &e),
               "'1.5' is not a whole number; try 0 or 42");
    CHECK_TEXT(complaint(num_duration, "0.5ms", &e),
               "'0.5ms' is not a whole number of milliseconds; "
               "try 500ms, 5s or 2m");
    CHECK_TEXT(complaint(num_size, "99999999999tb", &e),
               "'99999999999tb' is too large for a size");

    int64_t v;
    CHECK(num_i64("-1k", &v, &e) < 0);
    CHECK_TEXT(e.msg, "'-1k' is not a whole number; try 42 or -1");
}

TEST(bytes_are_shown_the_way_people_say_them)
{
    static const struct { uint64_t v; const char *text; } t[] = {
        { 0, "0 B" }, { 1, "1 B" }, { 1023, "1023 B" }, { 1024, "1 KB" },
        { 1536, "1.5 KB" }, { 64 * MIB, "64 MB" }, { 1536 * KIB, "1.5 MB" },
        { MIB - 1, "1 MB" },                 /* not 1024 KB */
        { 1023 * KIB, "1023 KB" }, { 10 * MIB + 52429, "10.1 MB" },
        { 1024 * MIB, "1 GB" }, { MIB * MIB, "1 TB" },
        { UINT64_MAX, "16 EB" },
    };
    for (size_t i = 0; i < COUNT(t); i++)
        CHECK_TEXT(num_show_bytes(t[i].v).at, t[i].text);
}

TEST(times_are_shown_the_way_people_say_them)
{
    static const struct { uint64_t v; const char *text; } t[] = {
        { 0, "0 ms" }, { 999, "999 ms" }, { 1000, "1 s" }, { 1500, "1.5 s" },
        { 1234, "1.234 s" }, { 30000, "30 s" }, { 59999, "59.999 s" },
        { 60000, "1 min" }, { 150000, "2 min 30 s" }, { 3600000, "1 h" },
        { 5400000, "1 h 30 min" }, { 86400000, "1 d" },
        { 90000000, "1 d 1 h" }, { UINT64_MAX, "213503982334 d 14 h" },
    };
    for (size_t i = 0; i < COUNT(t); i++)
        CHECK_TEXT(num_show_ms(t[i].v).at, t[i].text);
}
