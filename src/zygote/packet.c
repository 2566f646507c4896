/*
 * zygote/packet.c -- the control socket: one struct a packet.
 *
 * The other end is the supervisor, who is trusted; the checks are here so that
 * two versions that do not fit together find out before a fork is made.
 *
 * SPDX-License-Identifier: MIT
 */
#include "zygote/inside.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

static int check_limits(const struct run_limits *l)
{
#define X(field, name, initial, ceiling)                                      \
    if (l->field > run_limits_ceiling.field)                                  \
        return -EINVAL;
    RUN_LIMITS(X)
#undef X
    return 0;
}

static int check_path(const char *at)
{
    return at[0] == '/' && memchr(at, 0, FORK_PATH_BYTES) ? 0 : -EINVAL;
}

static int check(const struct request *r, size_t len)
{
    const struct zygote_fork *f = &r->fork;
    if (len != sizeof *f || f->magic != ZYGOTE_MAGIC || f->op != ZYGOTE_FORK)
        return -EPROTO;
    if ((f->flags & ~FORK_ALL) || f->ports > FORK_PORTS ||
        f->routes > FORK_ROUTES || f->paths > FORK_RULES)
        return -EINVAL;
    if (r->fds < FORK_FDS)
        return -EBADF;
    for (size_t i = 0; i < f->paths; i++)
        if (check_path(f->path[i].at) < 0)
            return -EINVAL;
    return check_limits(&f->limits);
}

/* Returns how many there were; those that have no place are closed. */
static size_t take_fds(struct msghdr *m, struct request *out)
{
    size_t all = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        all += n;
        const unsigned char *at = CMSG_DATA(c);
        for (size_t i = 0; i < n; i++) {
            int fd;
            memcpy(&fd, at + i * sizeof fd, sizeof fd);
            if (out->fds < COUNT(out->fd))
                out->fd[out->fds++] = fd;
            else
                close(fd);
        }
    }
    return all;
}

int packet_receive(struct request *out)
{
    union {
        char           room[CMSG_SPACE(sizeof out->fd)];
        struct cmsghdr align;
    } control;
    struct iovec body = { &out->fork, sizeof out->fork };
    struct msghdr m = {
        .msg_iov = &body, .msg_iovlen = 1,
        .msg_control = control.room, .msg_controllen = sizeof control.room,
    };
    memset(out, 0, sizeof *out);
    ssize_t n;
    do
        n = recvmsg(ZYGOTE_CONTROL_FD, &m, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return n < 0 && errno == EAGAIN ? -EAGAIN : -ENOTCONN;

    /* Cut short: more than we know, or no room for descriptors here. */
    const int too_many = take_fds(&m, out) > COUNT(out->fd) ||
                         (m.msg_flags & MSG_CTRUNC);
    int r = too_many                  ? -EMFILE
          : m.msg_flags & MSG_TRUNC   ? -EMSGSIZE
                                      : check(out, (size_t)n);
    if (r < 0)
        packet_close(out);
    return r;
}

void packet_close(struct request *r)
{
    while (r->fds > 0)
        close(r->fd[--r->fds]);
}

void packet_attach(struct msghdr *m, void *room, const int *fd, size_t fds)
{
    if (fds == 0)
        return;
    m->msg_control = room;
    m->msg_controllen = CMSG_SPACE(fds * sizeof *fd);
    struct cmsghdr *c = CMSG_FIRSTHDR(m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(fds * sizeof *fd);
    memcpy(CMSG_DATA(c), fd, fds * sizeof *fd);
}

int packet_send(struct zygote_report *r, const int *fd, size_t fds)
{
    enum { MOST = 2 };
    union {
        char           room[CMSG_SPACE(MOST * sizeof(int))];
        struct cmsghdr align;
    } control = { { 0 } };
    struct iovec body = { r, sizeof *r };
    struct msghdr m = { .msg_iov = &body, .msg_iovlen = 1 };
    if (fds > MOST)
        return -EINVAL;
    packet_attach(&m, control.room, fd, fds);
    r->magic = ZYGOTE_MAGIC;
    while (sendmsg(ZYGOTE_CONTROL_FD, &m, MSG_NOSIGNAL) < 0) {
        struct pollfd p = { .fd = ZYGOTE_CONTROL_FD, .events = POLLOUT };
        if (errno == EAGAIN)
            poll(&p, 1, -1);
        else if (errno != EINTR)
            return -errno;
    }
    return 0;
}
