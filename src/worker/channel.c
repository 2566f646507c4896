/* worker/channel.c -- frames on descriptor 3.  SPDX-License-Identifier: MIT */
#include "worker/channel.h"
#include "jail/jail.h"
#include "wire/messages.h"
#include <errno.h>
#include <poll.h>
#include <time.h>

enum { EXIT_PEER_GONE = 0, EXIT_BAD_FRAME = 3 };

void channel_send(struct buf *b)
{
    for (size_t done = 0; done < b->len;) {
        ssize_t n = write(JAIL_CHANNEL_FD, b->at + done, b->len - done);
        if (n < 0 && errno != EINTR)
            _exit(EXIT_PEER_GONE);
        done += n > 0 ? (size_t)n : 0;
    }
    buf_clear(b);
}

static void receive(void *to, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = read(JAIL_CHANNEL_FD, (char *)to + done, len - done);
        if (n == 0 || (n < 0 && errno != EINTR))
            _exit(EXIT_PEER_GONE);
        done += n > 0 ? (size_t)n : 0;
    }
}

uint32_t channel_receive(struct buf *body)
{
    unsigned char raw[FRAME_HEAD_BYTES];
    struct frame_head head;
    receive(raw, sizeof raw);
    if (frame_head_read(raw, &head) < 0)
        _exit(EXIT_BAD_FRAME);
    const struct message_rule *rule = message_to_worker(head.type);
    if (!rule || head.len > rule->max_body)
        _exit(EXIT_BAD_FRAME);
    buf_clear(body);
    char *room = buf_reserve(body, head.len);
    if (!room)
        _exit(EXIT_BAD_FRAME);
    receive(room, head.len);
    body->len = head.len;
    return head.type;
}

int channel_wait(uint64_t ns)
{
    struct pollfd p = { .fd = JAIL_CHANNEL_FD, .events = POLLIN };
    struct timespec t = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };
    if (ppoll(&p, 1, &t, NULL) <= 0)
        return 0;
    if (p.revents & (POLLHUP | POLLERR))
        _exit(EXIT_PEER_GONE);
    return (p.revents & POLLIN) != 0;
}
