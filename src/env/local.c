/* env/local.c -- runs over a few workers of our own, in one poll() loop.
 * SPDX-License-Identifier: MIT */
#include "env/local.h"
#include "env/clock.h"
#include "env/forks.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

enum { DUMP_MS = 30000, OWN_POLLS = 2 };

struct slot {
    struct peer *peer;    /* owned; NULL: none yet, or gone */
    struct run  *run;     /* borrowed from whoever gave it; NULL: idle */
};

struct local {
    struct local_spec spec;
    struct forks     *forks;    /* node or python; then the rest is unused */
    int               interrupted;
    struct slot      *slot;
    struct pollfd    *fds;    /* interrupt, network, then channel and pidfd of each */
};

int local_open(const struct local_spec *spec, struct local **out,
               struct err *e)
{
    struct local *l = calloc(1, sizeof *l);
    if (!l)
        return err_set(e, -ENOMEM, "no memory");
    l->spec = *spec;
    if (l->spec.jobs < 1)
        l->spec.jobs = 1;
    if (l->spec.jobs > LOCAL_MAX_JOBS)
        l->spec.jobs = LOCAL_MAX_JOBS;
    l->slot = calloc(l->spec.jobs, sizeof *l->slot);
    l->fds = calloc(OWN_POLLS + 2 * (size_t)l->spec.jobs, sizeof *l->fds);
    int r = l->slot && l->fds ? 0 : err_set(e, -ENOMEM, "no memory");
    if (r == 0 && spec->image) {
        struct forks_spec forks = {
            .image = spec->image, .jobs = l->spec.jobs, .net = network_for_runs(spec->net),
            .interrupt_fd = spec->interrupt_fd,
        };
        r = forks_open(&forks, &l->forks, e);
    }
    if (r < 0) {
        local_free(l);
        return r;
    }
    *out = l;
    return 0;
}

void local_free(struct local *l)
{
    if (!l)
        return;
    for (unsigned i = 0; l->slot && i < l->spec.jobs; i++)
        peer_free(l->slot[i].peer);
    forks_free(l->forks);
    free(l->slot);
    free(l->fds);
    free(l);
}

/* ---- one turn of the loop ------------------------------------------------- */

static void sooner(uint64_t *earliest, uint64_t deadline)
{
    if (deadline && (!*earliest || deadline < *earliest))
        *earliest = deadline;
}

static uint64_t watch(struct local *l, uint64_t limit_ns)
{
    uint64_t earliest = limit_ns;
    l->fds[0] = (struct pollfd){ l->interrupted ? -1 : l->spec.interrupt_fd,
                                 POLLIN, 0 };
    l->fds[1] = (struct pollfd){ .fd = -1 };
    if (l->spec.net)
        l->fds[1] = (struct pollfd){ network_fd(l->spec.net),
                                     network_interest(l->spec.net), 0 };
    for (unsigned i = 0; i < l->spec.jobs; i++) {
        struct slot *s = &l->slot[i];
        struct pollfd *f = &l->fds[OWN_POLLS + 2 * i];
        f[0] = f[1] = (struct pollfd){ .fd = -1 };
        if (s->peer) {
            f[0] = (struct pollfd){ peer_fd(s->peer), peer_interest(s->peer), 0 };
            f[1] = (struct pollfd){ peer_pidfd(s->peer), POLLIN, 0 };
            sooner(&earliest, peer_deadline_ns(s->peer));
        }
        if (s->run)
            sooner(&earliest, run_deadline_ns(s->run));
    }
    return earliest;
}

static void interrupt(struct local *l)
{
    l->interrupted = 1;
    for (unsigned i = 0; i < l->spec.jobs; i++)
        if (l->slot[i].run)
            run_cancel(l->slot[i].run);
}

static void serve(struct slot *s, const struct pollfd f[2], uint64_t now_ns)
{
    if (f[0].revents & POLLOUT)
        peer_writable(s->peer);
    if (f[0].revents & (POLLIN | POLLHUP | POLLERR))
        peer_readable(s->peer);
    if (s->run)
        run_tick(s->run, now_ns);
    peer_tick(s->peer, now_ns);
    if ((f[1].revents & POLLIN) && peer_exited(s->peer)) {
        peer_free(s->peer);
        s->peer = NULL;
    }
}

