/* env/egress.c -- the process that has a network, as seen from the trusted side.
 * SPDX-License-Identifier: MIT */
#include "env/egress.h"
#include "egress/policy.h"
#include "env/place.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum {
    READ_BYTES    = 64 << 10,
    READS_AT_ONCE = 16,           /* then others have their turn */
    OUT_MOST      = 128 << 20,
    KEEP_BYTES    = 1 << 20,      /* a buffer that grew past this is released */
    DYING_MS      = 200,          /* from hanging up to its exit */
};

/* Descriptors that go with the frame at this place of the stream. */
struct parcel {
    struct parcel *next;
    uint64_t       at;
    size_t         n;
    int            fd[EGRESS_MAX_SOCKETS];
};

struct served {                   /* an attached run */
    struct served      *next;
    struct egress_usage usage;    /* as last told */
    int                 leaving;
};

struct asked {                    /* a fetch without an end */
    struct asked *next;
    uint64_t      run, call, credit;
    int           answered, aborted;
};

struct egress {
    int                         fd;
    pid_t                       pid;
    int                         online;
    const struct egress_events *events;
    void                       *user;
    struct buf                  in, out;
    uint64_t                    sent;      /* bytes, since the beginning */
    size_t                      out_at;
    struct parcel              *parcels, **last_parcel;
    struct served              *runs;
    struct asked               *calls;
    char                        words[256];    /* of its OFFLINE */
};

#define TELL(x, event, ...) do {                                          \
    if ((x)->events && (x)->events->event)                                \
        (x)->events->event((x)->user, ##__VA_ARGS__);                     \
} while (0)

/* ---- the process -------------------------------------------------------------- */

/* Between fork and exec: system calls only. */
static void become(int exec_fd, int channel, int null)
{
    static const char *const argv[] = { "glovebox-egress", NULL };
    static const char *const envp[] = { NULL };
    sigset_t none;
    int high = fcntl(exec_fd, F_DUPFD_CLOEXEC, 10);
    int mine = fcntl(channel, F_DUPFD_CLOEXEC, 10);
    int hole = fcntl(null, F_DUPFD_CLOEXEC, 10);
#ifdef GB_SANITIZED
    int last = 1;    /* a sanitizer has something to say */
#else
    int last = 2;
#endif
    for (int i = 0; i <= last; i++)
        if (dup2(hole, i) < 0)
            _exit(127);
    if (high < 0 || mine < 0 || dup2(mine, EGRESS_FD) < 0 ||
        syscall(SYS_close_range, EGRESS_FD + 1, ~0u, 4 /* on exec */) < 0 ||
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
        _exit(127);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_IGN);    /* a terminal's ^C is the supervisor's affair */
    syscall(SYS_execveat, high, "", argv, envp, AT_EMPTY_PATH);
    _exit(127);
}

static int launch(struct egress *x, struct err *e)
{
    int pair[2];
    AUTO_FD program = -1;
    int r = place_open(PLACE_EGRESS, &program, e);
    if (r < 0)
        return r;
    AUTO_FD null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        return err_sys(e, "egress: /dev/null");
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return err_sys(e, "egress: socketpair");
    x->fd = pair[0];
    AUTO_FD theirs = pair[1];
    if (fcntl(x->fd, F_SETFL, O_NONBLOCK) < 0)
        return err_sys(e, "egress: its socket");
    pid_t parent = getpid();
    x->pid = fork();
    if (x->pid < 0)
        return err_sys(e, "egress: fork");
    if (x->pid == 0) {
        if (getppid() != parent)
            _exit(127);
        become(program, theirs, null);
    }
    return 0;
}

static int check(const struct egress_spec *spec, struct err *e)
{
    struct net_policy p = { 0 };
    int r = net_policy_parse(spec->policy, &p, e);
    net_policy_free(&p);
    if (r == 0 && spec->secrets > EGRESS_MAX_SECRETS)
        r = err_set(e, -EINVAL, "more than %d secrets", EGRESS_MAX_SECRETS);
    for (size_t i = 0; r == 0 && i < spec->secrets; i++)
        r = net_secret_check(spec->secret[i].name, spec->secret[i].value,
                             spec->secret[i].host, e);
    return r;
}

