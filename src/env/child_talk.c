/*
 * env/child_talk.c -- the channel of a run, and its denied system calls.
 *
 * Up to the seal the other side is our own code in a fork of the zygote; from
 * the program on it is the guest. A frame of an unknown type, in the wrong
 * phase, too large or malformed ends it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "env/inside.h"
#include "env/notify.h"
#include "env/program.h"
#include "jail/calls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

void talk_init(struct child *c)
{
    c->phase = PHASE_STARTING;
    buf_init(&c->in, MAX_RESULT_BYTES + (8 << 20));
    buf_init(&c->out, MAX_RUN_BYTES + (1 << 20));
}

static void hang_up(struct child *c)
{
    fd_closep(&c->channel);
    c->channel = -1;
}

void talk_free(struct child *c)
{
    hang_up(c);
    for (unsigned i = 0; i < c->fds; i++)
        close(c->fd[i]);
    for (unsigned i = 0; i < c->sockets; i++)
        close(c->socket[i]);
    c->fds = c->sockets = 0;
    fd_closep(&c->work);
    fd_closep(&c->listener);
    c->work = c->listener = -1;
    buf_free(&c->in);
    buf_free(&c->out);
}

static void keep_text(char *out, size_t room, struct str s)
{
    size_t n = s.len < room - 1 ? s.len : room - 1;
    for (size_t i = 0; i < n; i++)
        out[i] = s.at[i] >= ' ' && s.at[i] <= '~' ? s.at[i] : '?';
    out[n] = '\0';
}

/* ---- what it says --------------------------------------------------------- */

static int is_socket(int fd, int type)
{
    int domain = 0, got = 0;
    socklen_t len = sizeof(int);
    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 &&
           getsockopt(fd, SOL_SOCKET, SO_TYPE, &got, &len) == 0 &&
           domain == AF_INET && got == type;
}

