/* env/forks.c -- runs over the forks of one zygote, in one poll() loop.
 * SPDX-License-Identifier: MIT */
#include "env/forks.h"
#include "env/clock.h"
#include "env/selftest.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_DEATHS  = 3,    /* of zygotes in a row, without a run that ended well */
    MAX_TROUBLE = 3,    /* of spares in a row */
    DYING_SLOTS = 16,   /* for children whose run is over */
    /* Making a spare holds up whatever runs beside it: the kernel stops every
     * fork, thread and exit while a process joins a cgroup. Most runs are over
     * by then. */
    REFILL_AFTER_MS = 25,
    OWN_POLLS   = 2 + ZYGOTE_POLLS,    /* interrupt, network, zygote */
};

struct slot {
    struct child *child;    /* owned; NULL: empty */
    struct run   *run;      /* borrowed; NULL: a spare, or dying */
};

struct forks {
    struct forks_spec  spec;
    struct guest_image image;      /* the caller's, but for `cold` */
    struct zygote     *zygote;     /* owned; NULL: none yet, or gone */
    struct cgroups    *cgroups;    /* owned; NULL: none here */
    struct slot       *slot;
    size_t             slots;
    struct pollfd     *fds;
    uint64_t           next_id;
    unsigned           deaths, trouble;
    int                interrupted, tested;
    int                broken;     /* no zygote can be had: why is in problem */
    struct err         problem;
    char               fallback[400];
};

/* ---- life ----------------------------------------------------------------- */

static int open_cgroups(struct forks *f, struct err *e)
{
    struct err why = { 0 };
    int r = cgroups_open(&f->cgroups, &why);
    if (r == 0 || !(f->image.required & WALL_CGROUP))
        return 0;
    return err_set(e, -ENOTSUP, "the wall 'cgroup' is required and cannot be built "
                   "here: %s", why.msg);
}

int forks_open(const struct forks_spec *spec, struct forks **out, struct err *e)
{
    struct forks *f = calloc(1, sizeof *f);
    if (!f)
        return err_set(e, -ENOMEM, "no memory");
    f->spec = *spec;
    f->image = *spec->image;
    f->slots = 2 * (size_t)spec->jobs + spec->image->spares + DYING_SLOTS;
    f->slot = calloc(f->slots, sizeof *f->slot);
    f->fds = calloc(OWN_POLLS + CHILD_POLLS * f->slots, sizeof *f->fds);
    f->next_id = 1;
    f->tested = spec->start != NULL;
    int r = f->slot && f->fds ? open_cgroups(f, e)
                              : err_set(e, -ENOMEM, "no memory");
    if (r < 0) {
        forks_free(f);
        return r;
    }
    *out = f;
    return 0;
}

void forks_free(struct forks *f)
{
    if (!f)
        return;
    for (size_t i = 0; f->slot && i < f->slots; i++)
        if (f->slot[i].child)
            child_kill(f->slot[i].child);
    zygote_free(f->zygote);    /* waits until its namespace is empty */
    f->zygote = NULL;
    for (size_t i = 0; f->slot && i < f->slots; i++)
        if (f->slot[i].child) {
            child_orphaned(f->slot[i].child, "the environment was closed");
            child_free(f->slot[i].child);
        }
    cgroups_free(f->cgroups);
    free(f->slot);
    free(f->fds);
    free(f);
}

void forks_resume(struct forks *f)      { f->interrupted = 0; }
int  forks_alive(const struct forks *f) { return f->zygote && !f->broken; }

struct str forks_words(const struct forks *f)
{
    return f->zygote ? zygote_words(f->zygote) : STR("");
}

/* ---- the zygote ----------------------------------------------------------- */

static struct slot *slot_of(struct forks *f, uint64_t id)
{
    for (size_t i = 0; i < f->slots; i++)
        if (f->slot[i].child && child_id(f->slot[i].child) == id)
            return &f->slot[i];
    return NULL;
}

static void on_report(void *user, const struct zygote_report *r, const int *fds)
{
    struct slot *s = slot_of(user, r->id);
    if (s) {
        child_report(s->child, r, fds);
    } else if (fds) {
        close(fds[0]);
        close(fds[1]);
    }
}

static const struct zygote_events listener = { .report = on_report };

