/*
 * bench/guests.c -- runs of node and python, with the time of each step.
 *
 *   guests [flags of glovebox run] < COMMANDS
 *
 * What `glovebox run` does with the same flags, through the same loop
 * (env/local.h). It does what it is told, a command a line, so that whoever
 * asks can let peers have their turn in between:
 *
 *   run N     N runs; a line for each when all are done
 *   rest N    the same, with a pause before each in which nothing happens
 *   pace N    the same, and before each a run that sleeps and is not shown:
 *             meanwhile a spare is made, warms itself and is parked
 *
 * Then a line "all US", the time of all together. The lines of runs are there
 * with one job only; times are in microseconds from when the loop was given
 * the run, 0 for what did not happen in it:
 *
 *   asked      the zygote was asked for a fork (pipes and cgroup are made)
 *   forked     it said that there is one
 *   sealed     the fork said that it is sealed
 *   sent       files are in place, and the program is on its way
 *   answered   the result is here
 *   inside     of that, by the fork's own clock: from the program to the result
 *   exited     the zygote said that nothing of the run is left
 *   done       everything of it is given back
 *
 * The product has no such clocks; the linker puts ours around the functions
 * that mark these moments (--wrap).
 *
 * SPDX-License-Identifier: MIT
 */
#include "bench/measure.h"
#include "cli/plan.h"
#include "env/local.h"

#include <poll.h>
#include <string.h>

enum { REST_MS = 50, NAME_ROOM = 32, MANY = 1000 /* runs are worth a zygote */ };

static const char *const sleeps[ENGINES] = {
    [ENGINE_NODE]   = "await new Promise((r) => setTimeout(r, 60))",
    [ENGINE_PYTHON] = "import time\ntime.sleep(0.06)",
};

#define STAMPS(X) X(asked) X(forked) X(sealed) X(sent) X(answered) X(inside) \
                  X(exited) X(done)

struct stamps {
    uint64_t begun;
#define X(name) uint64_t name;
    STAMPS(X)
#undef X
};

struct bench {
    struct run_options options;
    struct plan        plan;
    struct local      *local;
    size_t             jobs;
    size_t             left;       /* runs to begin */
    int                paced, resting;
    int                pausing;    /* the next one is the one that sleeps */
    struct stamps     *kept;       /* one job only */
    size_t             keeps;
};

/* ---- clocks ---------------------------------------------------------------- */

/* The run that is being timed; with several jobs nobody is. */
static struct run    *timed;
static struct stamps  now;

static int is_timed(const struct child *c)
{
    return timed && timed->child == c;
}

/* Those of a spare that is made meanwhile are not the run's. */
#define WRAP(type, name, ...)                                                 \
    type __real_##name(__VA_ARGS__);                                          \
    type __wrap_##name(__VA_ARGS__);                                          \
    type __wrap_##name(__VA_ARGS__)

WRAP(int, zygote_ask, struct zygote *z, const struct zygote_fork *f,
     const int *fds, unsigned n)
{
    if (timed && timed->child && child_id(timed->child) == f->id)
        now.asked = measure_wall_ns();
    return __real_zygote_ask(z, f, fds, n);
}

WRAP(void, child_report, struct child *c, const struct zygote_report *r,
     const int *fds)
{
    if (is_timed(c) && r->op == ZYGOTE_FORKED)
        now.forked = measure_wall_ns();
    if (is_timed(c) && r->op == ZYGOTE_EXITED)
        now.exited = measure_wall_ns();
    __real_child_report(c, r, fds);
}

WRAP(void, child_sealed, struct child *c)
{
    if (is_timed(c))
        now.sealed = measure_wall_ns();
    __real_child_sealed(c);
}

WRAP(int, child_run, struct child *c, const struct msg_run *m,
     const struct guest_run *g, struct err *e)
{
    int r = __real_child_run(c, m, g, e);
    if (is_timed(c))
        now.sent = measure_wall_ns();
    return r;
}

WRAP(int, result_take_guest, struct run_result *out, const struct msg_result *m,
     struct err *e)
{
    int r = __real_result_take_guest(out, m, e);
    if (timed && out == &timed->result) {
        now.answered = measure_wall_ns();
        now.inside = m->wall_ns;
    }
    return r;
}

/* ---- runs ------------------------------------------------------------------ */

static void fail(const char *what)
{
    fprintf(stderr, "guests: %s\n", what);
    exit(1);
}

