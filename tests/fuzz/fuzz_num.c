/*
 * tests/fuzz/fuzz_num.c -- any text as a number.
 *
 * Properties: what is accepted agrees with strtold() within rounding; a refusal
 * explains itself and leaves the value alone; what we show for people is read
 * back as about the same.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "base/err.h"
#include "base/num.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds) { if (!holds) abort(); }

static int is_near(long double a, long double b, long double share)
{
    long double gap = a > b ? a - b : b - a;
    return gap <= 1e-9L || gap <= share * (a > b ? a : b);
}

/* Some whole unit of the scale must explain the value. */
static void check_value(const char *text, uint64_t v, const uint64_t *worth,
                        size_t count)
{
    long double written = strtold(text, NULL);
    for (size_t i = 0; i < count; i++)
        if (is_near(written * (long double)worth[i], (long double)v, 1e-15L))
            return;
    abort();
}

static void check_scale(int (*parse)(const char *, uint64_t *, struct err *),
                        const char *text, const uint64_t *worth, size_t count)
{
    struct err e = { 0 };
    uint64_t v = 4711;
    int r = parse(text, &v, &e);
    require(r == e.code && r <= 0);
    if (r == 0)
        check_value(text, v, worth, count);
    else
        require(v == 4711 && strlen(e.msg) > 10);
}

static void check_signed(const char *text)
{
    struct err e = { 0 };
    int64_t v = 4711;
    int r = num_i64(text, &v, &e);
    require(r == e.code && r <= 0);
    if (r == 0)
        require(v == strtoll(text, NULL, 10));
    else
        require(v == 4711 && strlen(e.msg) > 10);
}

static void check_show(uint64_t v)
{
    uint64_t back = 0;
    require(strlen(num_show_ms(v).at) >= 3);
    struct num_text t = num_show_bytes(v);
    if (strchr("PE", t.at[strlen(t.at) - 2]))
        return;    /* shown, but too large to be a limit anybody writes */

    /* "1.3 KB" is no whole number of bytes, so it may be refused */
    if (num_size(t.at, &back, NULL) == 0)
        require(is_near((long double)back, (long double)v, 0.051L));
    else
        require(strchr(t.at, '.') != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t ms[] = { 1, 1000, 60000, 3600000, 86400000 };
    static const uint64_t bytes[] = { 1, KIB, MIB, MIB * KIB, MIB * MIB };
    static const uint64_t ones[] = { 1, 1000, 1000000 };
    char text[200];
    size_t len = size < sizeof text - 1 ? size : sizeof text - 1;
    uint64_t v = 0;

    memcpy(text, data, len);
    text[len] = 0;
    check_scale(num_duration, text, ms, COUNT(ms));
    check_scale(num_size, text, bytes, COUNT(bytes));
    check_scale(num_count, text, ones, COUNT(ones));
    check_scale(num_u64, text, ones, 1);
    check_signed(text);
    memcpy(&v, text, len < sizeof v ? len : sizeof v);
    check_show(v);
    return 0;
}
