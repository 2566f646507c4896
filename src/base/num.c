/* base/num.c -- numbers for people.  SPDX-License-Identifier: MIT */
#include "base/num.h"
#include "base/base.h"
#include "base/err.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* --- reading -------------------------------------------------------------- */

struct unit {
    const char *name;
    uint64_t    worth;
};

/* A way to write a quantity: its units, and the words for its errors. */
struct scale {
    const char        *what;      /* "a duration" */
    const char        *grain;     /* what it is counted in */
    const char        *advice;
    const struct unit *units;     /* ends with a NULL name */
};

static const struct unit no_units[] = { { "", 1 }, { NULL, 0 } };

static const struct scale durations = {
    "a duration", "milliseconds", "try 500ms, 5s or 2m",
    (const struct unit[]){
        { "", 1 }, { "ms", 1 }, { "s", 1000 }, { "m", 60000 },
        { "min", 60000 }, { "h", 3600000 }, { "d", 86400000 }, { NULL, 0 },
    },
};

static const struct scale sizes = {
    "a size", "bytes", "try 512kb, 64mb or 1gb",
    (const struct unit[]){
        { "", 1 }, { "b", 1 },
        { "k", KIB }, { "kb", KIB }, { "kib", KIB },
        { "m", MIB }, { "mb", MIB }, { "mib", MIB },
        { "g", MIB * KIB }, { "gb", MIB * KIB }, { "gib", MIB * KIB },
        { "t", MIB * MIB }, { "tb", MIB * MIB }, { "tib", MIB * MIB },
        { NULL, 0 },
    },
};

static const struct scale counts = {
    "a count", "ones", "try 1000 or 10k",
    (const struct unit[]){
        { "", 1 }, { "k", 1000 }, { "m", 1000000 }, { NULL, 0 },
    },
};

static const struct scale naturals = {
    "a whole number", "ones", "try 0 or 42", no_units,
};

static const struct scale integers = {
    "a whole number", "ones", "try 42 or -1", no_units,
};

static int refuse(const struct scale *s, const char *text, struct err *e)
{
    return err_set(e, -EINVAL, "'%.60s' is not %s; %s", text, s->what,
                   s->advice);
}

static int too_large(const struct scale *s, const char *text, struct err *e)
{
    return err_set(e, -ERANGE, "'%.60s' is too large for %s", text, s->what);
}

/* A decimal number as written: whole + part / scale. */
struct decimal {
    uint64_t whole, part, scale;
    int      overflow, too_fine;
};

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *read_whole(const char *at, struct decimal *d)
{
    for (; is_digit(*at); at++)
        d->overflow |= __builtin_mul_overflow(d->whole, 10, &d->whole)
            || __builtin_add_overflow(d->whole, (unsigned)(*at - '0'),
                                      &d->whole);
    return at;
}

/* Eighteen digits fit; zeros after the last other digit do not count. */
static const char *read_part(const char *at, struct decimal *d)
{
    const char *end = at;
    while (is_digit(*end))
        end++;
    const char *last = end;
    while (last > at && last[-1] == '0')
        last--;

    d->too_fine = last - at > 18;
    for (; at < last && !d->too_fine; at++) {
        d->part = d->part * 10 + (unsigned)(*at - '0');
        d->scale *= 10;
    }
    return end;
}

static const struct unit *find_unit(const struct unit *u, const char *name)
{
    while (u->name && strcasecmp(u->name, name) != 0)
        u++;
    return u->name ? u : NULL;
}

static int read_number(const char *text, const struct scale *s, uint64_t *out,
                       struct err *e)
{
    struct decimal d = { .scale = 1 };
    const char *at = read_whole(text, &d);
    if (at == text)
        return refuse(s, text, e);
    if (*at == '.' && is_digit(at[1]) && s->units != no_units)
        at = read_part(at + 1, &d);
    if (*at == ' ' && at[1])
        at++;
    const struct unit *unit = find_unit(s->units, at);
    if (!unit)
        return refuse(s, text, e);