static int start_zygote(struct forks *f, struct err *e)
{
    struct zygote_spec spec = {
        .image = &f->image,
        .forks = f->spec.jobs + f->image.spares + DYING_SLOTS,
    };
    if (f->zygote)
        return 0;
    if (f->broken)
        return err_set(e, f->broken, "%s", f->problem.msg);
    /* Its filter is in force before the runtime is run, which it forbids. */
    if (f->image.cold && f->image.no_children)
        return err_set(e, -ENOTSUP, "child_process = deny needs forks of a warm "
                       "zygote, and each run is a process of its own%s%s",
                       f->fallback[0] ? ": " : "", f->fallback);
    int r = f->spec.start ? f->spec.start(f->spec.user, &f->image, &f->zygote, e)
                          : zygote_start(&spec, &f->zygote, e);
    if (r < 0)
        return r;
    zygote_listen(f->zygote, &listener, f);
    return 0;
}

static void go_cold(struct forks *f, const char *why)
{
    f->image.cold = 1;
    f->tested = 1;
    f->deaths = 0;
    snprintf(f->fallback, sizeof f->fallback, "%s", why);
}

/* Runs that never reached it can have another; those that did are lost. */
static void bury_zygote(struct forks *f)
{
    char why[400];
    int was_warm = zygote_version(f->zygote)[0] != '\0';
    snprintf(why, sizeof why, "%s", zygote_why(f->zygote));
    zygote_free(f->zygote);
    f->zygote = NULL;
    for (size_t i = 0; i < f->slots; i++) {
        struct child *c = f->slot[i].child;
        if (c && child_state(c) != CHILD_QUEUED)
            child_orphaned(c, why);
    }
    if (was_warm && ++f->deaths < MAX_DEATHS)
        return;
    if (!was_warm && !f->image.cold && !f->spec.start) {
        go_cold(f, why);
        return;
    }
    f->broken = err_set(&f->problem, -EPIPE, "%s", why);
}

/* ---- one turn of the loop ------------------------------------------------- */

static void sooner(uint64_t *earliest, uint64_t deadline)
{
    if (deadline && (!*earliest || deadline < *earliest))
        *earliest = deadline;
}

/* Until when a run that has just begun is not to be disturbed; 0: not at all. */
static uint64_t calm_until_ns(const struct run *r)
{
    if (!r || r->state != RUN_ACTIVE || r->answered_ns)
        return 0;
    return r->started_ns + REFILL_AFTER_MS * NS_PER_MS;
}

static uint64_t watch(struct forks *f)
{
    uint64_t earliest = 0, now = clock_now_ns();
    const struct child_net *net = f->spec.net;
    f->fds[0] = (struct pollfd){ f->interrupted ? -1 : f->spec.interrupt_fd,
                                 POLLIN, 0 };
    f->fds[1] = (struct pollfd){ .fd = -1 };
    if (net && net->fd)
        f->fds[1] = (struct pollfd){ net->fd(net->user), net->interest(net->user), 0 };
    for (int i = 0; i < ZYGOTE_POLLS; i++)
        f->fds[2 + i] = (struct pollfd){ .fd = -1 };
    if (f->zygote) {
        zygote_watch(f->zygote, &f->fds[2]);
        sooner(&earliest, zygote_deadline_ns(f->zygote));
    }
    for (size_t i = 0; i < f->slots; i++) {
        struct slot *s = &f->slot[i];
        struct pollfd *p = &f->fds[OWN_POLLS + CHILD_POLLS * i];
        for (int k = 0; k < CHILD_POLLS; k++)
            p[k] = (struct pollfd){ .fd = -1 };
        if (s->child) {
            child_watch(s->child, p);
            sooner(&earliest, child_deadline_ns(s->child));
        }
        if (s->run)
            sooner(&earliest, run_deadline_ns(s->run));
        if (f->image.spares && calm_until_ns(s->run) > now)
            sooner(&earliest, calm_until_ns(s->run));
    }
    return earliest;
}

static void interrupt(struct forks *f)
{
    f->interrupted = 1;
    for (size_t i = 0; i < f->slots; i++)
        if (f->slot[i].run)
            run_cancel(f->slot[i].run);
}

static void serve(struct forks *f, uint64_t now_ns)
{
    const struct child_net *net = f->spec.net;
    if (f->fds[0].revents)
        interrupt(f);
    if (f->fds[1].revents)
        net->turn(net->user, f->fds[1].revents);
    for (size_t i = 0; i < f->slots; i++) {
        struct slot *s = &f->slot[i];
        if (s->child)
            child_turn(s->child, &f->fds[OWN_POLLS + CHILD_POLLS * i], now_ns);
        if (s->run)
            run_tick(s->run, now_ns);
        if (s->child && child_is_stuck(s->child) && f->zygote)
            zygote_kill(f->zygote, "a run did not die in time");
    }
    if (f->zygote)
        zygote_turn(f->zygote, &f->fds[2], now_ns);
    if (f->zygote && zygote_phase(f->zygote) == ZYGOTE_GONE)
        bury_zygote(f);
}

