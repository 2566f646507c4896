/* egress/link.c -- the supervisor, at the other end of descriptor 3.
 *
 * It is trusted, but what it forwards was asked for by guests, so every frame is
 * read strictly, and one that is wrong ends this process.
 *
 * SPDX-License-Identifier: MIT */
#include "egress/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { READ_BYTES = 64 << 10, IN_MOST = 32 << 20, KEEP_BYTES = 1 << 20 };

/* ---- what the supervisor says ------------------------------------------------------- */

static int on_CONFIG(struct server *s, struct str body)
{
    struct egress_secret room[EGRESS_MAX_SECRETS];
    struct egress_config m;
    struct err e = { 0 };
    if (s->configured || get_egress_config(body, room, &m) < 0)
        return -EPROTO;
    if (m.version != EGRESS_VERSION) {
        server_offline(s, "it is of another version than its supervisor: run "
                          "make again");
        return 0;
    }
    s->connections = m.connections ? m.connections : CONNECTIONS_DEFAULT;
    s->idle_ms = m.idle_ms ? m.idle_ms : IDLE_MS_DEFAULT;
    if (net_policy_parse(m.policy, &s->policy, &e) < 0 ||
        secrets_init(&s->secrets, &m, &e) < 0 ||
        resolver_init(&s->resolver, &m, &e) < 0 ||
        fetch_init(s, m.ca_pem, &e) < 0 || seal_egress(&e) < 0) {
        server_offline(s, e.msg);
        return 0;
    }
    explicit_bzero((char *)(uintptr_t)body.at, body.len);    /* secrets */
    s->configured = 1;
    struct egress_online yes = { .version = EGRESS_VERSION,
                                 .curl = str_of(fetch_version()) };
    put_egress_online(&s->link.out, &yes);
    return 0;
}

static int on_ATTACH(struct server *s, struct str body)
{
    struct egress_attach m;
    if (get_egress_attach(body, &m) < 0)
        return -EPROTO;
    return run_attach(s, &m);
}

static int on_DETACH(struct server *s, struct str body)
{
    struct egress_detach m;
    if (get_egress_detach(body, &m) < 0)
        return -EPROTO;
    struct run *r = run_find(s, m.run);
    if (!r)
        return -EPROTO;
    run_detach(s, r);
    return 0;
}

static int on_FETCH(struct server *s, struct str body)
{
    struct egress_fetch m;
    if (get_egress_fetch(body, &m) < 0)
        return -EPROTO;
    struct run *r = run_find(s, m.run);
    if (!r)
        return -EPROTO;
    fetch_start(s, r, &m);
    return 0;
}

static int on_ABORT(struct server *s, struct str body)
{
    struct egress_abort m;
    if (get_egress_abort(body, &m) < 0)
        return -EPROTO;
    struct run *r = run_find(s, m.run);
    if (r)
        fetch_abort(s, r, m.call);
    return 0;
}

static int on_MORE(struct server *s, struct str body)
{
    struct egress_more m;
    if (get_egress_more(body, &m) < 0)
        return -EPROTO;
    struct run *r = run_find(s, m.run);
    if (r)
        fetch_more(s, r, m.call, m.credit);
    return 0;
}

static int dispatch(struct server *s, uint32_t type, struct str body)
{
    static int (*const handlers[])(struct server *, struct str) = {
#define X(NAME, number, max) [number] = on_##NAME,
        TO_EGRESS(X)
#undef X
    };
    if (!s->configured && type != EGRESS_CONFIG)
        return -EPROTO;
    return handlers[type](s, body);
}

/* ---- reading ---------------------------------------------------------------------------- */

