/* cli/moment.c -- a point in time as people write it.
 * SPDX-License-Identifier: MIT */
#include "cli/moment.h"
#include "base/base.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static const uint64_t ns_per_s = 1000000000;

/* Exactly n digits at *s, then `after` (0: nothing). -1 if it is not so. */
static int digits(const char **s, int n, char after)
{
    int v = 0;
    for (int i = 0; i < n; i++, (*s)++) {
        if (**s < '0' || **s > '9')
            return -1;
        v = v * 10 + (**s - '0');
    }
    if (after && *(*s)++ != after)
        return -1;
    return v;
}

static int fraction(const char **s, uint64_t *out_ns)
{
    uint64_t unit = ns_per_s;
    if (**s != '.')
        return 0;
    const char *first = ++*s;
    for (; **s >= '0' && **s <= '9'; (*s)++) {
        unit /= 10;
        *out_ns += unit * (uint64_t)(**s - '0');
    }
    return *s == first ? -1 : 0;
}

/* Z, +hh:mm or nothing; how many seconds to subtract. */
static int zone(const char **s, int64_t *out_s)
{
    int sign = **s == '+' ? 1 : **s == '-' ? -1 : 0;
    if (**s == 'Z' || **s == 'z')
        (*s)++;
    if (!sign)
        return 0;
    (*s)++;
    int h = digits(s, 2, ':'), m = h < 0 ? -1 : digits(s, 2, 0);
    if (h < 0 || m < 0 || h > 23 || m > 59)
        return -1;
    *out_s = sign * (h * 3600 + m * 60);
    return 0;
}

static int in_range(const struct tm *t)
{
    return t->tm_year >= 70 && t->tm_year < 600 && t->tm_mon >= 0 &&
           t->tm_mon < 12 && t->tm_mday >= 1 && t->tm_mday <= 31 &&
           t->tm_hour >= 0 && t->tm_hour < 24 && t->tm_min >= 0 &&
           t->tm_min < 60 && t->tm_sec >= 0 && t->tm_sec < 60;
}

static int iso(const char *s, uint64_t *out_ns)
{
    struct tm t = { 0 };
    uint64_t part = 0;
    int64_t east = 0;
    t.tm_year = digits(&s, 4, '-') - 1900;
    if (t.tm_year < 0 || (t.tm_mon = digits(&s, 2, '-') - 1) < 0)
        return -1;
    t.tm_mday = digits(&s, 2, 0);
    if (*s == 'T' || *s == 't' || *s == ' ') {
        s++;
        if ((t.tm_hour = digits(&s, 2, ':')) < 0 ||
            (t.tm_min = digits(&s, 2, 0)) < 0)
            return -1;
        if (*s == ':' && (s++, t.tm_sec = digits(&s, 2, 0)) < 0)
            return -1;
        if (fraction(&s, &part) < 0 || zone(&s, &east) < 0)
            return -1;
    }
    int day = t.tm_mday;
    if (*s || !in_range(&t))
        return -1;
    int64_t seconds = (int64_t)timegm(&t) - east;
    if (t.tm_mday != day || seconds < 0)    /* 31 February */
        return -1;
    *out_ns = (uint64_t)seconds * ns_per_s + part;
    return 0;
}

static int milliseconds(const char *s, uint64_t *out_ns)
{
    uint64_t ms = 0;
    size_t n = strspn(s, "0123456789");
    if (!n || s[n] || n > 14)
        return -1;
    for (; *s; s++)
        ms = ms * 10 + (uint64_t)(*s - '0');
    *out_ns = ms * 1000000;
    return ms * 1000000 / 1000000 == ms ? 0 : -1;
}

int moment_parse(const char *text, uint64_t *out_ns, struct err *e)
{
    uint64_t ns = 0;
    if (iso(text, &ns) < 0 && milliseconds(text, &ns) < 0)
        return err_set(e, -EINVAL, "'%.60s' is not a time; write "
                       "2026-01-31T12:30:00Z, or milliseconds since 1970", text);
    *out_ns = ns;
    return 0;
}