static int turn(struct forks *f, struct err *e)
{
    uint64_t earliest = watch(f);
    struct timespec wait = { 0 }, *timeout = earliest ? &wait : NULL;
    uint64_t now = earliest ? clock_now_ns() : 0;
    if (earliest > now) {
        wait.tv_sec = (time_t)((earliest - now) / 1000000000);
        wait.tv_nsec = (long)((earliest - now) % 1000000000);
    }
    int n = ppoll(f->fds, OWN_POLLS + CHILD_POLLS * f->slots, timeout, NULL);
    if (n < 0 && errno != EINTR)
        return err_sys(e, "poll");
    if (n >= 0)
        serve(f, clock_now_ns());
    return 0;
}

/* ---- children ------------------------------------------------------------- */

static struct slot *empty_slot(struct forks *f)
{
    for (size_t i = 0; i < f->slots; i++)
        if (!f->slot[i].child && !f->slot[i].run)
            return &f->slot[i];
    return NULL;
}

static int make_child(struct forks *f, struct slot *s, int spare,
                      const struct run_limits *limits, struct err *e)
{
    struct child_spec spec = {
        .id = f->next_id++, .spare = spare, .image = &f->image,
        .limits = *limits, .cgroups = f->cgroups,
        .net = f->image.net ? f->spec.net : NULL,
    };
    return child_new(&spec, &s->child, e);
}

/* A spare that nobody has, sealed if there is one. */
static struct slot *spare_for(struct forks *f, const struct run_limits *limits)
{
    struct slot *found = NULL;
    for (size_t i = 0; i < f->slots; i++) {
        struct slot *s = &f->slot[i];
        if (!s->child || s->run || !child_is_spare(s->child) ||
            memcmp(child_limits(s->child), limits, sizeof *limits) != 0)
            continue;
        if (child_state(s->child) == CHILD_PARKED)
            return s;
        if (child_state(s->child) == CHILD_STARTING)
            found = s;
    }
    return found;
}

static int begin(struct forks *f, struct run *r, struct err *e)
{
    struct slot *s = spare_for(f, &r->message.limits);
    r->result.engine = f->image.engine;
    snprintf(r->result.fallback, sizeof r->result.fallback, "%s", f->fallback);
    int status = s ? 0 : start_zygote(f, e);
    if (!s)
        s = empty_slot(f);
    if (status == 0 && !s->child)
        status = make_child(f, s, 0, &r->message.limits, e);
    s->run = r;
    if (status == 0)
        status = run_attach(r, s->child);
    else
        run_refuse(r, e->msg);
    if (f->image.cold)
        r->result.started_as = AS_PROCESS;
    return status;
}

/* Ask for what waits; what cannot be asked for is refused. */
static void ask(struct forks *f)
{
    for (size_t i = 0; f->zygote && i < f->slots; i++) {
        struct slot *s = &f->slot[i];
        if (!s->child || child_state(s->child) != CHILD_QUEUED ||
            zygote_phase(f->zygote) != ZYGOTE_WARM)
            continue;
        int r = child_ask(s->child, f->zygote);
        if (r == 0 || r == -EAGAIN)
            continue;
        if (s->run)
            run_refuse(s->run, strerror(-r));
        child_kill(s->child);
    }
}

/* Runs that wait for a zygote that will not come, or for another one. */
static void settle(struct forks *f, struct err *e)
{
    if (f->zygote)
        return;
    for (size_t i = 0; i < f->slots; i++) {
        struct slot *s = &f->slot[i];
        if (!s->child || child_state(s->child) != CHILD_QUEUED)
            continue;
        if (start_zygote(f, e) == 0)
            return;
        if (s->run)
            run_refuse(s->run, e->msg);
        child_kill(s->child);
    }
}

static void refill(struct forks *f)
{
    unsigned have = 0;
    uint64_t now = clock_now_ns();
    for (size_t i = 0; i < f->slots; i++) {
        struct slot *s = &f->slot[i];
        if (s->run && s->run->state == RUN_STARTING)
            return;    /* who waits comes first */
        if (calm_until_ns(s->run) > now)
            return;
        have += s->child && !s->run && child_is_spare(s->child) &&
                child_state(s->child) < CHILD_ACTIVE;
    }
    if (!f->zygote || zygote_phase(f->zygote) != ZYGOTE_WARM || f->interrupted)
        return;
    while (have < f->image.spares && f->trouble < MAX_TROUBLE) {
        struct slot *s = empty_slot(f);
        if (!s)
            return;
        if (make_child(f, s, 1, &f->image.limits, NULL) < 0)
            f->trouble++;
        else
            have++;
    }
}

/* ---- runs ----------------------------------------------------------------- */

