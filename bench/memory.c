/*
 * bench/memory.c -- what a live cell costs in memory.
 *
 *   memory IMAGE [CELLS]
 *
 * Makes that many cells in one process, runs a trivial script in each, and
 * looks at what the process holds beyond the image: private dirty pages are
 * the cells' own, page tables are the kernel's cost of mapping them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bench/inproc.h"
#include "bench/measure.h"
#include <string.h>

enum { CELLS = 1000, MAX_CELLS = 30000 };

/* In KB; fields of /proc/self/smaps_rollup and status. */
struct memory {
    long pss, private_dirty, anonymous, rss, tables;
};

static void read_fields(const char *path, struct memory *m)
{
    const struct { const char *name; long *to; } field[] = {
        { "Pss:", &m->pss },            { "Private_Dirty:", &m->private_dirty },
        { "Anonymous:", &m->anonymous }, { "Rss:", &m->rss },
        { "VmPTE:", &m->tables },
    };
    char line[256];
    FILE *f = fopen(path, "re");
    if (!f) {
        perror(path);
        exit(1);
    }
    while (fgets(line, sizeof line, f))
        for (size_t i = 0; i < COUNT(field); i++) {
            size_t len = strlen(field[i].name);
            if (strncmp(line, field[i].name, len) == 0)
                *field[i].to = strtol(line + len, NULL, 10);
        }
    fclose(f);
}

static struct memory memory_now(void)
{
    struct memory m = { 0 };
    read_fields("/proc/self/smaps_rollup", &m);
    read_fields("/proc/self/status", &m);
    return m;
}

static struct msg_result run(struct cell *c, const char *source, uint32_t flags)
{
    struct msg_run req = { .limits = run_limits_default, .flags = flags,
                           .name = STR("main.js"), .source = str_of(source) };
    struct msg_result r;
    inproc_run(c, &req, &r);
    if (r.reason != REASON_COMPLETED) {
        fprintf(stderr, "memory: %s: %.*s\n", reason_text((enum reason)r.reason),
                (int)r.error_message.len, r.error_message.at);
        exit(1);
    }
    return r;
}

static void say(const char *what, const char *key, double kb, const char *unit)
{
    printf("  %-46s %8.1f %s\n", what, kb, unit);
    figure(kb, "memory.%s", key);
}

/* Every cell has run `x = 1` and is left as the run left it. */
static void many(const struct image *im, struct cell *cells, long n)
{
    struct err e = { 0 };
    struct memory before = memory_now();
    uint64_t made = 0, ran = 0;
    for (long i = 0; i < n; i++) {
        uint64_t t0 = measure_wall_ns();
        if (cell_new(im, CELL_PLAIN, &cells[i], &e) < 0)
            inproc_die(&e);
        uint64_t t1 = measure_wall_ns();
        run(&cells[i], "globalThis.x = 1", 0);
        made += t1 - t0;
        ran += measure_wall_ns() - t1;
    }
    struct memory after = memory_now();
    double count = (double)n;
    printf("%ld live cells in one process\n", n);
    say("private dirty a cell", "idle_cell_kb",
        (double)(after.private_dirty - before.private_dirty) / count, "KB");
    say("PSS a cell", "idle_cell_pss_kb",
        (double)(after.pss - before.pss) / count, "KB");
    say("page tables a cell", "idle_cell_tables_kb",
        (double)(after.tables - before.tables) / count, "KB");
    say("all cells, the image and the engine", "thousand_cells_mb",
        (double)after.pss / 1024, "MB");
    say("make a cell, mean", "cell_new_us", (double)made / 1e3 / count, "us");
    say("first run in a new cell, mean", "cell_first_run_us",
        (double)ran / 1e3 / count, "us");
}

/* Still what it was, after all the others ran. */
static void check(struct cell *cells, long n)
{
    for (long i = 0; i < n; i += 1 + n / 50) {
        struct msg_result r = run(&cells[i], "x += 1", 0);
        if (!str_is(r.value, "2")) {
            fprintf(stderr, "memory: cell %ld forgot\n", i);
            exit(1);
        }
    }
}

/* A session keeps its state from one evaluation to the next. */
static void session(const struct image *im)
{
    enum { EVALUATIONS = 300 };
    struct cell c;
    struct err e = { 0 };
    if (cell_new(im, CELL_PLAIN, &c, &e) < 0)
        inproc_die(&e);
    struct memory before = memory_now();
    run(&c, "globalThis.x = 1", RUN_KEEP);
    uint64_t cpu = measure_cpu_ns();
    for (int i = 0; i < EVALUATIONS; i++)
        run(&c, "x += 1", RUN_KEEP);
    cpu = measure_cpu_ns() - cpu;
    struct memory after = memory_now();
    printf("a session (RUN_KEEP), idle after %d evaluations\n", EVALUATIONS);
    say("private dirty", "session_kb",
        (double)(after.private_dirty - before.private_dirty), "KB");
    say("CPU an evaluation, mean", "session_eval_cpu_us",
        (double)cpu / 1e3 / EVALUATIONS, "us");
    cell_free(&c);
}

/* The first cell of a process, so with all a first run dirties in it. */
static void worker(const struct image *im)
{
    struct cell c;
    struct err e = { 0 };
    struct memory before = memory_now();
    if (cell_new(im, CELL_TRACKED, &c, &e) < 0)
        inproc_die(&e);
    for (int i = 0; i < 100; i++) {
        run(&c, "[1, 2].concat(3)", 0);
        cell_reset(&c);
    }
    struct memory after = memory_now();
    printf("the first cell of a worker, tracked, after 100 runs\n");
    say("private dirty", "worker_cell_kb",
        (double)(after.private_dirty - before.private_dirty), "KB");
    cell_free(&c);
}

int main(int argc, char **argv)
{
    struct image im;
    long n = argc > 2 ? strtol(argv[2], NULL, 10) : CELLS;
    if (argc < 2 || n < 1 || n > MAX_CELLS) {
        fprintf(stderr, "usage: memory IMAGE [CELLS]\n");
        return 2;
    }
    inproc_start(argv[1], &im);
    struct cell *cells = calloc((size_t)n, sizeof *cells);
    if (!cells)
        return 1;
    worker(&im);
    many(&im, cells, n);
    check(cells, n);
    session(&im);
    free(cells);
    return 0;
}