    /* part < 10^18 and worth <= 2^40, so their product fits in 100 bits */
    unsigned __int128 rest = (unsigned __int128)d.part * unit->worth;
    uint64_t v = 0;
    if (d.too_fine || rest % d.scale != 0)
        return err_set(e, -EINVAL, "'%.60s' is not a whole number of %s; %s",
                       text, s->grain, s->advice);
    if (d.overflow || __builtin_mul_overflow(d.whole, unit->worth, &v)
        || __builtin_add_overflow(v, (uint64_t)(rest / d.scale), &v))
        return too_large(s, text, e);
    *out = v;
    return 0;
}

int num_duration(const char *text, uint64_t *out_ms, struct err *e)
{
    return read_number(text, &durations, out_ms, e);
}

int num_size(const char *text, uint64_t *out_bytes, struct err *e)
{
    return read_number(text, &sizes, out_bytes, e);
}

int num_count(const char *text, uint64_t *out, struct err *e)
{
    return read_number(text, &counts, out, e);
}

int num_u64(const char *text, uint64_t *out, struct err *e)
{
    return read_number(text, &naturals, out, e);
}

int num_i64(const char *text, int64_t *out, struct err *e)
{
    int minus = text[0] == '-';
    uint64_t size = 0;
    struct err why;
    int r = read_number(text + minus, &integers, &size, &why);
    if (r == -ERANGE || (r == 0 && size > (uint64_t)INT64_MAX + minus))
        return too_large(&integers, text, e);
    if (r < 0)
        return refuse(&integers, text, e);
    *out = minus ? (int64_t)(0 - size) : (int64_t)size;
    return 0;
}

/* --- showing -------------------------------------------------------------- */

static uint64_t tenths_of(uint64_t v, uint64_t unit)
{
    return v / unit * 10 + (v % unit * 10 + unit / 2) / unit;
}

struct num_text num_show_bytes(uint64_t bytes)
{
    static const char *const names[] = {
        "B", "KB", "MB", "GB", "TB", "PB", "EB",
    };
    struct num_text t;
    size_t i = 0;
    uint64_t unit = 1, tenths;

    if (bytes < KIB) {
        snprintf(t.at, sizeof t.at, "%" PRIu64 " B", bytes);
        return t;
    }
    do {    /* rounding may carry into the next unit: never "1024 KB" */
        unit *= KIB;
        tenths = tenths_of(bytes, unit);
        i++;
    } while (i + 1 < COUNT(names) && tenths >= 10 * KIB);

    if (tenths % 10)
        snprintf(t.at, sizeof t.at, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10,
                 tenths % 10, names[i]);
    else
        snprintf(t.at, sizeof t.at, "%" PRIu64 " %s", tenths / 10, names[i]);
    return t;
}

static struct num_text show_seconds(uint64_t ms)
{
    struct num_text t;
    int n = snprintf(t.at, sizeof t.at, "%u.%03u", (unsigned)(ms / 1000),
                     (unsigned)(ms % 1000));
    while (t.at[n - 1] == '0')
        n--;
    if (t.at[n - 1] == '.')
        n--;
    snprintf(t.at + n, sizeof t.at - (size_t)n, " s");
    return t;
}

/* The two largest units; what is smaller than both is dropped. */
struct num_text num_show_ms(uint64_t ms)
{
    static const struct { uint64_t worth; const char *name; } units[] = {
        { 86400000, "d" }, { 3600000, "h" }, { 60000, "min" }, { 1000, "s" },
    };
    struct num_text t;
    size_t i = 0;

    if (ms < 1000) {
        snprintf(t.at, sizeof t.at, "%" PRIu64 " ms", ms);
        return t;
    }
    if (ms < 60000)
        return show_seconds(ms);

    while (ms < units[i].worth)
        i++;
    uint64_t big = ms / units[i].worth;
    uint64_t small = ms % units[i].worth / units[i + 1].worth;
    int n = snprintf(t.at, sizeof t.at, "%" PRIu64 " %s", big, units[i].name);
    if (small > 0)
        snprintf(t.at + n, sizeof t.at - (size_t)n, " %" PRIu64 " %s", small,
                 units[i + 1].name);
    return t;
}
