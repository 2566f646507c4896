/* cli/timing.c -- how long runs took.  SPDX-License-Identifier: MIT */
#include "cli/timing.h"
#include "env/clock.h"

#include <errno.h>
#include <stdlib.h>

int timing_open(struct timing *t, size_t room, struct err *e)
{
    *t = (struct timing){ .room = room };
    t->took_ns = calloc(room, sizeof *t->took_ns);
    return t->took_ns ? 0 : err_set(e, -ENOMEM, "no memory");
}

void timing_close(struct timing *t)
{
    free(t->took_ns);
    t->took_ns = NULL;
}

void timing_add(struct timing *t, uint64_t began_ns)
{
    if (!began_ns || t->n == t->room)
        return;
    t->last_ns = clock_now_ns();
    t->took_ns[t->n++] = t->last_ns - began_ns;
    if (!t->first_ns || began_ns < t->first_ns)
        t->first_ns = began_ns;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static double part_us(const struct timing *t, size_t percent)
{
    return (double)t->took_ns[(t->n - 1) * percent / 100] / 1e3;
}

void timing_say(struct timing *t, struct term *term)
{
    if (!t->n)
        return;
    qsort(t->took_ns, t->n, sizeof *t->took_ns, by_size);
    double sum = 0;
    for (size_t i = 0; i < t->n; i++)
        sum += (double)t->took_ns[i];
    double seconds = (double)(t->last_ns - t->first_ns) / 1e9;
    term_say(term, "%zu runs, mean %.1f µs, p50 %.1f µs, p99 %.1f µs, %.0f runs/s",
             t->n, sum / 1e3 / (double)t->n, part_us(t, 50), part_us(t, 99),
             seconds > 0 ? (double)t->n / seconds : 0);
}