/* 1: took a frame, 0: needs more bytes, negative: a violation. */
static int take_frame(struct server *s, size_t *at)
{
    struct buf *in = &s->link.in;
    struct frame_head head;
    if (in->len - *at < FRAME_HEAD_BYTES)
        return 0;
    const char *start = in->at + *at;
    if (frame_head_read((const unsigned char *)start, &head) < 0)
        return -EPROTO;
    const struct message_rule *rule = message_to_egress(head.type);
    if (!rule || head.len > rule->max_body)
        return -EPROTO;
    if (in->len - *at - FRAME_HEAD_BYTES < head.len)
        return 0;
    *at += FRAME_HEAD_BYTES + (size_t)head.len;
    struct str body = { start + FRAME_HEAD_BYTES, (size_t)head.len };
    int r = dispatch(s, head.type, body);
    return r < 0 ? r : 1;
}

static void take_frames(struct server *s)
{
    struct buf *in = &s->link.in;
    size_t at = 0;
    int r;
    do
        r = take_frame(s, &at);
    while (r > 0 && !s->loop.stop);
    if (r < 0)
        server_offline(s, "the supervisor sent a frame that makes no sense");
    buf_drop(in, at);
    if (in->len == 0 && in->room > KEEP_BYTES) {
        buf_free(in);
        buf_init(in, IN_MOST);
    }
}

static int keep_fds(struct link *l, struct msghdr *m)
{
    if (m->msg_flags & MSG_CTRUNC)
        return -EPROTO;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        if (l->fds + n > LINK_FDS)
            return -EPROTO;
        memcpy(l->fd + l->fds, CMSG_DATA(c), n * sizeof(int));
        l->fds += n;
    }
    return 0;
}

static void on_ready(struct server *s, struct watch *w, uint32_t events)
{
    struct link *l = &s->link;
    if (events & EPOLLOUT)
        link_flush(s);
    if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
        return;
    char *room = buf_reserve(&l->in, READ_BYTES);
    if (!room) {
        server_offline(s, "no memory for what the supervisor sent");
        return;
    }
    union {
        char           at[CMSG_SPACE(EGRESS_MAX_SOCKETS * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec io = { room, READ_BYTES };
    struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = &control,
                        .msg_controllen = sizeof control };
    ssize_t n = recvmsg(w->fd, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0 || keep_fds(l, &m) < 0) {
        s->loop.stop = 1;    /* nobody is left to work for */
        return;
    }
    l->in.len += (size_t)n;
    take_frames(s);
}

int link_take_fds(struct link *l, int *out, size_t n)
{
    if (n > l->fds)
        return -EPROTO;
    memcpy(out, l->fd, n * sizeof *out);
    l->fds -= n;
    memmove(l->fd, l->fd + n, l->fds * sizeof *out);
    return 0;
}

/* ---- writing ------------------------------------------------------------------------------ */

void link_flush(struct server *s)
{
    struct link *l = &s->link;
    while (l->watch.fd >= 0 && l->out_at < l->out.len) {
        ssize_t n = send(l->watch.fd, l->out.at + l->out_at,
                         l->out.len - l->out_at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            if (errno != EAGAIN)
                s->loop.stop = 1;
            break;
        }
        l->out_at += (size_t)n;
    }
    if (l->out.failed)    /* an answer is lost: better none than a wrong one */
        s->loop.stop = 1;
    if (l->out_at == l->out.len) {
        l->out_at = 0;
        buf_clear(&l->out);
    } else if (l->out_at > KEEP_BYTES) {
        buf_drop(&l->out, l->out_at);
        l->out_at = 0;
    }
    loop_watch(&s->loop, &l->watch,
               EPOLLIN | (l->out.len ? (uint32_t)EPOLLOUT : 0));
}

void server_offline(struct server *s, const char *text)
{
    struct egress_offline m = { .text = str_of(text) };
    if (m.text.len > EGRESS_MAX_TEXT)
        m.text.len = EGRESS_MAX_TEXT;
    put_egress_offline(&s->link.out, &m);
    link_flush(s);
    s->loop.stop = 1;
}

int link_init(struct server *s, int fd)
{
    struct link *l = &s->link;
    buf_init(&l->in, IN_MOST);
    buf_init(&l->out, LINK_OUT_MOST);
    l->watch = (struct watch){ .fd = fd, .ready = on_ready };
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
        return -errno;
    return loop_watch(&s->loop, &l->watch, EPOLLIN);
}
