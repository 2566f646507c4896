/*
 * env/run.c -- the life of one run.
 *
 *   queued ──assigned──> starting ──started──> active ──result──> done
 *                           │                    │                 ▲
 *                           └──broken────────────┴─deadline,       │
 *                                                  cancel, broken  │
 *                                                     └──> killing ┘ exit
 *
 * Three clocks can end a program. Two are inside the worker: the engine's
 * interrupt and a timer; they are polite and can say where it happened. The
 * third is here, outside the process that runs hostile code, and it kills.
 * Node and python have the third only, and more that is watched from outside:
 * what ends them goes by "stop". Their result ends nothing, their exit does.
 *
 * SPDX-License-Identifier: MIT
 */
#include "env/run.h"
#include "env/clock.h"
#include "env/modules.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static void keep(struct run *r)
{
    (void)r;
}

static void arm(struct run *r)
{
    uint64_t grace_ms = r->guest ? 0 : RUN_GRACE_MS;
    r->started_ns = clock_now_ns();
    r->deadline_ns = r->started_ns +
                     (r->message.limits.wall_time_ms + grace_ms) * NS_PER_MS;
}

static void clock_out(struct run *r)
{
    if (r->started_ns)
        r->result.wall_ns = clock_now_ns() - r->started_ns;
}

static void kill_worker(struct run *r)
{
    r->kills++;
    r->deadline_ns = 0;
    clock_out(r);
    peer_kill(r->peer);
    if (r->child)
        child_kill(r->child);
}

static void kill_late(struct run *r)
{
    kill_worker(r);
    result_end(&r->result, REASON_WALL_TIME_LIMIT, NULL);
    r->result.limit = LIMIT_wall_time_ms;
    r->result.observed = r->result.wall_ns / NS_PER_MS;
}

static void cancelled(struct run *r)
{
    result_end(&r->result, REASON_CANCELLED, NULL);
}

static void kill_asked(struct run *r)
{
    kill_worker(r);
    cancelled(r);
}

/* The detail was written by whoever saw it break. */
static void kill_broken(struct run *r)
{
    kill_worker(r);
    r->result.reason = REASON_CRASHED;
}

static void never_started(struct run *r)
{
    kill_worker(r);
    r->result.reason = REASON_INTERNAL;
}

/* Of node and python more is known than how they exited. */
static void guest_ended(struct run *r)
{
    char detail[460];
    const char *words = r->evidence->words;
    clock_out(r);
    if (r->state == RUN_STARTING) {
        snprintf(detail, sizeof detail, "the run could not be started%s%s",
                 words[0] ? ": " : "", words);
        result_end(&r->result, REASON_INTERNAL, detail);
    } else {
        ending_decide(&r->result, r->evidence);
    }
    ending_close(&r->result, r->evidence);
}

/* The ending was settled before; what was used is known only now. */
static void buried(struct run *r)
{
    if (r->evidence)
        ending_close(&r->result, r->evidence);
}

/* The process is gone and no result came: its wait status is all we know. */
static void died(struct run *r)
{
    char detail[400];
    if (r->evidence) {
        guest_ended(r);
        return;
    }
    int st = r->exit_status;
    enum reason reason = REASON_CRASHED;
    if (WIFSIGNALED(st) && WTERMSIG(st) == SIGSYS)
        reason = REASON_SYSCALL_DENIED;
    if (WIFSIGNALED(st) && WTERMSIG(st) == SIGKILL)
        reason = REASON_LOST;
    if (r->state == RUN_STARTING)
        reason = REASON_INTERNAL;
    peer_exit_text(r->peer, st, detail, sizeof detail);
    clock_out(r);
    result_end(&r->result, reason, detail);
}

/*
 * A result, the deadline, a cancel and the process's exit can arrive in any
 * order, and this table is the whole answer to what each means when. An empty
 * cell is an event that makes no sense there.
 *
 * Once killing has begun the ending is settled; a late result is dropped.
 */
static const struct cell {
    void (*act)(struct run *);
    enum run_state next;
} table[RUN_STATES][RUN_EVENTS] = {
    [RUN_QUEUED] = {
        [EV_ASSIGNED] = { keep,          RUN_STARTING },
        [EV_REFUSED]  = { keep,          RUN_DONE     },
        [EV_CANCEL]   = { cancelled,     RUN_DONE     },
    },
    [RUN_STARTING] = {
        [EV_STARTED]  = { arm,           RUN_ACTIVE   },
        [EV_REFUSED]  = { keep,          RUN_DONE     },
        [EV_CANCEL]   = { cancelled,     RUN_DONE     },
        [EV_BROKEN]   = { never_started, RUN_KILLING  },
        [EV_EXIT]     = { died,          RUN_DONE     },
    },
    [RUN_ACTIVE] = {
        [EV_RESULT]   = { keep,          RUN_DONE     },
        [EV_DEADLINE] = { kill_late,     RUN_KILLING  },
        [EV_CANCEL]   = { kill_asked,    RUN_KILLING  },
        [EV_BROKEN]   = { kill_broken,   RUN_KILLING  },
        [EV_STOP]     = { kill_worker,   RUN_KILLING  },
        [EV_EXIT]     = { died,          RUN_DONE     },
    },
    [RUN_KILLING] = {
        [EV_RESULT]   = { keep,          RUN_KILLING  },
        [EV_DEADLINE] = { keep,          RUN_KILLING  },
        [EV_CANCEL]   = { keep,          RUN_KILLING  },
        [EV_BROKEN]   = { keep,          RUN_KILLING  },
        [EV_STOP]     = { keep,          RUN_KILLING  },
        [EV_EXIT]     = { buried,        RUN_DONE     },
    },
    /* RUN_DONE has no row: a finished run takes no events. */
};