static int is_directory(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Each descriptor at its place, if it is what it should be. */
static int place(struct child *c, const struct msg_sealed *m, struct err *e)
{
    unsigned wanted = 1u + m->listener + m->sockets;
    if (c->fds != wanted)
        return err_set(e, -EPROTO, "a seal with %u descriptors, not %u", c->fds,
                       wanted);
    if (!is_directory(c->fd[0]))
        return err_set(e, -EPROTO, "a work directory that is none");
    if (m->listener && !notify_is(c->fd[1]))
        return err_set(e, -EPROTO, "a notifier that is none");
    const int *socket = c->fd + 1 + m->listener;
    for (unsigned i = 0; i < m->sockets; i++)
        if (!is_socket(socket[i], i ? SOCK_STREAM : SOCK_DGRAM))
            return err_set(e, -EPROTO, "a socket that is none");
    c->work = c->fd[0];
    if (m->listener)
        c->listener = c->fd[1];
    memcpy(c->socket, socket, m->sockets * sizeof *socket);
    c->sockets = m->sockets;
    c->fds = 0;
    return 0;
}

/* The walls that each run has for itself; host name and cgroup namespace are
 * its jail's. Of the others a zygote's alone would not separate two runs. */
static unsigned required(const struct child *c)
{
    const struct guest_image *image = c->spec.image;
    unsigned own = ~(unsigned)(WALL_UTSNS | WALL_CGROUPNS | WALL_SFI);
    unsigned may_miss = image->may_miss & GUEST_MAY_MISS;
    if (image->path)    /* rules of files: nothing else keeps them */
        may_miss &= ~(unsigned)WALL_LANDLOCK;
    return (GUEST_REQUIRES | image->required) & own & ~JAIL_BUILD_LACKS &
           ~may_miss & ~image->leave_out;
}

static int on_SEALED(struct child *c, struct str body, struct err *e)
{
    struct msg_sealed m;
    if (get_sealed(body, &m) < 0)
        return err_set(e, -EPROTO, "a malformed seal");
    int r = place(c, &m, e);
    if (r < 0)
        return r;
    unsigned missing = required(c) & ~m.walls;
    if (missing)
        return err_set(e, -ENOTSUP, "a seal without the required wall %s",
                       wall_text(missing & -missing));
    c->walls = m.walls;
    c->phase = PHASE_IDLE;
    child_sealed(c);
    return 0;
}

static int on_DENIED(struct child *c, struct str body, struct err *e)
{
    struct msg_denied m;
    if (get_denied(body, &m) < 0)
        return err_set(e, -EPROTO, "a malformed denial");
    if (++c->denied <= CHILD_MAX_DENIED)
        child_deny(c, &m);
    return 0;
}

static int on_RESULT(struct child *c, struct str body, struct err *e)
{
    struct msg_result m;
    if (get_result(body, &m) < 0)
        return err_set(e, -EPROTO, "a malformed result");
    if (++c->results > CHILD_MAX_RESULTS)
        return err_set(e, -EPROTO, "too many results");
    if (!c->events || !c->events->result)
        return 0;
    int r = c->events->result(c->user, &m, e);
    if (r == 0 && !c->ev.has_result && !c->cgroup)
        watch_sample(&c->watch, 0);    /* a short run has no other */
    if (r == 0)
        c->ev.has_result = 1;
    return r;
}

/* Its exit follows; these words explain it. */
static int on_FATAL(struct child *c, struct str body, struct err *e)
{
    struct msg_fatal m;
    if (get_fatal(body, &m) < 0)
        return err_set(e, -EPROTO, "a malformed fatal");
    keep_text(c->fatal, sizeof c->fatal, m.text);
    return 0;
}

static int dispatch(struct child *c, uint32_t type, struct str body,
                    struct err *e)
{
    static int (*const handlers[])(struct child *, struct str, struct err *) = {
#define X(NAME, number, max, phases) [number] = on_##NAME,
        FROM_GUEST(X)
#undef X
    };
    return handlers[type](c, body, e);    /* admit() knows the type */
}

static int admit(const struct child *c, const struct frame_head *h,
                 struct err *e)
{
    const struct message_rule *rule = message_from_guest(h->type);
    if (!rule)
        return err_set(e, -EPROTO, "a message of unknown type %u", h->type);
    if (!(rule->phases & c->phase))
        return err_set(e, -EPROTO, "%s in phase %#x", rule->name, c->phase);
    if (h->len > rule->max_body)
        return err_set(e, -EMSGSIZE, "%s of %llu bytes", rule->name,
                       (unsigned long long)h->len);
    return 0;
}

/* 1: took a frame, 0: needs more bytes, negative: a violation. */
static int take_frame(struct child *c, struct err *e)
{
    size_t have = c->in.len - c->in_at;
    if (have < FRAME_HEAD_BYTES)
        return 0;
    const char *at = c->in.at + c->in_at;
    struct frame_head head;
    if (frame_head_read((const unsigned char *)at, &head) < 0)
        return err_set(e, -EPROTO, "bytes that are not a frame");
    int r = admit(c, &head, e);
    if (r < 0)
        return r;
    if (have - FRAME_HEAD_BYTES < head.len)
        return 0;
    struct str body = { at + FRAME_HEAD_BYTES, (size_t)head.len };
    c->in_at += FRAME_HEAD_BYTES + body.len;
    r = dispatch(c, head.type, body, e);
    return r < 0 ? r : 1;
}

static void take_frames(struct child *c)
{
    struct err e = { 0 };
    int r;
    do
        r = take_frame(c, &e);
    while (r > 0 && c->channel >= 0);
    if (r < 0) {
        hang_up(c);
        child_broken(c, e.msg);
        return;
    }
    buf_drop(&c->in, c->in_at);
    c->in_at = 0;
}

/* ---- bytes in ------------------------------------------------------------- */

/* Descriptors come with the seal only; later ones the kernel drops, because we
 * give it no room for them. */
static ssize_t receive(struct child *c, char *room)
{
    union { struct cmsghdr head; char room[CMSG_SPACE(SEALED_FDS_MAX * sizeof(int))]; }
        control;
    struct iovec part = { room, CHILD_READ_BYTES };
    struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
    if (c->phase == PHASE_STARTING && !c->fds) {
        m.msg_control = &control;
        m.msg_controllen = sizeof control;
    }
    ssize_t n;
    do
        n = recvmsg(c->channel, &m, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n <= 0 || !m.msg_control)
        return n;
    for (struct cmsghdr *h = CMSG_FIRSTHDR(&m); h; h = CMSG_NXTHDR(&m, h)) {
        if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS || c->fds)
            continue;
        size_t count = (h->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(h) + i * sizeof fd, sizeof fd);
            if (c->fds < SEALED_FDS_MAX)
                c->fd[c->fds++] = fd;
            else
                close(fd);    /* padding of the buffer has room for one more */
        }
    }
    return n;
}

