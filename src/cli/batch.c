/*
 * cli/batch.c -- the programs of a plan, run and reported in order.
 *
 * One program alone writes to our stdout and stderr while it runs. Of several
 * each has its turn: what it printed is kept in its result until all before it
 * have been reported.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/batch.h"
#include "cli/report.h"
#include "cli/timing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct item {
    struct run *run;         /* NULL: not begun, or reported */
    int         finished;    /* and ours again */
};

struct batch {
    struct term       *t;
    const struct plan *plan;
    struct item       *item;        /* [total] */
    size_t             total;       /* programs times repeat */
    size_t             begun, reported;
    size_t             passed, failed;
    int                exit_code;
    int                no_memory;   /* for a run, or for its report */
    struct timing      timing;
};

static size_t repeats(const struct batch *b)
{
    return b->plan->options->repeat.given
        ? (size_t)b->plan->options->repeat.value : 1;
}

static int wants_json(const struct batch *b)
{
    return b->plan->options->json || b->plan->options->pretty;
}

static const struct program *program_of(const struct batch *b, size_t i)
{
    return &b->plan->program[i / repeats(b)];
}

/* Of a program that is repeated only the first run is shown. */
static int is_shown(const struct batch *b, size_t i)
{
    return i % repeats(b) == 0;
}

/* ---- one run -------------------------------------------------------------- */

static void stream(void *user, struct run *r, int stream, struct str bytes)
{
    struct batch *b = user;
    term_guest(b->t, stream == OUT_STDOUT ? TO_STDOUT : TO_STDERR, bytes);
    if (b->t->broken)
        run_cancel(r);    /* nobody reads on */
}

static const struct run_calls streaming = { .output = stream };

static struct run *next(void *user)
{
    struct batch *b = user;
    if (b->begun == b->total || b->t->broken)
        return NULL;
    struct run *r = calloc(1, sizeof *r);
    if (!r) {
        b->no_memory = 1;
        return NULL;
    }
    size_t i = b->begun++;
    struct msg_run m = plan_message(b->plan, program_of(b, i), i);
    if (!b->plan->options->quiet && !wants_json(b))
        m.flags |= RUN_DISPLAY | (b->t->color[TO_STDOUT] ? RUN_COLOR : 0);
    int live = b->total == 1 && !wants_json(b);
    run_init(r, &m, b->plan->root_fd, live ? &streaming : NULL, b);
    r->guest = b->plan->guest ? &b->plan->guest->run : NULL;
    b->item[i].run = r;
    return r;
}

static void show_output(struct batch *b, const struct run_result *r)
{
    if (b->total == 1)
        return;    /* already written */
    term_progress_clear(b->t);
    for (int i = 0; i < OUT_STREAMS; i++) {
        int to = i == OUT_STDOUT ? TO_STDOUT : TO_STDERR;
        term_guest(b->t, to, buf_str(&r->output[i]));
        term_guest_end(b->t, to);
    }
}

static void show(struct batch *b, size_t i, const struct run_result *r)
{
    if (b->t->broken)
        return;
    if (wants_json(b)) {
        if (report_json(b->t, r, b->plan->options->pretty ? JSON_PRETTY
                                                          : JSON_COMPACT) < 0)
            b->no_memory = 1;
        return;
    }
    show_output(b, r);
    if (!result_ok(r)) {
        term_progress_clear(b->t);
        if (b->plan->programs > 1)
            term_putf(b->t, TO_STDERR, "--- %s: %s\n", program_of(b, i)->path,
                      reason_text(r->reason));
        report_failure(b->t, b->plan, r);
    } else if (!b->plan->options->quiet) {
        report_value(b->t, r);
    }
    report_files(b->t, b->plan, r);
}

static void report(struct batch *b, size_t i)
{
    struct run *r = b->item[i].run;
    int ok = result_ok(&r->result);
    int first_failure = !ok && b->exit_code == 0;
    if (ok)
        b->passed++;
    else
        b->failed++;
    if (first_failure)
        b->exit_code = result_exit_code(&r->result);
    if (is_shown(b, i) || first_failure)
        show(b, i, &r->result);
    run_free(r);
    free(r);
    b->item[i].run = NULL;
}

static void done(void *user, struct run *r)
{
    struct batch *b = user;
    timing_add(&b->timing, r->started_ns);
    b->item[r->message.id].finished = 1;
    while (b->reported < b->begun && b->item[b->reported].finished)
        report(b, b->reported++);
    if (b->plan->programs > 1)
        term_progress(b->t, "%zu of %zu", b->passed + b->failed, b->total);
}

/* ---- all of them ---------------------------------------------------------- */

static int begin(struct batch *b, struct err *e)
{
    b->total = plan_runs(b->plan);
    b->item = calloc(b->total, sizeof *b->item);
    if (!b->item)
        return err_set(e, -ENOMEM, "no memory for %zu runs", b->total);
    return timing_open(&b->timing, b->total, e);
}

static void summarise(struct batch *b)
{
    term_progress_clear(b->t);
    if (b->plan->programs > 1) {
        term_putf(b->t, TO_STDERR, "glovebox: %zu passed, %zu failed", b->passed,
                  b->failed);
        size_t left = b->total - b->passed - b->failed;
        if (left)
            term_putf(b->t, TO_STDERR, ", %zu not run", left);
        term_put(b->t, TO_STDERR, STR("\n"));
    }
    if (b->plan->options->repeat.given)
        timing_say(&b->timing, b->t);
}

/* What our glue had to say while it warmed up: a package that it could not
 * load. What packages themselves print then is not the program's output. */
static void say_warmth(struct batch *b, struct str words)
{
    static const char mark[] = "glovebox: ";
    while (words.len) {
        const char *end = memchr(words.at, '\n', words.len);
        size_t len = end ? (size_t)(end - words.at) : words.len;
        if (len > sizeof mark && memcmp(words.at, mark, sizeof mark - 1) == 0)
            term_say(b->t, "%.*s", (int)(len - sizeof mark + 1),
                     words.at + sizeof mark - 1);
        len += end != NULL;
        words = (struct str){ words.at + len, words.len - len };
    }
}

static int drive(struct batch *b, int interrupt_fd, struct err *e)
{
    struct local_spec spec;
    struct local *l = NULL;
    plan_local(b->plan, interrupt_fd, &spec);
    struct local_work work = { next, done, b };
    int r = local_open(&spec, &l, e);
    if (r == 0)
        r = local_drive(l, &work, e);
    if (l)
        say_warmth(b, local_words(l));
    local_free(l);
    return r;
}

int batch_run(struct term *t, const struct plan *p, int interrupt_fd)
{
    struct batch b = { .t = t, .plan = p };
    struct err e = { 0 };
    int r = begin(&b, &e);
    if (r == 0)
        r = drive(&b, interrupt_fd, &e);
    summarise(&b);
    if (b.no_memory) {
        r = err_set(&e, -ENOMEM, "no memory for all runs and their results");
        b.exit_code = 0;    /* ours to answer for, whatever the runs did */
    }
    if (r < 0 && b.exit_code == 0) {
        if (r != -ECANCELED)
            term_say(t, "%s", e.msg);
        b.exit_code = r == -ECANCELED ? reason_exit_code(REASON_CANCELLED) : 125;
    }
    for (size_t i = 0; b.item && i < b.begun; i++) {
        if (b.item[i].run)
            run_free(b.item[i].run);
        free(b.item[i].run);
    }
    free(b.item);
    timing_close(&b.timing);
    return b.exit_code;
}