/* A child has one run: if that ended without it, nobody wants it any more. */
static void let_go(struct run *r)
{
    struct child *c = r->child;
    r->child = NULL;
    if (!c)
        return;
    child_listen(c, NULL, NULL);
    child_kill(c);
}

static void finish(struct run *r)
{
    r->deadline_ns = 0;
    fetches_end(&r->fetches);
    let_go(r);
    if (r->peer) {
        r->result.walls = peer_walls(r->peer);
        peer_listen(r->peer, NULL, NULL);
    }
    r->peer = NULL;
    if (r->calls && r->calls->done)
        r->calls->done(r->user, r);
}

int run_event(struct run *r, enum run_event ev)
{
    const struct cell *c = &table[r->state][ev];
    if (!c->act)
        return -EINVAL;
    c->act(r);
    r->state = c->next;
    if (r->state == RUN_DONE)
        finish(r);
    return 0;
}

/* ---- what the peer tells us ----------------------------------------------- */

void run_broken(struct run *r, const char *why)
{
    if (r->state == RUN_ACTIVE || r->state == RUN_STARTING)
        snprintf(r->result.detail, sizeof r->result.detail, "%s", why);
    run_event(r, EV_BROKEN);
}

static void on_hello(void *user)
{
    struct run *r = user;
    fetches_begin(&r->fetches, r->message.flags & RUN_NET ? r->egress : NULL,
                  r->egress_run, r->peer, &r->message.limits);
    int status = peer_send_run(r->peer, &r->message);
    if (status == 0) {
        run_event(r, EV_STARTED);
        return;
    }
    run_refuse(r, status == -EMSGSIZE ? "the program and its modules together "
                                        "are too large for one run"
                                      : strerror(-status));
}

static void take_output(struct run *r, int stream, struct str bytes)
{
    struct str kept = result_output(&r->result, stream, bytes);
    if (kept.len && r->calls && r->calls->output)
        r->calls->output(r->user, r, stream, kept);
}

static void on_output(void *user, const struct msg_output *m)
{
    struct run *r = user;
    if (m->stream != 1 && m->stream != 2) {
        run_broken(r, "the worker wrote to an unknown stream");
        return;
    }
    take_output(r, m->stream == 1 ? OUT_STDOUT : OUT_STDERR, m->bytes);
}

static void on_load(void *user, const struct msg_load *m)
{
    struct run *r = user;
    if (r->state != RUN_ACTIVE)
        return;
    if (r->root_fd < 0 || !(r->message.flags & RUN_ROOT)) {
        run_broken(r, "the worker asked for a file, and no root was given");
        return;
    }
    if (++r->loads > r->message.limits.module_loads) {
        run_broken(r, "the worker asked for more modules than the limit");
        return;
    }
    AUTO_BUF text;
    buf_init(&text, MAX_SOURCE_BYTES);
    struct module_ask ask = { r->root_fd, peer_image_flags(r->peer), m->base,
                              m->name };
    struct msg_loaded answer = { .ok = module_load(&ask, &text) == 0 };
    answer.text = buf_str(&text);
    if (peer_send_loaded(r->peer, &answer) < 0)
        run_broken(r, "the worker asked for files faster than it took them");
}

static void on_result(void *user, const struct msg_result *m)
{
    struct run *r = user;
    struct err e = { 0 };
    if (r->state != RUN_ACTIVE) {
        run_event(r, EV_RESULT);
        return;
    }
    int status = m->id == r->message.id
        ? result_take(&r->result, m, &e)
        : err_set(&e, -EPROTO, "the worker sent the result of another run");
    if (status < 0)
        run_broken(r, e.msg);
    else
        run_event(r, EV_RESULT);
}

static void on_broken(void *user, const char *why)
{
    run_broken(user, why);
}

static void on_exit_(void *user, int wait_status)
{
    struct run *r = user;
    r->exit_status = wait_status;
    run_event(r, EV_EXIT);
}

