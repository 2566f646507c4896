/*
 * zygote/net.c -- the network of a run: its own loopback, and the sockets
 * behind which the supervisor answers.
 *
 * A socket stays in the network namespace it was made in. So the run makes the
 * sockets of its name server and of the ports it may reach, while it still can,
 * and hands them out: the supervisor then accepts, from outside, what the run
 * connects to inside. No packet leaves the namespace, and no address but these
 * leads anywhere.
 *
 * SPDX-License-Identifier: MIT
 */
#include "zygote/inside.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum { DNS_PORT = 53, BACKLOG = 128, HOST_BITS = 32 };

static int lift_loopback(void)
{
    struct ifreq lo = { .ifr_name = "lo" };
    lo.ifr_flags = IFF_UP | IFF_RUNNING;
    AUTO_FD fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &lo) < 0)
        return -errno;
    return 0;
}

/* ---- made ahead ---------------------------------------------------------------- */

static int own = -1;      /* the zygote's network, to come back to */
static int spare = -1;    /* one that nobody has been in, loopback up */

static int open_current(void)
{
    return seal_keep(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
}

int net_is_spare(void)
{
    return spare >= 0;
}

/* A failure to make one is no harm: the run makes its own. One to come back
 * would leave the zygote in a network that a run is to have. */
int net_make_spare(void)
{
    if (own < 0)
        own = open_current();
    if (own < 0)
        return own;
    /* The way back is tried first: a network that is not our jail's own, in
     * control runs, is left for good. */
    if (setns(own, CLONE_NEWNET) < 0 || unshare(CLONE_NEWNET) < 0)
        return -errno;
    int r = lift_loopback();
    if (r == 0)
        r = spare = open_current();
    if (setns(own, CLONE_NEWNET) < 0)
        return -ENOTRECOVERABLE;
    return r < 0 ? r : 0;
}

void net_drop_spare(void)
{
    fd_closep(&spare);
    spare = -1;
}

int net_enter_spare(int wanted)
{
    AUTO_FD net = spare, back = own;
    spare = own = -1;
    (void)back;
    if (net < 0 || !wanted)
        return 0;
    return setns(net, CLONE_NEWNET) < 0 ? -errno : 1;
}

int net_up(struct seal *s)
{
    return s->net_ready ? 0 : lift_loopback();
}

struct route_message {
    struct nlmsghdr head;
    struct rtmsg    route;
    struct { struct rtattr head; uint32_t value; } to, device;
};

static int acknowledged(int fd)
{
    struct { struct nlmsghdr head; struct nlmsgerr answer; char more[256]; } a;
    ssize_t n = recv(fd, &a, sizeof a, 0);
    if (n < 0)
        return -errno;
    if ((size_t)n < sizeof a.head + sizeof a.answer.error ||
        a.head.nlmsg_type != NLMSG_ERROR)
        return -EPROTO;
    return a.answer.error == -EEXIST ? 0 : a.answer.error;
}

/* ip route add local NET/BITS dev lo: all of it is this machine. */
static int add_local(int fd, unsigned lo, uint32_t net, unsigned bits)
{
    struct route_message m = {
        .head = {
            .nlmsg_len = sizeof m, .nlmsg_type = RTM_NEWROUTE,
            .nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_ACK,
        },
        .route = {
            .rtm_family = AF_INET, .rtm_dst_len = (unsigned char)bits,
            .rtm_table = RT_TABLE_LOCAL, .rtm_protocol = RTPROT_BOOT,
            .rtm_scope = RT_SCOPE_HOST, .rtm_type = RTN_LOCAL,
        },
        .to = { { RTA_LENGTH(sizeof net), RTA_DST }, htonl(net) },
        .device = { { RTA_LENGTH(sizeof lo), RTA_OIF }, lo },
    };
    return send(fd, &m, sizeof m, 0) < 0 ? -errno : acknowledged(fd);
}

static int add_routes(const struct zygote_fork *f)
{
    unsigned lo = if_nametoindex("lo");
    AUTO_FD fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (lo == 0 || fd < 0)
        return -errno;
    int r = add_local(fd, lo, GUEST_NET_BASE, GUEST_NET_BITS);
    for (uint32_t i = 0; i < f->routes && r == 0; i++)
        r = add_local(fd, lo, f->route[i], HOST_BITS);
    return r;
}

static int add_socket(struct seal *s, int type, uint32_t address, uint16_t port)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons(port),
        .sin_addr = { htonl(address) },
    };
    int fd = seal_keep(socket(AF_INET, type | SOCK_CLOEXEC, 0));
    if (fd < 0)
        return fd;
    s->socket[s->sockets++] = fd;
    if (bind(fd, (struct sockaddr *)&at, sizeof at) < 0 ||
        (type == SOCK_STREAM && listen(fd, BACKLOG) < 0))
        return -errno;
    return 0;
}

int net_egress(struct seal *s)
{
    const struct zygote_fork *f = s->f;
    if (!(f->flags & FORK_EGRESS))
        return 0;
    int r = add_routes(f);
    if (r == 0)
        r = add_socket(s, SOCK_DGRAM, INADDR_LOOPBACK, DNS_PORT);
    for (uint32_t i = 0; i < f->ports && r == 0; i++)
        r = add_socket(s, SOCK_STREAM, INADDR_ANY, f->port[i]);
    return r;
}
