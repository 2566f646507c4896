/* env/peer.c -- one worker process, as seen from the trusted side.
 * SPDX-License-Identifier: MIT */
#include "env/peer.h"
#include "env/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum {
    READ_BYTES     = 64 << 10,
    READS_AT_ONCE  = 16,           /* then the other peers have their turn */
    STACK_BYTES    = 64 << 20,
    WORKER_SLACK   = 256 << 20,    /* code, run message, result buffers */
    KEEP_BUF_BYTES = 1 << 20,      /* a buffer that grew past this is released */
};

struct peer {
    struct jail              *jail;
    int                       fd;
    unsigned                  phase;
    int                       killed;
    uint64_t                  deadline_ns;
    const struct peer_events *events;
    void                     *user;
    struct buf                in, out;
    size_t                    in_at, out_at;
    unsigned                  walls, required, image_flags;
    char                      engine[128], engine_id[65], fatal[256];
    char                      image_engine_id[65];
};

/* ---- life ----------------------------------------------------------------- */

static int start_jail(struct peer *p, const struct peer_spec *spec,
                      struct err *e)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return err_sys(e, "worker: socketpair");
    p->fd = pair[0];
    AUTO_FD theirs = pair[1];
    if (fcntl(p->fd, F_SETFL, O_NONBLOCK) < 0)
        return err_sys(e, "worker: channel");

    char cells[32];
    snprintf(cells, sizeof cells, "--cells=%u", spec->cells);
    const char *const argv[] = { "glovebox-worker", cells, NULL };
    struct jail_spec jail = {
        .argv       = argv,
        .exec_fd    = spec->worker_fd,
        .channel_fd = theirs,
        .image_fd   = spec->image_fd,
        .required   = p->required,
        .leave_out  = spec->leave_out,
        /* The cell, a copy of it to roll a session back to, and the rest. */
        .limits     = { .data_bytes  = 2 * spec->memory_bytes + WORKER_SLACK,
                        .stack_bytes = STACK_BYTES },
    };
    return jail_start(&jail, &p->jail, e);
}

int peer_start(const struct peer_spec *spec, struct peer **out, struct err *e)
{
    struct image_head head;
    int r = image_head_read(spec->image_fd, &head, e);
    if (r < 0)
        return r;

    struct peer *p = calloc(1, sizeof *p);
    if (!p)
        return err_set(e, -ENOMEM, "worker: no memory");
    p->fd = -1;
    p->phase = PHASE_STARTING;
    p->required = (spec->required | PEER_REQUIRES) & ~JAIL_BUILD_LACKS &
                  ~spec->leave_out;
    p->image_flags = head.flags;
    p->deadline_ns = clock_now_ns() + PEER_HELLO_MS * NS_PER_MS;
    memcpy(p->image_engine_id, head.engine_id, sizeof head.engine_id);
    buf_init(&p->in, MAX_RESULT_BYTES + (8 << 20));
    buf_init(&p->out, MAX_RUN_BYTES + MAX_SOURCE_BYTES + (1 << 20));
    r = start_jail(p, spec, e);
    if (r < 0) {
        peer_free(p);
        return r;
    }
    *out = p;
    return 0;
}

void peer_free(struct peer *p)
{
    if (!p)
        return;
    jail_free(p->jail);
    if (p->fd >= 0)
        close(p->fd);
    buf_free(&p->in);
    buf_free(&p->out);
    free(p);
}

void peer_listen(struct peer *p, const struct peer_events *events, void *user)
{
    p->events = events;
    p->user = user;
}

int peer_fd(const struct peer *p)
{
    return p->fd;
}

short peer_interest(const struct peer *p)
{
    if (p->fd < 0)
        return 0;
    return (short)(POLLIN | (p->out.len > p->out_at ? POLLOUT : 0));
}

int peer_pidfd(const struct peer *p)
{
    return jail_pidfd(p->jail);
}

uint64_t peer_deadline_ns(const struct peer *p)
{
    return p->deadline_ns;
}

enum phase peer_phase(const struct peer *p)
{
    return (enum phase)p->phase;
}