static void collect(struct forks *f, const struct local_work *w)
{
    for (size_t i = 0; i < f->slots; i++) {
        struct slot *s = &f->slot[i];
        if (s->child && child_state(s->child) == CHILD_DONE) {
            if (child_is_spare(s->child) && child_trouble(s->child)[0])
                f->trouble++;
            child_free(s->child);
            s->child = NULL;
        }
        struct run *r = s->run;
        if (!r || r->state != RUN_DONE)
            continue;
        s->run = NULL;
        if (r->result.reason != REASON_LOST && r->result.reason != REASON_INTERNAL)
            f->deaths = f->trouble = 0;
        w->done(w->user, r);
    }
}

static unsigned holding(const struct forks *f, int done)
{
    unsigned n = 0;
    for (size_t i = 0; i < f->slots; i++)
        n += f->slot[i].run && (f->slot[i].run->state == RUN_DONE) == done;
    return n;
}

/* 0 when there are no more, 1 if there may be, or why none can be begun. */
static int supply(struct forks *f, const struct local_work *w, struct err *e)
{
    while (holding(f, 0) + holding(f, 1) < f->spec.jobs && empty_slot(f)) {
        struct run *r = w->next(w->user);
        if (!r)
            return 0;
        int status = begin(f, r, e);
        if (status < 0)
            return status;
    }
    return 1;
}

static int drive(struct forks *f, const struct local_work *w, struct err *e)
{
    int more = 1;
    for (;;) {
        collect(f, w);
        if (f->broken && more >= 0)
            more = err_set(e, f->broken, "%s", f->problem.msg);
        if (f->interrupted)
            more = -ECANCELED;
        if (more > 0)
            more = supply(f, w, e);
        settle(f, e);
        if (more > 0)
            refill(f);
        ask(f);
        if (holding(f, 1))
            continue;    /* ended before it began */
        if (more <= 0 && !holding(f, 0))
            return more;
        int r = turn(f, e);
        if (r < 0)
            return r;
    }
}

/* ---- the first one -------------------------------------------------------- */

/* Before the first run: is this runtime one that can be forked? */
static int test(struct forks *f, struct err *e)
{
    char why[400] = "";
    struct run run;
    if (f->tested || f->image.cold)
        return 0;
    enum selftest_verdict v = selftest_recall(&f->image, why, sizeof why);
    if (v == SELFTEST_UNKNOWN) {
        unsigned spares = f->image.spares;
        selftest_init(&run, &f->image);
        struct run *one = &run;
        struct local_work work = local_work_of(&one);
        f->image.spares = 0;
        int r = drive(f, &work, e);
        f->image.spares = spares;
        if (r == 0 && !f->image.cold) {
            v = selftest_judge(&run.result, why, sizeof why);
            selftest_remember(&f->image, v, why);
        }
        run_free(&run);
        if (r < 0)
            return r;
    }
    f->tested = 1;
    if (v == SELFTEST_BAD) {
        zygote_free(f->zygote);
        f->zygote = NULL;
        go_cold(f, why);
    }
    return 0;
}

/* Refused as if by the loop, so that a caller sees one kind of ending. */
static void refuse_first(struct forks *f, const struct local_work *w,
                         const struct err *e)
{
    struct run *r = w->next(w->user);
    if (!r)
        return;
    r->result.engine = f->image.engine;
    if (e->code == -ECANCELED)
        run_cancel(r);
    else
        run_refuse(r, e->msg);
    w->done(w->user, r);
}

int forks_drive(struct forks *f, const struct local_work *w, struct err *e)
{
    struct err scratch = { 0 };
    if (!e)
        e = &scratch;
    int r = test(f, e);
    if (r < 0) {
        e->code = r;
        refuse_first(f, w, e);
        return r;
    }
    return drive(f, w, e);
}

int forks_prepare(struct forks *f, struct local_ready *out, struct err *e)
{
    struct err scratch = { 0 };
    if (!e)
        e = &scratch;
    int r = test(f, e);
    if (r == 0)
        r = start_zygote(f, e);
    while (r == 0 && zygote_phase(f->zygote) == ZYGOTE_WARMING) {
        r = turn(f, e);
        if (r == 0 && !f->zygote)
            r = start_zygote(f, e);    /* cold now, or broken */
        if (r == 0 && f->interrupted)
            r = err_set(e, -ECANCELED, "interrupted");
    }
    if (r < 0)
        return r;
    *out = (struct local_ready){
        .cold = f->image.cold, .walls = zygote_walls(f->zygote),
        .cgroups = cgroups_kind(f->cgroups),
    };
    snprintf(out->version, sizeof out->version, "%s", zygote_version(f->zygote));
    snprintf(out->fallback, sizeof out->fallback, "%s", f->fallback);
    return 0;
}