static int turn(struct local *l, uint64_t limit_ns, struct err *e)
{
    uint64_t earliest = watch(l, limit_ns);
    struct timespec wait = { 0 }, *timeout = earliest ? &wait : NULL;
    uint64_t now = earliest ? clock_now_ns() : 0;
    if (earliest > now) {
        wait.tv_sec = (time_t)((earliest - now) / 1000000000);
        wait.tv_nsec = (long)((earliest - now) % 1000000000);
    }
    int n = ppoll(l->fds, OWN_POLLS + 2 * (nfds_t)l->spec.jobs, timeout, NULL);
    if (n < 0 && errno != EINTR)
        return err_sys(e, "poll");
    if (n < 0)
        return 0;
    if (l->fds[0].revents)
        interrupt(l);
    if (l->fds[1].revents)
        network_turn(l->spec.net, l->fds[1].revents);
    now = clock_now_ns();
    for (unsigned i = 0; i < l->spec.jobs; i++)
        if (l->slot[i].peer)
            serve(&l->slot[i], &l->fds[OWN_POLLS + 2 * i], now);
    return 0;
}

/* ---- runs ----------------------------------------------------------------- */

static int slot_start(struct local *l, struct slot *s, struct err *e)
{
    return s->peer ? 0 : peer_start(&l->spec.peer, &s->peer, e);
}

/* Free for a run: no worker yet, or one that is idle or about to be. */
static int slot_free(const struct slot *s)
{
    if (s->run)
        return 0;
    return !s->peer || (peer_usable(s->peer) &&
                        (peer_phase(s->peer) & (PHASE_IDLE | PHASE_STARTING)));
}

static int slot_fill(struct local *l, struct slot *s, struct run *r,
                     struct err *e)
{
    int status = slot_start(l, s, e);
    s->run = r;
    if (status == 0 && l->spec.net && network_join(l->spec.net, r) < 0)
        status = err_set(e, -ENOMEM, "no memory");
    if (status < 0)
        run_refuse(r, e->msg);
    else
        status = run_begin(r, s->peer);
    return status;
}

static void collect(struct local *l, const struct local_work *w)
{
    for (unsigned i = 0; i < l->spec.jobs; i++) {
        struct run *r = l->slot[i].run;
        if (!r || r->state != RUN_DONE)
            continue;
        l->slot[i].run = NULL;
        if (l->spec.net)
            network_leave(l->spec.net, r);
        w->done(w->user, r);
    }
}

/* How many slots hold a run that is done, or one that is not. */
static unsigned holding(const struct local *l, int done)
{
    unsigned n = 0;
    for (unsigned i = 0; i < l->spec.jobs; i++)
        n += l->slot[i].run && (l->slot[i].run->state == RUN_DONE) == done;
    return n;
}

/* Give every free slot a run. Returns 0 when there are no more, 1 if there may
 * be, or why a worker could not be started. */
static int supply(struct local *l, const struct local_work *w, struct err *e)
{
    for (unsigned i = 0; i < l->spec.jobs; i++) {
        if (!slot_free(&l->slot[i]))
            continue;
        struct run *r = w->next(w->user);
        if (!r)
            return 0;
        int status = slot_fill(l, &l->slot[i], r, e);
        if (status < 0)
            return status;
    }
    return 1;
}

int local_drive(struct local *l, const struct local_work *w, struct err *e)
{
    struct err scratch = { 0 };
    if (!e)
        e = &scratch;
    if (l->forks)
        return forks_drive(l->forks, w, e);
    int more = 1;
    for (;;) {
        collect(l, w);
        if (l->interrupted)
            more = -ECANCELED;
        if (more > 0)
            more = supply(l, w, e);
        if (holding(l, 1))
            continue;    /* ended before it began */
        if (more <= 0 && !holding(l, 0))
            return more;
        int r = turn(l, 0, e);
        if (r < 0)
            return r;
    }
}

static struct run *single_next(void *user)
{
    struct run **one = user, *r = *one;
    *one = NULL;
    return r;
}

static void single_done(void *user, struct run *r)
{
    (void)user;
    (void)r;
}

struct local_work local_work_of(struct run **one)
{
    return (struct local_work){ single_next, single_done, one };
}

int local_run(struct local *l, struct run *r, struct err *e)
{
    struct local_work work = local_work_of(&r);
    return local_drive(l, &work, e);
}

/* ---- a worker by itself --------------------------------------------------- */

struct wait_for {
    const struct peer *peer;
    int                done, failed;
    char               why[400];
    struct image_sink *sink;
};

static void wait_hello(void *user)
{
    ((struct wait_for *)user)->done = 1;
}