int peer_usable(const struct peer *p)
{
    return p->fd >= 0 && !p->killed;
}

unsigned peer_walls(const struct peer *p)
{
    return jail_walls(p->jail) | p->walls;
}

const char *peer_engine(const struct peer *p)
{
    return p->engine;
}

const char *peer_engine_id(const struct peer *p)
{
    return p->engine_id;
}

unsigned peer_image_flags(const struct peer *p)
{
    return p->image_flags;
}

void peer_exit_text(const struct peer *p, int wait_status, char *out,
                    size_t room)
{
    const char *words = p ? p->fatal : "";
    char how[64];
    if (WIFSIGNALED(wait_status)) {
        const char *name = sigabbrev_np(WTERMSIG(wait_status));
        snprintf(how, sizeof how, "it died of SIG%s", name ? name : "?");
    } else {
        snprintf(how, sizeof how, "it exited with status %d",
                 WEXITSTATUS(wait_status));
    }
    snprintf(out, room, "%s%s%s", how, words[0] ? " after saying: " : "", words);
}

void peer_kill(struct peer *p)
{
    if (!p)
        return;
    p->killed = 1;
    p->deadline_ns = 0;
    jail_kill(p->jail);
}

static void hang_up(struct peer *p)
{
    if (p->fd >= 0)
        close(p->fd);
    p->fd = -1;
}

/* It said something it may not say: no answer, and no second chance. */
static void condemn(struct peer *p, const char *why)
{
    hang_up(p);
    if (p->killed)
        return;
    peer_kill(p);
    if (p->events && p->events->broken)
        p->events->broken(p->user, why);
}

/* ---- what a worker says --------------------------------------------------- */

static void keep_text(char *out, size_t room, struct str s)
{
    size_t n = s.len < room - 1 ? s.len : room - 1;
    for (size_t i = 0; i < n; i++)
        out[i] = s.at[i] >= ' ' && s.at[i] <= '~' ? s.at[i] : '?';
    out[n] = '\0';
}

static int on_HELLO(struct peer *p, struct str body, struct err *e)
{
    struct msg_hello m;
    if (get_hello(body, &m) < 0)
        return err_set(e, -EPROTO, "a malformed hello");
    if (m.version != WIRE_VERSION)
        return err_set(e, -EPROTO, "wire version %u, not %d: run make again",
                       m.version, WIRE_VERSION);
    keep_text(p->engine, sizeof p->engine, m.engine);
    keep_text(p->engine_id, sizeof p->engine_id, m.engine_id);
    if (strcmp(p->engine_id, p->image_engine_id) != 0)
        return err_set(e, -EPROTO, "the engine of another image: run make again");

    /* Only what a worker can do to itself; the jail's walls are ours to say. */
    p->walls = m.walls & (WALL_SFI | WALL_SECCOMP | WALL_NNP | WALL_FDS |
                          WALL_DUMPABLE);
    unsigned missing = p->required & ~peer_walls(p);
    if (missing)
        return err_set(e, -ENOTSUP, "a hello without the required wall %s",
                       wall_text(missing & -missing));
    p->phase = PHASE_IDLE;
    p->deadline_ns = 0;
    if (p->events && p->events->hello)
        p->events->hello(p->user);
    return 0;
}

/* Messages that are somebody else's to answer: checked, and handed on. */
#define HANDED_ON(X)                                          \
    X(OUTPUT,       output,       "malformed output")         \
    X(LOAD,         load,         "a malformed load")         \
    X(FETCH,        fetch,        "a malformed fetch")        \
    X(FETCH_ABORT,  fetch_abort,  "a malformed fetch_abort")  \
    X(FETCH_MORE,   fetch_more,   "a malformed fetch_more")   \
    X(FETCH_DENIED, fetch_denied, "a malformed fetch_denied")

