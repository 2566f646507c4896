/*
 * bench/latency.c -- what a fresh run costs in the worker's own loop.
 *
 *   latency IMAGE UNSEEN.js [NAME=IMAGE...]
 *   latency --json IMAGE      only the program of peers.mjs, for it to read
 *
 * A fresh run is what the worker does for each program: evaluate it in the
 * cell, take the value out, make the cell a copy of its image again. There is
 * no process boundary here; cli.py measures with it.
 *
 *   tiny      the same small program again and again, several of them
 *   unseen    programs of the size agents write, each run once, in a cell
 *             that has never seen any of them (and was not trained with them)
 *   size      the same by size of the image: what reset alone costs
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/io.h"
#include "bench/inproc.h"
#include "bench/measure.h"
#include <string.h>

enum { WARM_UP = 300, RUNS = 10000, MAX_UNSEEN = 256 };

static const struct { const char *name, *source, *value; } tiny[] = {
    { "one",     "1", "1" },
    { "array",   "[4,5,6].map(x => x * 10).join()", "\"40,50,60\"" },
    { "object",  "({ id: 7, tags: ['a', 'b'], nested: { ok: true } })",
                 "{\"id\":7,\"tags\":[\"a\",\"b\"],\"nested\":{\"ok\":true}}" },
    { "text",    "let s = ''; for (let i = 0; i < 5; i++) s += `${i};`; s",
                 "\"0;1;2;3;4;\"" },
    { "json",    "JSON.parse('{\"a\":[1,2,{\"b\":null}]}').a.length", "3" },
    { "promise", "await Promise.all([1, 2].map(async x => x + 1))", "[2,3]" },
    { "log",     "console.log('hello', 42)", "" },
    { "throw",   "throw new TypeError('no such row')", NULL },
};

struct times {
    struct samples run, reset, both;
};

static void times_open(struct times *t, size_t room)
{
    samples_open(&t->run, room);
    samples_open(&t->reset, room);
    samples_open(&t->both, room);
}

static void times_close(struct times *t)
{
    samples_close(&t->run);
    samples_close(&t->reset);
    samples_close(&t->both);
}

static void times_sort(struct times *t)
{
    samples_sort(&t->run);
    samples_sort(&t->reset);
    samples_sort(&t->both);
}

static struct msg_run request(struct str source)
{
    return (struct msg_run){ .limits = run_limits_default, .name = STR("main.js"),
                             .source = source };
}

/* One fresh run; t may be NULL. out's strs last until the next. */
static void fresh(struct cell *c, const struct msg_run *req, struct times *t,
                  struct msg_result *out)
{
    uint64_t began = measure_wall_ns();
    inproc_run(c, req, out);
    uint64_t ran = measure_wall_ns();
    cell_reset(c);
    uint64_t done = measure_wall_ns();
    if (!t)
        return;
    samples_add(&t->run, ran - began);
    samples_add(&t->reset, done - ran);
    samples_add(&t->both, done - began);
}

static struct cell new_cell(const struct image *im)
{
    struct cell c;
    struct err e = { 0 };
    if (cell_new(im, CELL_TRACKED, &c, &e) < 0)
        inproc_die(&e);
    cell_reset(&c);    /* as a worker does before its first run */
    return c;
}

/* ---- tiny ------------------------------------------------------------- */

/* Runs it often; returns CPU time a run in microseconds. */
static double repeat(struct cell *c, const struct msg_run *req, struct times *t)
{
    struct msg_result r;
    for (int i = 0; i < WARM_UP; i++)
        fresh(c, req, NULL, &r);
    uint64_t cpu = measure_cpu_ns();
    for (int i = 0; i < RUNS; i++)
        fresh(c, req, t, &r);
    cpu = measure_cpu_ns() - cpu;
    times_sort(t);
    return (double)cpu / 1e3 / RUNS;
}

static void check_value(struct cell *c, const struct msg_run *req,
                        const char *name, const char *value)
{
    struct msg_result r;
    fresh(c, req, NULL, &r);
    if (value ? !str_is(r.value, value) : r.reason != REASON_EXCEPTION) {
        fprintf(stderr, "latency: %s gave %s %.*s\n", name,
                reason_text((enum reason)r.reason), (int)r.value.len, r.value.at);
        exit(1);
    }
}

static void measure_tiny(const struct image *im)
{
    struct cell c = new_cell(im);
    printf("fresh run, in process (%u hot pages)\n"
           "  %-9s %8s %8s %8s %8s %9s %9s\n", im->head.hot_pages, "program",
           "p50 us", "p99 us", "mean us", "cpu us", "reset us", "runs/s");
    for (size_t i = 0; i < COUNT(tiny); i++) {
        struct msg_run req = request(str_of(tiny[i].source));
        struct times t;
        times_open(&t, RUNS);
        check_value(&c, &req, tiny[i].name, tiny[i].value);
        double cpu = repeat(&c, &req, &t), p50 = samples_part_us(&t.both, 50);
        double mean = samples_mean_us(&t.both);
        double p99 = samples_part_us(&t.both, 99);
        double reset = samples_part_us(&t.reset, 50);
        printf("  %-9s %8.1f %8.1f %8.1f %8.1f %9.1f %9.0f\n", tiny[i].name, p50,
               p99, mean, cpu, reset, 1e6 / mean);
        figure(p50, "latency.tiny.%s.p50_us", tiny[i].name);
        figure(p99, "latency.tiny.%s.p99_us", tiny[i].name);
        figure(mean, "latency.tiny.%s.mean_us", tiny[i].name);
        figure(cpu, "latency.tiny.%s.cpu_us", tiny[i].name);
        figure(reset, "latency.tiny.%s.reset_p50_us", tiny[i].name);
        times_close(&t);
    }
    cell_free(&c);
}

