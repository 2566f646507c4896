/*
 * bench/measure.h -- clocks, order statistics, and where figures go.
 *
 * A figure is a dotted name with its unit at the end ("latency.one.p50_us")
 * and a number. Each benchmark appends its figures as lines to the file that
 * $GB_BENCH_FIGURES names (none: they are only shown); report.py makes
 * results.json of them.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline uint64_t measure_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t measure_wall_ns(void)
{
    return measure_clock(CLOCK_MONOTONIC);
}

static inline uint64_t measure_cpu_ns(void)
{
    return measure_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* ---- samples ---------------------------------------------------------- */

struct samples {
    uint64_t *at;
    size_t    n, room;
};

static inline void samples_open(struct samples *s, size_t room)
{
    *s = (struct samples){ .at = calloc(room, sizeof *s->at), .room = room };
    if (!s->at) {
        perror("samples");
        exit(1);
    }
}

static inline void samples_close(struct samples *s) { free(s->at); }

static inline void samples_add(struct samples *s, uint64_t ns)
{
    if (s->n < s->room)
        s->at[s->n++] = ns;
}

static inline int samples_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static inline void samples_sort(struct samples *s)
{
    qsort(s->at, s->n, sizeof *s->at, samples_order);
}

/* Of sorted samples; 50 is the median, 100 the greatest. */
static inline double samples_part_us(const struct samples *s, unsigned percent)
{
    return s->n ? (double)s->at[(s->n - 1) * percent / 100] / 1e3 : 0;
}

static inline double samples_mean_us(const struct samples *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++)
        sum += (double)s->at[i];
    return s->n ? sum / 1e3 / (double)s->n : 0;
}

/* ---- figures ---------------------------------------------------------- */

__attribute__((format(printf, 2, 3)))
static inline void figure(double value, const char *name, ...)
{
    const char *path = getenv("GB_BENCH_FIGURES");
    FILE *f = path && *path ? fopen(path, "ae") : NULL;
    if (!f)
        return;
    va_list ap;
    va_start(ap, name);
    vfprintf(f, name, ap);
    va_end(ap);
    fprintf(f, " %.6g\n", value);
    fclose(f);
}
