/*
 * bench/lateness.c -- how late a run ends that must end at 100 ms.
 *
 *   lateness IMAGE
 *
 * Ended is from just before run_start() to the result, less the limit; ready
 * is until the cell is a fresh copy again. A run that ends by itself before the
 * limit is a mistake here.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bench/inproc.h"
#include "bench/measure.h"

enum { LIMIT_MS = 100, RUNS = 25 };

static const struct {
    const char *key, *name, *source;
    int         by_cpu;
} hogs[] = {
    { "loop_wall", "loop, wall limit", "for (;;);", 0 },
    { "loop_cpu", "loop, CPU limit",  "for (;;);", 1 },
    { "try", "try around it",    "for (;;) { try { for (;;); } catch {} }", 0 },
    { "promises", "promise chain",    "const f = () => Promise.resolve().then(f); f();"
                          "new Promise(() => {})", 0 },
    { "timer", "timer, waiting",   "setTimeout(() => {}, 1e6); 1", 0 },
    { "builtin", "long builtin",     "const s = 'a'.repeat(3e6);"
                                  "s.indexOf('a'.repeat(1e6) + 'b')", 0 },
    { "regex", "regex",            "/^(a+)+$/.test('a'.repeat(40) + 'b')", 0 },
    { "regex_nested", "regex, nested",   "/(x+x+)+y/.test('x'.repeat(64))", 0 },
    { "sort", "sort",             "[...Array(4e5).keys()].sort("
                                  "() => { for (let i = 0; i < 9; i++); return -1 })", 0 },
    { "join", "huge join",        "const a = Array(3e6).fill('ab');"
                                  "for (;;) a.join()", 0 },
    { "allocating", "allocating",       "const a = [];"
                                  "for (;;) { a.push({}); if (a.length > 1e4) a.length = 0 }", 0 },
    { "json", "JSON of much",     "const o = Array(2e5).fill({ a: [1, 2, 3] });"
                                  "for (;;) JSON.stringify(o)", 0 },
};

static uint64_t past_limit(uint64_t ns)
{
    const uint64_t limit = (uint64_t)LIMIT_MS * 1000000u;
    return ns > limit ? ns - limit : 0;
}

static void run_hog(struct cell *c, size_t which, struct samples *ended,
                    struct samples *ready)
{
    struct msg_run req = { .limits = run_limits_default, .name = STR("main.js"),
                           .source = str_of(hogs[which].source) };
    struct msg_result r;
    clockid_t clock = CLOCK_MONOTONIC;
    if (hogs[which].by_cpu) {
        req.limits.cpu_time_ms = LIMIT_MS;
        clock = CLOCK_THREAD_CPUTIME_ID;
    } else {
        req.limits.wall_time_ms = LIMIT_MS;
    }
    uint64_t began = measure_clock(clock);
    inproc_run(c, &req, &r);
    uint64_t end = measure_clock(clock) - began;
    cell_reset(c);
    if (r.reason != REASON_WALL_TIME_LIMIT && r.reason != REASON_CPU_TIME_LIMIT) {
        fprintf(stderr, "lateness: %s ended as %s after %.1f ms\n",
                hogs[which].name, reason_text((enum reason)r.reason),
                (double)end / 1e6);
        exit(1);
    }
    samples_add(ended, past_limit(end));
    samples_add(ready, past_limit(measure_clock(clock) - began));
}

/* Returns the median lateness of its end in ms. */
static double measure_hog(struct cell *c, size_t which)
{
    struct samples ended, ready;
    samples_open(&ended, RUNS);
    samples_open(&ready, RUNS);
    for (int k = 0; k < RUNS; k++)
        run_hog(c, which, &ended, &ready);
    samples_sort(&ended);
    samples_sort(&ready);
    double p50 = samples_part_us(&ended, 50) / 1e3;
    double max = samples_part_us(&ended, 100) / 1e3;
    double ready_p50 = samples_part_us(&ready, 50) / 1e3;
    printf("  %-16s %10.2f %8.2f %12.2f\n", hogs[which].name, p50, max, ready_p50);
    figure(p50, "lateness.%s.p50_ms", hogs[which].key);
    figure(max, "lateness.%s.max_ms", hogs[which].key);
    figure(ready_p50, "lateness.%s.ready_p50_ms", hogs[which].key);
    samples_close(&ended);
    samples_close(&ready);
    return p50;
}

int main(int argc, char **argv)
{
    struct image im;
    struct cell c;
    struct err e = { 0 };
    double worst = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: lateness IMAGE\n");
        return 2;
    }
    inproc_start(argv[1], &im);
    if (cell_new(&im, CELL_TRACKED, &c, &e) < 0)
        inproc_die(&e);
    printf("lateness at a limit of %d ms, %d runs each, in process\n"
           "  %-16s %10s %8s %12s\n", LIMIT_MS, RUNS, "program", "p50 ms",
           "max ms", "ready p50 ms");
    for (size_t i = 0; i < COUNT(hogs); i++) {
        double p50 = measure_hog(&c, i);
        worst = p50 > worst ? p50 : worst;
    }
    figure(worst, "lateness.worst_p50_ms");
    cell_free(&c);
    return 0;
}