/* What happens after the last frame that we waited for is not our business:
 * a worker that has dumped its cell may leave. */
static void wait_broken(void *user, const char *why)
{
    struct wait_for *w = user;
    if (w->done || w->failed)
        return;
    w->failed = 1;
    snprintf(w->why, sizeof w->why, "%s", why);
}

static void wait_exit(void *user, int wait_status)
{
    struct wait_for *w = user;
    char how[300], why[340];
    peer_exit_text(w->peer, wait_status, how, sizeof how);
    snprintf(why, sizeof why, "the worker is gone: %s", how);
    wait_broken(user, why);
}

static void wait_image(void *user, const struct msg_image *m)
{
    struct wait_for *w = user;
    struct err e = { 0 };
    if (!w->failed && image_sink_add(w->sink, m->bytes, &e) < 0)
        wait_broken(user, e.msg);
    w->done = m->last && !w->failed;
}

static const struct peer_events wait_listener = {
    .hello = wait_hello, .image = wait_image,
    .broken = wait_broken, .exit = wait_exit,
};

/* Turn until w is done; the slot's peer is gone after a failure. */
static int await(struct local *l, struct wait_for *w, uint64_t limit_ns,
                 struct err *e)
{
    struct slot *s = &l->slot[0];
    int r = 0;
    w->peer = s->peer;
    peer_listen(s->peer, &wait_listener, w);
    while (r == 0 && s->peer && !w->done && !w->failed && !l->interrupted &&
           (!limit_ns || clock_now_ns() < limit_ns))
        r = turn(l, limit_ns, e);
    if (s->peer)
        peer_listen(s->peer, NULL, NULL);
    if (r == 0 && w->done && !w->failed)
        return 0;
    peer_free(s->peer);
    s->peer = NULL;
    if (r < 0)
        return r;
    if (l->interrupted)
        return err_set(e, -ECANCELED, "interrupted");
    return err_set(e, -EPROTO, "%s", w->failed ? w->why : "the worker is late");
}

int local_greet(struct local *l, const struct peer **out, struct err *e)
{
    struct slot *s = &l->slot[0];
    if (l->forks)
        return err_set(e, -ENOTSUP, "there is no worker of js here");
    int r = slot_start(l, s, e);
    if (r == 0 && peer_phase(s->peer) == PHASE_STARTING) {
        struct wait_for w = { 0 };
        r = await(l, &w, 0, e);
    }
    if (r < 0)
        return r;
    *out = s->peer;
    return 0;
}

int local_prepare(struct local *l, struct local_ready *out, struct err *e)
{
    if (!l->forks)
        return err_set(e, -ENOTSUP, "js has no zygote");
    return forks_prepare(l->forks, out, e);
}

struct str local_words(const struct local *l)
{
    return l->forks ? forks_words(l->forks) : STR("");
}

void local_resume(struct local *l)
{
    l->interrupted = 0;
    if (l->forks)
        forks_resume(l->forks);
}

int local_alive(const struct local *l)
{
    if (l->forks)
        return forks_alive(l->forks);
    return l->slot[0].peer && peer_usable(l->slot[0].peer);
}

int local_reset(struct local *l, struct err *e)
{
    struct slot *s = &l->slot[0];
    if (l->forks || !s->peer)
        return 0;    /* the next worker starts fresh anyway */
    int r = peer_send_reset(s->peer, &(struct msg_reset){ .cell = 0 });
    return r < 0 ? err_set(e, r, "the worker cannot be reset now") : 0;
}

int local_dump(struct local *l, uint64_t max_bytes, int *out_fd, struct err *e)
{
    struct image_head parent;
    struct image_sink sink = { .fd = -1 };
    struct slot *s = &l->slot[0];
    if (l->forks)
        return err_set(e, -ENOTSUP, "node and python have no image to dump");
    int r = image_head_read(l->spec.peer.image_fd, &parent, e);
    if (r == 0)
        r = image_sink_open(&sink, max_bytes, e);
    if (r < 0)
        return r;

    struct wait_for w = { .sink = &sink };
    r = s->peer ? peer_send_dump(s->peer, &(struct msg_dump){ .cell = 0 }) : -EINVAL;
    if (r < 0) {
        err_set(e, r, "there is no worker to dump");
    } else {
        r = await(l, &w, clock_now_ns() + DUMP_MS * NS_PER_MS, e);
    }
    if (r == 0)
        r = image_sink_seal(&sink, &parent, out_fd, e);
    image_sink_close(&sink);
    return r;
}
