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
    r->started_ns = clock_now_ns();
    r->deadline_ns = r->started_ns +
                     (r->message.limits.wall_time_ms + RUN_GRACE_MS) * NS_PER_MS;
}

static void kill_peer(struct run *r)
{
    r->kills++;
    r->deadline_ns = 0;
    if (r->started_ns)
        r->result.wall_ns = clock_now_ns() - r->started_ns;
    peer_kill(r->peer);
}

static void kill_late(struct run *r)
{
    kill_peer(r);
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
    kill_peer(r);
    cancelled(r);
}

/* The detail was written by whoever saw it break. */
static void kill_broken(struct run *r)
{
    kill_peer(r);
    r->result.reason = REASON_CRASHED;
}

static void never_started(struct run *r)
{
    kill_peer(r);
    r->result.reason = REASON_INTERNAL;
}

/* The process is gone and no result came: its wait status is all we know. */
static void died(struct run *r)
{
    char detail[400];
    int st = r->exit_status;
    enum reason reason = REASON_CRASHED;
    if (WIFSIGNALED(st) && WTERMSIG(st) == SIGSYS)
        reason = REASON_SYSCALL_DENIED;
    if (WIFSIGNALED(st) && WTERMSIG(st) == SIGKILL)
        reason = REASON_LOST;
    if (r->state == RUN_STARTING)
        reason = REASON_INTERNAL;
    peer_exit_text(r->peer, st, detail, sizeof detail);
    if (r->started_ns)
        r->result.wall_ns = clock_now_ns() - r->started_ns;
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
        [EV_EXIT]     = { died,          RUN_DONE     },
    },
    [RUN_KILLING] = {
        [EV_RESULT]   = { keep,          RUN_KILLING  },
        [EV_DEADLINE] = { keep,          RUN_KILLING  },
        [EV_CANCEL]   = { keep,          RUN_KILLING  },
        [EV_BROKEN]   = { keep,          RUN_KILLING  },
        [EV_EXIT]     = { keep,          RUN_DONE     },
    },
    /* RUN_DONE has no row: a finished run takes no events. */
};

static void finish(struct run *r)
{
    r->deadline_ns = 0;
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

static void broken(struct run *r, const char *why)
{
    if (r->state == RUN_ACTIVE || r->state == RUN_STARTING)
        snprintf(r->result.detail, sizeof r->result.detail, "%s", why);
    run_event(r, EV_BROKEN);
}

static void on_hello(void *user)
{
    struct run *r = user;
    int status = peer_send_run(r->peer, &r->message);
    if (status == 0) {
        run_event(r, EV_STARTED);
        return;
    }
    run_refuse(r, status == -EMSGSIZE ? "the program and its modules together "
                                        "are too large for one run"
                                      : strerror(-status));
}

static void on_output(void *user, const struct msg_output *m)
{
    struct run *r = user;
    if (m->stream != 1 && m->stream != 2) {
        broken(r, "the worker wrote to an unknown stream");
        return;
    }
    int stream = m->stream == 1 ? OUT_STDOUT : OUT_STDERR;
    struct str kept = result_output(&r->result, stream, m->bytes);
    if (kept.len && r->calls && r->calls->output)
        r->calls->output(r->user, r, stream, kept);
}

static void on_load(void *user, const struct msg_load *m)
{
    struct run *r = user;
    if (r->state != RUN_ACTIVE)
        return;
    if (r->root_fd < 0 || !(r->message.flags & RUN_ROOT)) {
        broken(r, "the worker asked for a file, and no root was given");
        return;
    }
    if (++r->loads > r->message.limits.module_loads) {
        broken(r, "the worker asked for more modules than the limit");
        return;
    }
    AUTO_BUF text;
    buf_init(&text, MAX_SOURCE_BYTES);
    struct module_ask ask = { r->root_fd, peer_image_flags(r->peer), m->base,
                              m->name };
    struct msg_loaded answer = { .ok = module_load(&ask, &text) == 0 };
    answer.text = buf_str(&text);
    if (peer_send_loaded(r->peer, &answer) < 0)
        broken(r, "the worker asked for files faster than it took them");
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
        broken(r, e.msg);
    else
        run_event(r, EV_RESULT);
}

static void on_broken(void *user, const char *why)
{
    broken(user, why);
}

static void on_exit_(void *user, int wait_status)
{
    struct run *r = user;
    r->exit_status = wait_status;
    run_event(r, EV_EXIT);
}

static const struct peer_events run_listener = {
    .hello  = on_hello,  .output = on_output, .load = on_load,
    .result = on_result, .broken = on_broken, .exit = on_exit_,
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