/* ---- unseen ----------------------------------------------------------- */

/* The file is programs with a line "//--" before each. */
static size_t split(struct str text, struct str *out, size_t room)
{
    static const char mark[] = "//--\n";
    const char *end = text.at + text.len;
    const char *p = memmem(text.at, text.len, mark, sizeof mark - 1);
    size_t n = 0;
    while (p && n < room) {
        p += sizeof mark - 1;
        const char *next = memmem(p, (size_t)(end - p), mark, sizeof mark - 1);
        out[n++] = (struct str){ p, (size_t)((next ? next : end) - p) };
        p = next;
    }
    return n;
}

static void pass(struct cell *c, const struct str *program, size_t n,
                 const char *name)
{
    struct times t;
    struct msg_result r;
    size_t slowest = 0, failed = 0;
    uint32_t pages = c->count;
    times_open(&t, n);
    uint64_t cpu = measure_cpu_ns();
    for (size_t i = 0; i < n; i++) {
        struct msg_run req = request(program[i]);
        fresh(c, &req, &t, &r);
        if (r.reason != REASON_COMPLETED) {
            printf("  program %zu: %s: %.*s%.*s\n", i + 1,
                   reason_text((enum reason)r.reason), (int)r.error_message.len,
                   r.error_message.at, (int)r.detail.len, r.detail.at);
            failed++;
        }
        if (t.both.at[i] > t.both.at[slowest])
            slowest = i;
    }
    double cpu_us = (double)(measure_cpu_ns() - cpu) / 1e3 / (double)n;
    times_sort(&t);
    double mean = samples_mean_us(&t.both), p50 = samples_part_us(&t.both, 50);
    double max = samples_part_us(&t.both, 100);
    printf("  %-7s mean %6.1f us, p50 %6.1f, max %7.1f (program %zu), cpu %6.1f; "
           "pages listed %u -> %u\n", name, mean, p50, max, slowest + 1, cpu_us,
           pages, c->count);
    figure(mean, "latency.unseen.%s.mean_us", name);
    figure(p50, "latency.unseen.%s.p50_us", name);
    figure(max, "latency.unseen.%s.max_us", name);
    figure(cpu_us, "latency.unseen.%s.cpu_us", name);
    figure((double)failed, "latency.unseen.%s.failed", name);
    times_close(&t);
}

static void measure_unseen(const struct image *im, const char *path)
{
    static struct str program[MAX_UNSEEN];
    struct err e = { 0 };
    AUTO_BUF text;
    buf_init(&text, 1 << 20);
    if (io_read_file(path, 1 << 20, &text, &e) < 0)
        inproc_die(&e);
    size_t n = split(buf_str(&text), program, MAX_UNSEEN);
    struct cell c = new_cell(im);
    printf("\n%zu different programs, each once, in order\n", n);
    figure((double)n, "latency.unseen.programs");
    pass(&c, program, n, "first");
    pass(&c, program, n, "second");
    cell_free(&c);
}

/* ---- size ------------------------------------------------------------- */

static void measure_size(const char *name, const struct image *im)
{
    struct cell c = new_cell(im);
    struct msg_run req = request(STR("[4,5,6].map(x => x * 10).join()"));
    struct times t;
    times_open(&t, RUNS);
    double cpu = repeat(&c, &req, &t);
    double mb = (double)im->head.memory_bytes / (double)MIB;
    double reset = samples_part_us(&t.reset, 50);
    double both = samples_part_us(&t.both, 50);
    printf("  %-9s %6.2f MB  %4u pages listed  reset p50 %5.1f us  "
           "fresh run p50 %5.1f us, cpu %5.1f us\n", name, mb, c.count, reset,
           both, cpu);
    figure(mb, "latency.size.%s.image_mb", name);
    figure(c.count, "latency.size.%s.pages", name);
    figure(reset, "latency.size.%s.reset_p50_us", name);
    figure(both, "latency.size.%s.p50_us", name);
    times_close(&t);
    cell_free(&c);
}

static void measure_sizes(const struct image *base, char **named, int count)
{
    printf("\nby image\n");
    measure_size("base", base);
    for (int i = 0; i < count; i++) {
        char name[32];
        const char *eq = strchr(named[i], '=');
        size_t len = eq ? (size_t)(eq - named[i]) : 0;
        if (!len || len >= sizeof name)
            continue;
        memcpy(name, named[i], len);
        name[len] = '\0';
        struct image im;
        inproc_open(eq + 1, &im);
        measure_size(name, &im);
    }
}

/* The program that the peers run, too. */
static int for_peers(const char *path)
{
    struct image im;
    inproc_start(path, &im);
    struct cell c = new_cell(&im);
    struct msg_run req = request(STR("[4,5,6].map(x => x * 10).join()"));
    struct times t;
    times_open(&t, RUNS);
    double cpu = repeat(&c, &req, &t);
    printf("{\"p50_us\":%.3f,\"p99_us\":%.3f,\"cpu_us\":%.3f}\n",
           samples_part_us(&t.both, 50), samples_part_us(&t.both, 99), cpu);
    times_close(&t);
    return 0;
}

int main(int argc, char **argv)
{
    struct image im;
    if (argc == 3 && strcmp(argv[1], "--json") == 0)
        return for_peers(argv[2]);
    if (argc < 3) {
        fprintf(stderr, "usage: latency IMAGE UNSEEN.js [NAME=IMAGE...]\n");
        return 2;
    }
    inproc_start(argv[1], &im);
    measure_unseen(&im, argv[2]);
    measure_tiny(&im);
    measure_sizes(&im, argv + 3, argc - 3);
    return 0;
}
