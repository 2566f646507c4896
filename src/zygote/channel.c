/*
 * zygote/channel.c -- frames between a run and the supervisor.
 *
 * Used by the code that runs inside node and python, next to the guest's: what
 * is sent from here carries no more weight than what the guest sends itself.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/io.h"
#include "zygote/inside.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum {
    EXIT_PEER_GONE = 0,
    EXIT_BAD_FRAME = 3,
    DENIED_TEXT_BYTES = 1000,                 /* four of them in a frame */
    RESULT_ROOM = MAX_RESULT_BYTES + (4 << 20) + FRAME_HEAD_BYTES,
};

/* All of b; the descriptors travel with its first byte. A guest can close the
 * channel or make it non-blocking: the first is an error, the second a wait. */
static int send_all(const struct buf *b, const int *fd, size_t fds)
{
    union {
        char           room[CMSG_SPACE(SEALED_FDS_MAX * sizeof(int))];
        struct cmsghdr align;
    } control = { { 0 } };
    struct iovec body = { b->at, b->len };
    struct msghdr m = { .msg_iov = &body, .msg_iovlen = 1 };

    if (b->failed)
        return b->failed;
    packet_attach(&m, control.room, fd, fds);
    while (body.iov_len > 0) {
        ssize_t n = sendmsg(GUEST_CHANNEL_FD, &m, MSG_NOSIGNAL);
        if (n < 0 && errno == EAGAIN) {
            struct pollfd p = { .fd = GUEST_CHANNEL_FD, .events = POLLOUT };
            poll(&p, 1, -1);
        } else if (n < 0 && errno != EINTR) {
            return -errno;
        } else if (n > 0) {
            body.iov_base = (char *)body.iov_base + n;
            body.iov_len -= (size_t)n;
            m.msg_control = NULL;
            m.msg_controllen = 0;
        }
    }
    return 0;
}

int channel_sealed(struct seal *s)
{
    int fd[SEALED_FDS_MAX];
    size_t n = 0;
    fd[n++] = s->work;
    if (s->listener >= 0)
        fd[n++] = s->listener;
    for (size_t i = 0; i < s->sockets; i++)
        fd[n++] = s->socket[i];

    const struct msg_sealed m = {
        .walls = s->walls, .listener = s->listener >= 0,
        .sockets = (uint8_t)s->sockets,
    };
    AUTO_BUF b;
    buf_init(&b, 128);
    put_sealed(&b, &m);
    int r = send_all(&b, fd, n);
    while (n > 0)
        close(fd[--n]);
    return r;
}

_Noreturn void channel_fatal(const char *step, int error)
{
    char text[256];
    snprintf(text, sizeof text, "%s: %s", step, strerror(error));
    AUTO_BUF b;
    buf_init(&b, 1024);
    put_fatal(&b, &(struct msg_fatal){ str_of(text) });
    send_all(&b, NULL, 0);
    _exit(SEAL_EXIT);
}

static void receive(void *to, size_t len)
{
    if (io_read_full(GUEST_CHANNEL_FD, to, len) != (ssize_t)len)
        _exit(EXIT_PEER_GONE);
}

void channel_program(struct msg_program *out)
{
    static struct buf body;
    unsigned char raw[FRAME_HEAD_BYTES];
    struct frame_head head;

    receive(raw, sizeof raw);
    if (frame_head_read(raw, &head) < 0 || head.type != MSG_PROGRAM ||
        head.len > MAX_RUN_BYTES)
        _exit(EXIT_BAD_FRAME);
    buf_free(&body);
    buf_init(&body, MAX_RUN_BYTES);
    char *room = buf_reserve(&body, head.len);
    if (!room)
        _exit(EXIT_BAD_FRAME);
    receive(room, head.len);
    body.len = head.len;
    if (get_program(buf_str(&body), out) < 0)
        _exit(EXIT_BAD_FRAME);
}

int channel_result(const struct msg_result *m)
{
    AUTO_BUF b;
    buf_init(&b, RESULT_ROOM);
    put_result(&b, m);
    return send_all(&b, NULL, 0);
}

/* The first bytes of a text that may hold any: whole characters of UTF-8. */
static struct str cut(struct str s)
{
    if (s.len <= DENIED_TEXT_BYTES)
        return s;
    s.len = DENIED_TEXT_BYTES;
    while (s.len > 0 && ((unsigned char)s.at[s.len] & 0xc0) == 0x80)
        s.len--;
    return s;
}

int channel_denied(const struct msg_denied *m)
{
    const struct msg_denied short_one = {
        cut(m->what), cut(m->subject), cut(m->rule), cut(m->hint),
    };
    AUTO_BUF b;
    buf_init(&b, 4096 + FRAME_HEAD_BYTES);
    put_denied(&b, &short_one);
    return send_all(&b, NULL, 0);
}