static struct run *next(void *user)
{
    struct bench *b = user;
    if (!b->left)
        return NULL;
    struct run *r = calloc(1, sizeof *r);
    if (!r)
        fail("no memory");
    if (b->resting)
        poll(NULL, 0, REST_MS);
    struct msg_run m = plan_message(&b->plan, &b->plan.program[0], b->pausing);
    if (b->pausing) {
        m.source = str_of(sleeps[b->plan.engine]);
        m.limits.wall_time_ms++;    /* no spare fits */
    } else {
        b->left--;
    }
    run_init(r, &m, -1, NULL, NULL);
    r->guest = &b->plan.guest->run;
    if (b->jobs == 1 && !b->pausing)
        timed = r;
    now = (struct stamps){ .begun = measure_wall_ns() };
    return r;
}

static void done(void *user, struct run *r)
{
    struct bench *b = user;
    if (!result_ok(&r->result)) {
        AUTO_BUF why;
        buf_init(&why, 512);
        result_sentence(&r->result, &why);
        buf_add(&why, "", 1);
        fail(why.failed ? reason_text(r->result.reason) : why.at);
    }
    if (r->result.fallback[0])
        fail(r->result.fallback);
    if (timed == r) {
        now.done = measure_wall_ns();
        b->kept[b->keeps++] = now;
    }
    if (b->paced)
        b->pausing = !b->pausing;
    timed = NULL;
    run_free(r);
    free(r);
}

static double since_begun(const struct stamps *s, uint64_t at)
{
    return at > s->begun ? (double)(at - s->begun) / 1e3 : 0;
}

static void show(const struct stamps *s)
{
    const double inside = (double)s->inside / 1e3;
    printf("%.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f\n", since_begun(s, s->asked),
           since_begun(s, s->forked), since_begun(s, s->sealed),
           since_begun(s, s->sent), since_begun(s, s->answered), inside,
           since_begun(s, s->exited), since_begun(s, s->done));
}

static void obey(struct bench *b, const char *command, size_t n)
{
    struct err e = { 0 };
    const struct local_work work = { next, done, b };
    b->left = n;
    b->paced = b->pausing = strcmp(command, "pace") == 0;
    b->resting = strcmp(command, "rest") == 0;
    b->keeps = 0;
    b->kept = calloc(n + 1, sizeof *b->kept);
    if (!b->kept)
        fail("no memory");
    uint64_t began = measure_wall_ns();
    if (local_drive(b->local, &work, &e) < 0)
        fail(e.msg);
    double all = (double)(measure_wall_ns() - began) / 1e3;
    for (size_t i = 0; i < b->keeps; i++)
        show(&b->kept[i]);
    printf("all %.1f\n", all);
    fflush(stdout);
    free(b->kept);
}

/* ---- set-up ---------------------------------------------------------------- */

static void open_bench(struct bench *b, int argc, char **argv)
{
    struct err e = { 0 };
    struct texts files = { 0 };
    const struct texts none = { 0 };
    struct local_spec spec;
    struct local_ready ready;
    b->plan = (struct plan)PLAN_NONE;
    if (options_parse(run_option_rows, argc, argv, &b->options, &files, &e) < 0)
        fail(e.msg);
    b->options.stdin_from = "none";
    b->options.repeat = (struct option_number){ MANY, 1 };
    if (plan_make(&b->plan, &b->options, &files, &none, &e) < 0)
        fail(e.msg);
    if (!b->plan.guest)
        fail("this is for node and python");
    plan_local(&b->plan, -1, &spec);
    b->jobs = spec.jobs;
    uint64_t began = measure_wall_ns();
    if (local_open(&spec, &b->local, &e) < 0 ||
        local_prepare(b->local, &ready, &e) < 0)
        fail(e.msg);
    if (ready.cold && !b->options.cold)
        fail(ready.fallback[0] ? ready.fallback : "its runs are cold");
    printf("ready %.1f %s %s\n", (double)(measure_wall_ns() - began) / 1e3,
           ready.cold ? "cold" : "warm", ready.version);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static struct bench b;
    char command[NAME_ROOM];
    unsigned n;
    open_bench(&b, argc - 1, argv + 1);
    while (scanf("%31s %u", command, &n) == 2)
        obey(&b, command, n);
    local_free(b.local);
    plan_free(&b.plan);
    return 0;
}