/* End of file is no crime: a program may close what it does not know. */
static size_t read_once(struct child *c)
{
    char *room = buf_reserve(&c->in, CHILD_READ_BYTES);
    if (!room) {
        hang_up(c);
        child_broken(c, "more than there is memory for");
        return 0;
    }
    ssize_t n = receive(c, room);
    if (n < 0 && errno == EAGAIN)
        return 0;
    if (n <= 0) {
        hang_up(c);
        return 0;
    }
    c->in.len += (size_t)n;
    take_frames(c);
    return (size_t)n;
}

void talk_read(struct child *c)
{
    for (int i = 0; i < CHILD_READS_AT_ONCE && c->channel >= 0; i++)
        if (read_once(c) < CHILD_READ_BYTES)
            return;
}

void talk_drain(struct child *c)
{
    while (c->channel >= 0 && read_once(c) > 0)
        ;
}

/* ---- what we say ---------------------------------------------------------- */

void talk_write(struct child *c)
{
    while (c->channel >= 0 && c->out_at < c->out.len) {
        ssize_t n = send(c->channel, c->out.at + c->out_at, c->out.len - c->out_at,
                         MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0)
            break;
        c->out_at += (size_t)n;
    }
    buf_free(&c->out);
    buf_init(&c->out, MAX_RUN_BYTES + (1 << 20));
    c->out_at = 0;
}

int talk_program(struct child *c, const struct msg_run *m,
                 const struct guest_run *g, struct err *e)
{
    AUTO_BUF settings;
    buf_init(&settings, MAX_RUN_BYTES);
    program_settings(&settings, c->spec.image, m, g);
    struct msg_program program = { buf_str(&settings), m->source };
    put_program(&c->out, &program);
    if (settings.failed || c->out.failed ||
        c->out.len > MAX_RUN_BYTES + FRAME_HEAD_BYTES)
        return err_set(e, -EMSGSIZE, "the program, its input and its environment "
                       "together are too large for one run");
    c->phase = PHASE_RUNNING;
    talk_write(c);
    return 0;
}

/* ---- denied system calls -------------------------------------------------- */

unsigned talk_calls_flags(const struct child *c)
{
    return (c->spec.image->no_children ? CALLS_NO_CHILDREN : 0u) |
           (c->spec.image->mounts ? CALLS_NO_UNIX : 0u) |
           (c->cgroup ? 0u : CALLS_NO_SHARED);
}

static void deny(struct child *c, const struct notify_call *call)
{
    char number[32];
    snprintf(number, sizeof number, "number %d", call->nr);
    struct msg_denied m = {
        .what = STR("system call"),
        .subject = str_of(call->name ? call->name : number),
        .rule = call->fatal ? STR("never needed: ends the run") : STR("answered EPERM"),
        .hint = STR("the list of system calls is fixed"),
    };
    child_deny(c, &m);
}

static void stop_for_call(struct child *c, const struct notify_call *call,
                          const char *fmt)
{
    char name[32], detail[120];
    snprintf(name, sizeof name, "number %d", call->nr);
    snprintf(detail, sizeof detail, "%s%s", fmt, call->name ? call->name : name);
    child_stop(c, &(struct child_stop){ .reason = REASON_SYSCALL_DENIED,
                                        .limit = LIMIT_NONE, .detail = detail });
}

void talk_notify(struct child *c)
{
    struct notify_call call;
    int r = notify_take(c->listener, talk_calls_flags(c), &call);
    if (r < 0) {
        fd_closep(&c->listener);
        c->listener = -1;
    }
    if (r <= 0)
        return;
    deny(c, &call);
    if (call.fatal)
        stop_for_call(c, &call, "");
    else if (++c->calls > NOTIFY_MAX)
        stop_for_call(c, &call, "too many refused calls, the last of them ");
}