#define X(NAME, name, wrong)                                              \
    static int on_##NAME(struct peer *p, struct str body, struct err *e)  \
    {                                                                     \
        struct msg_##name m;                                              \
        if (get_##name(body, &m) < 0)                                     \
            return err_set(e, -EPROTO, wrong);                            \
        if (p->events && p->events->name)                                 \
            p->events->name(p->user, &m);                                 \
        return 0;                                                         \
    }
HANDED_ON(X)
#undef X

static int on_RESULT(struct peer *p, struct str body, struct err *e)
{
    struct msg_result m;
    if (get_result(body, &m) < 0)
        return err_set(e, -EPROTO, "a malformed result");
    p->phase = PHASE_IDLE;
    if (p->events && p->events->result)
        p->events->result(p->user, &m);
    return 0;
}

static int on_IMAGE(struct peer *p, struct str body, struct err *e)
{
    struct msg_image m;
    if (get_image(body, &m) < 0)
        return err_set(e, -EPROTO, "a malformed image");
    if (m.last)
        p->phase = PHASE_IDLE;
    if (p->events && p->events->image)
        p->events->image(p->user, &m);
    return 0;
}

/* Its exit follows and ends the run; these words explain it. */
static int on_FATAL(struct peer *p, struct str body, struct err *e)
{
    struct msg_fatal m;
    if (get_fatal(body, &m) < 0)
        return err_set(e, -EPROTO, "a malformed fatal");
    keep_text(p->fatal, sizeof p->fatal, m.text);
    return 0;
}

static int dispatch(struct peer *p, uint32_t type, struct str body,
                    struct err *e)
{
    static int (*const handlers[])(struct peer *, struct str, struct err *) = {
#define X(NAME, number, max, phases) [number] = on_##NAME,
        FROM_WORKER(X)
#undef X
    };
    if (type >= COUNT(handlers) || !handlers[type])
        return err_set(e, -EPROTO, "a message of unknown type %u", type);
    return handlers[type](p, body, e);
}

/* The checks common to all messages, before anybody looks into a body. */
static int admit(const struct peer *p, const struct frame_head *h,
                 struct err *e)
{
    const struct message_rule *rule = message_from_worker(h->type);
    if (!rule)
        return err_set(e, -EPROTO, "a message of unknown type %u", h->type);
    if (!(rule->phases & p->phase))
        return err_set(e, -EPROTO, "%s in phase %#x", rule->name, p->phase);
    if (h->len > rule->max_body)
        return err_set(e, -EMSGSIZE, "%s of %llu bytes", rule->name,
                       (unsigned long long)h->len);
    return 0;
}

/* One large message must not be paid for ever after. */
static void give_back(struct buf *b)
{
    if (b->len || b->room <= KEEP_BUF_BYTES)
        return;
    size_t max = b->max;
    buf_free(b);
    buf_init(b, max);
}

/* 1: took a frame, 0: needs more bytes, negative: a violation. */
static int take_frame(struct peer *p, struct err *e)
{
    size_t have = p->in.len - p->in_at;
    if (have < FRAME_HEAD_BYTES)
        return 0;
    const char *at = p->in.at + p->in_at;
    struct frame_head head;
    if (frame_head_read((const unsigned char *)at, &head) < 0)
        return err_set(e, -EPROTO, "bytes that are not a frame");
    int r = admit(p, &head, e);
    if (r < 0)
        return r;
    if (have - FRAME_HEAD_BYTES < head.len)
        return 0;
    struct str body = { at + FRAME_HEAD_BYTES, (size_t)head.len };
    p->in_at += FRAME_HEAD_BYTES + body.len;
    r = dispatch(p, head.type, body, e);
    return r < 0 ? r : 1;
}

static void take_frames(struct peer *p)
{
    struct err e = { 0 };
    int r;
    do
        r = take_frame(p, &e);
    while (r > 0 && p->fd >= 0);
    if (r < 0) {
        char why[sizeof e.msg + 32];
        snprintf(why, sizeof why, "the worker sent %s", e.msg);
        condemn(p, why);
        return;
    }
    buf_drop(&p->in, p->in_at);
    p->in_at = 0;
    give_back(&p->in);
}

/*
 * End of file: usually the process is dying and its exit says why. If it is
 * not gone soon it has closed the channel and lives on, which is forbidden.
 */
static void closed(struct peer *p)
{
    hang_up(p);
    if (!p->killed)
        p->deadline_ns = clock_now_ns() + PEER_CLOSED_MS * NS_PER_MS;
}

/* Read once: how many bytes came, 0 if none can come now. */
static size_t read_some(struct peer *p)
{
    char *room = buf_reserve(&p->in, READ_BYTES);
    if (!room) {
        condemn(p, "the worker sent more than there is memory for");
        return 0;
    }
    ssize_t n;
    do
        n = recv(p->fd, room, READ_BYTES, 0);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        return 0;
    if (n <= 0) {
        closed(p);
        return 0;
    }
    p->in.len += (size_t)n;
    take_frames(p);
    return (size_t)n;
}

void peer_readable(struct peer *p)
{
    for (int i = 0; i < READS_AT_ONCE && p->fd >= 0; i++)
        if (read_some(p) < READ_BYTES)
            return;
}

/* What it wrote before it died still counts: a result may be among it. */
int peer_exited(struct peer *p)
{
    int status;
    if (!jail_reap(p->jail, &status))
        return 0;
    while (p->fd >= 0 && read_some(p) > 0)
        ;
    hang_up(p);
    p->deadline_ns = 0;
    if (p->events && p->events->exit)
        p->events->exit(p->user, status);
    return 1;
}

void peer_tick(struct peer *p, uint64_t now_ns)
{
    if (!p->deadline_ns || now_ns < p->deadline_ns)
        return;
    condemn(p, p->fd < 0 ? "the worker closed its channel"
                         : "the worker did not say hello in time");
}

/* ---- what we say ---------------------------------------------------------- */

/* A worker that is always sent more than it has read must not cost us all that
 * it was ever sent. */
static void drop_sent(struct peer *p)
{
    if (p->out_at < KEEP_BUF_BYTES)
        return;
    buf_drop(&p->out, p->out_at);
    p->out_at = 0;
}

void peer_writable(struct peer *p)
{
    while (p->fd >= 0 && p->out_at < p->out.len) {
        ssize_t n = send(p->fd, p->out.at + p->out_at, p->out.len - p->out_at,
                         MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            if (errno != EAGAIN)
                closed(p);
            drop_sent(p);
            return;
        }
        p->out_at += (size_t)n;
    }
    p->out_at = 0;
    buf_clear(&p->out);
    give_back(&p->out);
}

static int may_send(const struct peer *p, enum message type)
{
    const struct message_rule *rule = message_to_worker(type);
    return rule && peer_usable(p) && (rule->phases & p->phase);
}

/* Called after put_X(): too large a frame is taken back as if never queued. */
static int sent(struct peer *p, enum message type, size_t start, unsigned phase)
{
    size_t body = p->out.len - start - FRAME_HEAD_BYTES;
    if (p->out.failed || body > message_to_worker(type)->max_body) {
        int r = p->out.failed ? p->out.failed : -EMSGSIZE;
        p->out.failed = 0;
        p->out.len = start;
        return r;
    }
    p->phase = phase;
    peer_writable(p);
    return 0;
}

/* What can be said, and the phase it brings the worker into. */
#define SENDS(X)                       \
    X(RUN,    run,    PHASE_RUNNING)   \
    X(LOADED, loaded, PHASE_RUNNING)   \
    X(DUMP,   dump,   PHASE_DUMPING)   \
    X(RESET,  reset,  PHASE_IDLE)      \
    X(FETCH_HEAD, fetch_head, PHASE_RUNNING)    \
    X(FETCH_DATA, fetch_data, PHASE_RUNNING)    \
    X(FETCH_END,  fetch_end,  PHASE_RUNNING)    \
    X(FETCH_FAIL, fetch_fail, PHASE_RUNNING)

#define X(NAME, name, next)                                              \
    int peer_send_##name(struct peer *p, const struct msg_##name *m)     \
    {                                                                    \
        size_t start = p->out.len;                                       \
        if (!may_send(p, MSG_##NAME))                                    \
            return -EINVAL;                                              \
        put_##name(&p->out, m);                                          \
        return sent(p, MSG_##NAME, start, next);                         \
    }
SENDS(X)
#undef X