int egress_start(const struct egress_spec *spec, struct egress **out,
                 struct err *e)
{
    int r = check(spec, e);
    if (r < 0)
        return r;
    struct egress *x = calloc(1, sizeof *x);
    if (!x)
        return err_set(e, -ENOMEM, "egress: no memory");
    x->fd = -1;
    x->last_parcel = &x->parcels;
    buf_init(&x->in, 4 * EGRESS_MAX_HEAD);
    buf_init(&x->out, OUT_MOST);
    struct egress_config m = {
        .version = EGRESS_VERSION, .policy = spec->policy, .hosts = spec->hosts,
        .nameserver = spec->nameserver, .ca_pem = spec->ca_pem,
        .connections = spec->connections, .idle_ms = spec->idle_ms,
        .secrets = (uint32_t)spec->secrets, .secret = spec->secret,
    };
    put_egress_config(&x->out, &m);
    if (x->out.failed)
        r = err_set(e, -EINVAL, "egress: rules, hosts, certificates and secrets "
                    "are too large");
    else
        r = launch(x, e);
    if (r < 0) {
        egress_free(x);
        return r;
    }
    egress_writable(x);
    *out = x;
    return 0;
}

static void drop_parcel(struct egress *x)
{
    struct parcel *p = x->parcels;
    x->parcels = p->next;
    if (!x->parcels)
        x->last_parcel = &x->parcels;
    for (size_t i = 0; i < p->n; i++)
        close(p->fd[i]);
    free(p);
}

/* Hang up, give it a moment to end by itself, then kill and reap. Returns the
 * wait status, 0 if it was reaped before. */