#define X(name, took)                                                     \
    static void on_##name(void *user, const struct msg_##name *m)         \
    {                                                                     \
        struct run *r = user;                                             \
        struct err e = { 0 };                                             \
        if (r->state == RUN_ACTIVE && took(&r->fetches, m, &e) < 0)       \
            run_broken(r, e.msg);                                             \
    }
X(fetch, fetch_asked)
X(fetch_abort, fetch_aborted)
X(fetch_more, fetch_granted)
#undef X

static void on_fetch_denied(void *user, const struct msg_fetch_denied *m)
{
    struct run *r = user;
    if (r->state == RUN_ACTIVE)
        fetch_was_denied(&r->result, m);
}

static const struct peer_events run_listener = {
    .fetch = on_fetch, .fetch_abort = on_fetch_abort,
    .fetch_more = on_fetch_more, .fetch_denied = on_fetch_denied,
    .hello  = on_hello,  .output = on_output, .load = on_load,
    .result = on_result, .broken = on_broken, .exit = on_exit_,
};

/* ---- what the child tells us ---------------------------------------------- */

static void child_is_sealed(void *user)
{
    struct run *r = user;
    struct err e = { 0 };
    if (child_run(r->child, &r->message, r->guest, &e) < 0)
        run_refuse(r, e.msg);
    else
        run_event(r, EV_STARTED);
}

static void child_wrote(void *user, int stream, struct str bytes)
{
    take_output(user, stream, bytes);
}

static int child_said(void *user, const struct msg_result *m, struct err *e)
{
    struct run *r = user;
    if (r->state != RUN_ACTIVE)
        return 0;
    if (!r->answered_ns)
        r->answered_ns = clock_now_ns();
    return result_take_guest(&r->result, m, e);
}

static void child_was_denied(void *user, const struct msg_denied *m)
{
    struct run *r = user;
    result_deny(&r->result, m);
}

static void child_was_stopped(void *user, const struct child_stop *why)
{
    struct run *r = user;
    if (r->state == RUN_STARTING) {
        run_broken(r, why->detail ? why->detail : "");
    } else if (r->state == RUN_ACTIVE) {
        result_end(&r->result, why->reason, why->detail);
        r->result.limit = why->limit;
        r->result.observed = why->observed;
        run_event(r, EV_STOP);
    }
}

static void take_files(struct run *r)
{
    struct err e = { 0 };
    if (!r->started_ns || r->result.reason == REASON_CANCELLED)
        return;
    if (child_files(r->child, &r->message, r->guest, &r->result.files, &e) < 0)
        snprintf(r->result.files_error, sizeof r->result.files_error, "%s", e.msg);
}

static void child_ended(void *user, struct evidence *ev)
{
    struct run *r = user;
    r->evidence = ev;
    r->result.walls = child_walls(r->child);
    take_files(r);
    r->child = NULL;
    run_event(r, EV_EXIT);
}

static const struct child_events child_listener = {
    .sealed = child_is_sealed, .output = child_wrote, .result = child_said,
    .denied = child_was_denied, .stop = child_was_stopped, .exit = child_ended,
};

/* ---- what its owner does -------------------------------------------------- */

void run_init(struct run *r, const struct msg_run *m, int root_fd,
              const struct run_calls *calls, void *user)
{
    *r = (struct run){ .message = *m, .root_fd = root_fd, .calls = calls,
                       .user = user };
    result_init(&r->result, &m->limits);
    r->result.plain = (m->flags & RUN_PLAIN) != 0;
}

void run_free(struct run *r)
{
    if (r->peer)
        peer_listen(r->peer, NULL, NULL);
    r->peer = NULL;
    fetches_end(&r->fetches);
    let_go(r);
    result_free(&r->result);
}

int run_begin(struct run *r, struct peer *p)
{
    int status = run_event(r, EV_ASSIGNED);
    if (status < 0)
        return status;
    r->peer = p;
    peer_listen(p, &run_listener, r);
    if (peer_phase(p) == PHASE_IDLE)
        on_hello(r);
    return 0;
}

int run_attach(struct run *r, struct child *c)
{
    int status = run_event(r, EV_ASSIGNED);
    if (status < 0)
        return status;
    r->child = c;
    r->result.started_as = child_is_spare(c) ? AS_SPARE : AS_FORK;
    child_listen(c, &child_listener, r);
    if (child_state(c) == CHILD_PARKED)
        child_is_sealed(r);
    return 0;
}

void run_refuse(struct run *r, const char *why)
{
    result_end(&r->result, REASON_INTERNAL, why);
    run_event(r, EV_REFUSED);
}

int run_cancel(struct run *r)
{
    return run_event(r, EV_CANCEL);
}

uint64_t run_deadline_ns(const struct run *r)
{
    return r->deadline_ns;
}

void run_tick(struct run *r, uint64_t now_ns)
{
    if (r->deadline_ns && now_ns >= r->deadline_ns)
        run_event(r, EV_DEADLINE);
}