static int stop(struct egress *x, int patience_ms)
{
    int status = 0;
    if (x->fd >= 0)
        close(x->fd);
    x->fd = -1;
    if (x->pid > 0) {
        AUTO_FD pidfd = (int)syscall(SYS_pidfd_open, x->pid, 0);
        struct pollfd end = { .fd = pidfd, .events = POLLIN };
        if (patience_ms && pidfd >= 0)
            poll(&end, 1, patience_ms);
        kill(x->pid, SIGKILL);
        while (waitpid(x->pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    x->pid = 0;
    while (x->parcels)
        drop_parcel(x);
    return status;
}

void egress_free(struct egress *x)
{
    if (!x)
        return;
    stop(x, 0);
    while (x->runs) {
        struct served *s = x->runs;
        x->runs = s->next;
        free(s);
    }
    while (x->calls) {
        struct asked *a = x->calls;
        x->calls = a->next;
        free(a);
    }
    if (x->out.at)
        explicit_bzero(x->out.at, x->out.room);    /* secrets, if unsent */
    buf_free(&x->in);
    buf_free(&x->out);
    free(x);
}

void egress_listen(struct egress *x, const struct egress_events *events,
                   void *user)
{
    x->events = events;
    x->user = user;
}

int egress_fd(const struct egress *x)
{
    return x->fd;
}

int egress_usable(const struct egress *x)
{
    return x->fd >= 0;
}

short egress_interest(const struct egress *x)
{
    if (x->fd < 0)
        return 0;
    return (short)(POLLIN | (x->out.len > x->out_at ? POLLOUT : 0));
}

/* ---- its end ---------------------------------------------------------------------- */

static void describe_exit(const struct egress *x, int status, char *out,
                          size_t room)
{
    if (x->words[0])
        snprintf(out, room, "the egress process cannot serve: %s", x->words);
    else if (WIFSIGNALED(status))
        snprintf(out, room, "the egress process died of SIG%s",
                 sigabbrev_np(WTERMSIG(status)));
    else if (WIFEXITED(status) && WEXITSTATUS(status))
        snprintf(out, room, "the egress process exited with status %d",
                 WEXITSTATUS(status));
    else
        snprintf(out, room, "the egress process is gone");
}

static void free_asked(struct egress *x, struct asked *a)
{
    struct asked **at = &x->calls;
    while (*at != a)
        at = &(*at)->next;
    *at = a->next;
    free(a);
}

/* Everything that was promised an end has one. why NULL: it hung up. */
static void lose(struct egress *x, const char *why)
{
    char text[512];
    if (x->fd < 0)
        return;
    int status = stop(x, why ? 0 : DYING_MS);
    if (why)
        snprintf(text, sizeof text, "%s", why);
    else
        describe_exit(x, status, text, sizeof text);
    while (x->calls) {
        struct egress_fail m = { .run = x->calls->run, .call = x->calls->call,
                                 .code = FETCH_GONE, .message = str_of(text) };
        free_asked(x, x->calls);
        TELL(x, fail, &m);
    }
    while (x->runs) {
        struct served *s = x->runs;
        struct egress_usage m = s->usage;
        m.last = 1;
        x->runs = s->next;
        free(s);
        TELL(x, usage, &m);
    }
    TELL(x, gone, text);
}

/* ---- what it says ------------------------------------------------------------------- */

static struct served *find_run(const struct egress *x, uint64_t run)
{
    struct served *s = x->runs;
    while (s && s->usage.run != run)
        s = s->next;
    return s;
}

static struct asked *find_call(const struct egress *x, uint64_t run,
                               uint64_t call)
{
    struct asked *a = x->calls;
    while (a && (a->run != run || a->call != call))
        a = a->next;
    return a;
}

static int on_ONLINE(struct egress *x, struct str body)
{
    struct egress_online m;
    if (get_egress_online(body, &m) < 0 || x->online ||
        m.version != EGRESS_VERSION)
        return -EPROTO;
    x->online = 1;
    TELL(x, online);
    return 0;
}

static int on_DECISION(struct egress *x, struct str body)
{
    struct egress_decision m;
    if (get_egress_decision(body, &m) < 0 || !find_run(x, m.run))
        return -EPROTO;
    TELL(x, decision, &m);
    return 0;
}

static int on_USAGE(struct egress *x, struct str body)
{
    struct egress_usage m;
    if (get_egress_usage(body, &m) < 0)
        return -EPROTO;
    struct served *s = find_run(x, m.run);
    if (!s || (m.last && !s->leaving))
        return -EPROTO;
    s->usage = m;
    if (m.last) {
        for (struct asked *a = x->calls; a; a = a->next)
            if (a->run == m.run)
                return -EPROTO;
        struct served **at = &x->runs;
        while (*at != s)
            at = &(*at)->next;
        *at = s->next;
        free(s);
    }
    TELL(x, usage, &m);
    return 0;
}

static int on_HEAD(struct egress *x, struct str body)
{
    struct egress_head m;
    if (get_egress_head(body, &m) < 0)
        return -EPROTO;
    struct asked *a = find_call(x, m.run, m.call);
    if (!a || a->answered)
        return -EPROTO;
    a->answered = 1;
    if (!a->aborted)
        TELL(x, head, &m);
    return 0;
}

static int on_DATA(struct egress *x, struct str body)
{
    struct egress_data m;
    if (get_egress_data(body, &m) < 0)
        return -EPROTO;
    struct asked *a = find_call(x, m.run, m.call);
    if (!a || !a->answered || m.bytes.len > a->credit)
        return -EPROTO;
    a->credit -= m.bytes.len;
    if (!a->aborted)
        TELL(x, data, &m);
    return 0;
}

static int on_END(struct egress *x, struct str body)
{
    struct egress_end m;
    if (get_egress_end(body, &m) < 0)
        return -EPROTO;
    struct asked *a = find_call(x, m.run, m.call);
    if (!a || !a->answered)
        return -EPROTO;
    free_asked(x, a);
    TELL(x, end, &m);
    return 0;
}

static int on_FAIL(struct egress *x, struct str body)
{
    struct egress_fail m;
    if (get_egress_fail(body, &m) < 0)
        return -EPROTO;
    struct asked *a = find_call(x, m.run, m.call);
    if (!a)
        return -EPROTO;
    free_asked(x, a);
    TELL(x, fail, &m);
    return 0;
}

/* Its exit follows; these words explain it. */
static int on_OFFLINE(struct egress *x, struct str body)
{
    struct egress_offline m;
    if (get_egress_offline(body, &m) < 0)
        return -EPROTO;
    size_t n = 0;
    for (; n < m.text.len && n + 1 < sizeof x->words; n++)
        x->words[n] = m.text.at[n] >= ' ' && m.text.at[n] <= '~'
                    ? m.text.at[n] : '?';
    x->words[n] = '\0';
    return 0;
}

/* 1: took a frame, 0: needs more bytes, negative: a violation. */
static int take_frame(struct egress *x, size_t *at)
{
    static int (*const handlers[])(struct egress *, struct str) = {
#define X(NAME, number, max) [number] = on_##NAME,
        FROM_EGRESS(X)
#undef X
    };
    struct frame_head head;
    size_t have = x->in.len - *at;
    if (have < FRAME_HEAD_BYTES)
        return 0;
    const char *start = x->in.at + *at;
    if (frame_head_read((const unsigned char *)start, &head) < 0)
        return -EPROTO;
    const struct message_rule *rule = message_from_egress(head.type);
    if (!rule || head.len > rule->max_body)
        return -EPROTO;
    if (!x->online && head.type != EGRESS_ONLINE && head.type != EGRESS_OFFLINE)
        return -EPROTO;
    if (have - FRAME_HEAD_BYTES < head.len)
        return 0;
    *at += FRAME_HEAD_BYTES + (size_t)head.len;
    int r = handlers[head.type](x, (struct str){ start + FRAME_HEAD_BYTES,
                                                 (size_t)head.len });
    return r < 0 ? r : 1;
}

static void take_frames(struct egress *x)
{
    size_t at = 0;
    int r;
    do
        r = take_frame(x, &at);
    while (r > 0 && x->fd >= 0);
    if (r < 0)
        lose(x, "the egress process sent a frame that it may not send");
    buf_drop(&x->in, at);
}

void egress_readable(struct egress *x)
{
    for (int i = 0; i < READS_AT_ONCE && x->fd >= 0; i++) {
        char *room = buf_reserve(&x->in, READ_BYTES);
        if (!room) {
            lose(x, "no memory for what the egress process sent");
            return;
        }
        ssize_t n;
        do
            n = recv(x->fd, room, READ_BYTES, 0);
        while (n < 0 && errno == EINTR);
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            lose(x, NULL);
            return;
        }
        x->in.len += (size_t)n;
        take_frames(x);
        if ((size_t)n < READ_BYTES)
            return;
    }
}

/* ---- what we say --------------------------------------------------------------------- */

/* Bytes that may go in one call: descriptors go with the first byte of theirs. */
static ssize_t send_some(struct egress *x)
{
    struct parcel *p = x->parcels;
    union {
        char           at[CMSG_SPACE(EGRESS_MAX_SOCKETS * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec io = { x->out.at + x->out_at, x->out.len - x->out_at };
    struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1 };
    if (p && p->at > x->sent && p->at - x->sent < io.iov_len)
        io.iov_len = (size_t)(p->at - x->sent);
    if (p && p->at == x->sent) {
        if (p->next && p->next->at - x->sent < io.iov_len)
            io.iov_len = (size_t)(p->next->at - x->sent);
        memset(&control, 0, sizeof control);
        m.msg_control = &control;
        m.msg_controllen = CMSG_SPACE(p->n * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(p->n * sizeof(int));
        memcpy(CMSG_DATA(c), p->fd, p->n * sizeof(int));
    }
    ssize_t n = sendmsg(x->fd, &m, MSG_NOSIGNAL);
    if (n > 0 && m.msg_control)
        drop_parcel(x);
    return n;
}

void egress_writable(struct egress *x)
{
    while (x->fd >= 0 && x->out_at < x->out.len) {
        ssize_t n = send_some(x);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return;    /* full; or gone, which reading tells */
        x->out_at += (size_t)n;
        x->sent += (uint64_t)n;
    }
    x->out_at = 0;
    if (x->out.at && x->sent == x->out.len)
        explicit_bzero(x->out.at, x->out.len);    /* the first: secrets */
    buf_clear(&x->out);
    if (x->out.room > KEEP_BYTES) {
        buf_free(&x->out);
        buf_init(&x->out, OUT_MOST);
    }
}

static uint64_t stream_end(const struct egress *x)
{
    return x->sent + (x->out.len - x->out_at);
}

/* After a put_X(): a frame that did not fit was never there. */
static int queued(struct egress *x)
{
    int r = x->out.failed;
    x->out.failed = 0;
    if (r == 0)
        egress_writable(x);
    return r;
}

static struct parcel *pack(const int *fds, size_t n)
{
    struct parcel *p = calloc(1, sizeof *p);
    for (size_t i = 0; p && i < n; i++) {
        p->fd[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 3);
        if (p->fd[i] < 0) {
            while (i-- > 0)
                close(p->fd[i]);
            free(p);
            return NULL;
        }
        p->n++;
    }
    return p;
}

int egress_attach(struct egress *x, uint64_t run, uint64_t max_bytes,
                  const int *fds, size_t n)
{
    if (x->fd < 0)
        return -EPIPE;
    if (find_run(x, run))
        return -EEXIST;
    if (n > EGRESS_MAX_SOCKETS)
        return -EINVAL;
    struct served *s = calloc(1, sizeof *s);
    struct parcel *p = n ? pack(fds, n) : NULL;
    if (!s || (n && !p)) {
        free(s);
        return -ENOMEM;
    }
    if (p) {
        p->at = stream_end(x);
        *x->last_parcel = p;
        x->last_parcel = &p->next;
    }
    s->usage.run = run;
    s->next = x->runs;
    x->runs = s;
    put_egress_attach(&x->out, &(struct egress_attach){
        .run = run, .max_bytes = max_bytes, .sockets = (uint32_t)n });
    int r = queued(x);
    if (r < 0)
        lose(x, "no memory for what the egress process must be told");
    return r;
}

int egress_detach(struct egress *x, uint64_t run)
{
    if (x->fd < 0)
        return -EPIPE;
    struct served *s = find_run(x, run);
    if (!s || s->leaving)
        return -ENOENT;
    s->leaving = 1;
    put_egress_detach(&x->out, &(struct egress_detach){ run });
    return queued(x);
}

int egress_fetch(struct egress *x, const struct egress_fetch *m)
{
    if (x->fd < 0)
        return -EPIPE;
    struct served *s = find_run(x, m->run);
    if (!s || s->leaving)
        return -ENOENT;
    if (find_call(x, m->run, m->call))
        return -EEXIST;
    struct asked *a = calloc(1, sizeof *a);
    if (!a)
        return -ENOMEM;
    a->run = m->run;
    a->call = m->call;
    a->credit = m->credit;
    a->next = x->calls;
    x->calls = a;
    put_egress_fetch(&x->out, m);
    int r = queued(x);
    if (r < 0)
        free_asked(x, a);
    return r == -EPROTO ? -EINVAL : r;
}

int egress_abort(struct egress *x, uint64_t run, uint64_t call)
{
    if (x->fd < 0)
        return -EPIPE;
    struct asked *a = find_call(x, run, call);
    if (!a || a->aborted)
        return -ENOENT;
    a->aborted = 1;
    put_egress_abort(&x->out, &(struct egress_abort){ run, call });
    return queued(x);
}

int egress_more(struct egress *x, uint64_t run, uint64_t call, uint64_t bytes)
{
    if (x->fd < 0)
        return -EPIPE;
    struct asked *a = find_call(x, run, call);
    if (!a)
        return -ENOENT;
    a->credit += bytes;
    put_egress_more(&x->out, &(struct egress_more){ run, call, bytes });
    return queued(x);
}
