/*
 * tests/escape/egress/relay_escape.c -- a guest in a network namespace of its
 * own, whose sockets the egress process holds: what it can reach, and what not.
 *
 * The guest is a fork of the test that has done what the seal of a run does:
 * loopback up, a local route for the addresses that names are given, a socket
 * of DNS and listeners. Everything it does then is an attack or its control.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tests/escape/egress/world.h"
#include "wire/guest.h"

#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>

enum { RUN = 3, DNS_FAILED = -1 };

static uint16_t http_port;

/* ---- the guest's namespace ------------------------------------------------------ */

static void lo_up(void)
{
    struct ifreq r = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    CHECK(fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &r) == 0);
    close(fd);
}

static void add_route(uint32_t address, unsigned char bits)
{
    struct {
        struct nlmsghdr n;
        struct rtmsg    r;
        struct rtattr   dst;
        uint32_t        to;
        struct rtattr   out;
        uint32_t        index;
    } q = {
        .n   = { .nlmsg_len = sizeof q, .nlmsg_type = RTM_NEWROUTE,
                 .nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_ACK },
        .r   = { .rtm_family = AF_INET, .rtm_dst_len = bits,
                 .rtm_table = RT_TABLE_LOCAL, .rtm_protocol = RTPROT_BOOT,
                 .rtm_scope = RT_SCOPE_HOST, .rtm_type = RTN_LOCAL },
        .dst = { sizeof q.dst + 4, RTA_DST }, .to = htonl(address),
        .out = { sizeof q.out + 4, RTA_OIF }, .index = if_nametoindex("lo"),
    };
    char answer[4096];
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    CHECK(fd >= 0 && send(fd, &q, sizeof q, 0) == sizeof q);
    CHECK(recv(fd, answer, sizeof answer, 0) > 0);
    struct nlmsgerr *e = (struct nlmsgerr *)(answer + sizeof(struct nlmsghdr));
    CHECK_INT(e->error, 0);
    close(fd);
}

static void send_fds(int to, const int *fd, size_t n)
{
    union { char at[CMSG_SPACE(8 * sizeof(int))]; struct cmsghdr align; } c = { 0 };
    char byte = 'x';
    struct iovec io = { &byte, 1 };
    struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = &c,
                        .msg_controllen = CMSG_SPACE(n * sizeof(int)) };
    struct cmsghdr *h = CMSG_FIRSTHDR(&m);
    h->cmsg_level = SOL_SOCKET;
    h->cmsg_type = SCM_RIGHTS;
    h->cmsg_len = CMSG_LEN(n * sizeof(int));
    memcpy(CMSG_DATA(h), fd, n * sizeof(int));
    CHECK(sendmsg(to, &m, 0) == 1);
}

static size_t take_fds(int from, int *fd, size_t room)
{
    union { char at[CMSG_SPACE(8 * sizeof(int))]; struct cmsghdr align; } c;
    char byte;
    struct iovec io = { &byte, 1 };
    struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = &c,
                        .msg_controllen = sizeof c };
    if (recvmsg(from, &m, MSG_CMSG_CLOEXEC) != 1)
        return 0;
    struct cmsghdr *h = CMSG_FIRSTHDR(&m);
    size_t n = h ? (h->cmsg_len - CMSG_LEN(0)) / sizeof(int) : 0;
    CHECK(n <= room);
    memcpy(fd, CMSG_DATA(h), n * sizeof(int));
    return n;
}

/* DNS, then the ports of 80, 443 and the server's. */
static void open_doors(int to)
{
    int fd[4];
    uint16_t port[4] = { 53, 80, 443, http_port };
    lo_up();
    add_route(GUEST_NET_BASE, GUEST_NET_BITS);
    add_route(0x0a010203, 32);
    fd[0] = bound_socket(SOCK_DGRAM, "127.0.0.1", &port[0]);
    for (int i = 1; i < 4; i++) {
        fd[i] = bound_socket(SOCK_STREAM, "0.0.0.0", &port[i]);
        CHECK(listen(fd[i], 128) == 0);
    }
    send_fds(to, fd, 4);
    for (int i = 0; i < 4; i++)
        close(fd[i]);
}

/* Runs guest() in there while the egress process is served; returns when it
 * has ended well. The run stays attached. */
static void with_guest(uint64_t max_bytes, void (*guest)(void))
{
    int pair[2], fd[8], st = 0;
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(pair[0]);
        int flags = CLONE_NEWNET | (geteuid() ? CLONE_NEWUSER : 0);
        if (unshare(flags) < 0)
            _exit(TEST_SKIPPED);
        open_doors(pair[1]);
        char go;
        CHECK(recv(pair[1], &go, 1, 0) == 1);
        alarm(15);
        guest();
        _exit(0);
    }
    close(pair[1]);
    size_t n = take_fds(pair[0], fd, 8);
    if (n == 0 && waitpid(pid, &st, 0) == pid && st == TEST_SKIPPED << 8)
        SKIP("no network namespace for the guest");
    CHECK_INT(n, 4);
    CHECK_INT(egress_attach(world.x, RUN, max_bytes, fd, n), 0);
    for (size_t i = 0; i < n; i++)
        close(fd[i]);
    CHECK(send(pair[0], "g", 1, 0) == 1);
    while (waitpid(pid, &st, WNOHANG) == 0)
        turn(20);
    for (int i = 0; i < 5; i++)
        turn(10);
    if (st != 0)
        TEST_FAIL("the guest ended with %#x; decisions: %s", st, world.decisions);
    close(pair[0]);
}

static void finish(void)
{
    CHECK_INT(egress_detach(world.x, RUN), 0);
    UNTIL(world.usage.last);
    egress_free(world.x);
}

/* ---- what a guest can do ---------------------------------------------------------- */

static int udp_to_dns(void)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(53) };
    struct timeval t = { .tv_sec = 2 };
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) == 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
    return fd;
}

static size_t put_question(const char *name, unsigned type, uint8_t *out)
{
    memcpy(out, "\x11\x22\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00", 12);
    size_t n = 12;
    while (*name) {
        size_t len = strcspn(name, ".");
        out[n++] = (uint8_t)len;
        memcpy(out + n, name, len);
        n += len;
        name += len + (name[len] == '.');
    }
    out[n++] = 0;
    out[n++] = 0, out[n++] = (uint8_t)type, out[n++] = 0, out[n++] = 1;
    return n;
}

/* The code of the answer; the address, if there is one, host order. Asks again
 * if a question was lost in a full socket. */
static int lookup(const char *name, unsigned type, uint32_t *out)
{
    uint8_t p[600];
    ssize_t got = -1;
    int fd = udp_to_dns();
    for (int i = 0; i < 5 && got < 0; i++) {
        size_t n = put_question(name, type, p);
        CHECK(send(fd, p, n, 0) == (ssize_t)n);
        got = recv(fd, p, sizeof p, 0);
    }
    close(fd);
    if (got < 12)
        return DNS_FAILED;
    *out = 0;
    if (p[7] == 1)
        *out = (uint32_t)p[got - 4] << 24 | (uint32_t)p[got - 3] << 16 |
               (uint32_t)p[got - 2] << 8 | p[got - 1];
    return p[3] & 15;
}

static int dial(uint32_t address, uint16_t port)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };
    struct timeval t = { .tv_sec = 10 };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    a.sin_addr.s_addr = htonl(address);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
    if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0)
        return fd;
    int e = errno;
    close(fd);
    return -e;
}

static int dial_name(const char *name, uint16_t port)
{
    uint32_t a;
    CHECK_INT(lookup(name, 1, &a), 0);
    CHECK(a >> 17 == GUEST_NET_BASE >> 17);
    int fd = dial(a, port);
    CHECK(fd >= 0);
    return fd;
}

/* Bytes until the end; -1 for a reset. */
static long read_all(int fd, char *out, size_t room)
{
    long n = 0;
    for (;;) {
        char drop[16384];
        ssize_t got = (size_t)n < room ? recv(fd, out + n, room - (size_t)n, 0)
                                       : recv(fd, drop, sizeof drop, 0);
        if (got < 0)
            return -1;
        if (got == 0)
            return n;
        n += got;
    }
}

static int is_refused(int fd)
{
    char c;
    if (fd < 0)
        return 1;
    ssize_t n = recv(fd, &c, 1, 0);
    int e = errno;
    close(fd);
    return n < 0 && e == ECONNRESET;
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"

static const struct egress_spec *usual(const char *more)
{
    static char rules[512];
    static struct egress_spec spec;
    snprintf(rules, sizeof rules, "allow api.example:%d\nallow 127.0.0.1:%d\n"
             "allow web.example\nallow back.example:80\n%s", http_port, http_port,
             more);
    spec = (struct egress_spec){
        .policy = str_of(rules),
        .hosts = STR("127.0.0.1 api.example web.example\n"
                     "10.0.0.1 back.example\n") };
    return &spec;
}

/* ---- control: what is allowed works ------------------------------------------------- */

static void talk(void)
{
    char text[512] = "";
    int fd = dial_name("API.example", http_port);
    CHECK(say(fd, GET("/hello")));
    CHECK(recv(fd, text, sizeof text - 1, 0) > 0);
    CHECK(strstr(text, "200 Fine"));
    close(fd);
    fd = dial(INADDR_LOOPBACK, http_port);    /* the address has a rule, too */
    CHECK(fd >= 0 && say(fd, GET("/hello")));
    CHECK(recv(fd, text, sizeof text - 1, 0) > 0);
    close(fd);
    uint32_t a;
    CHECK_INT(lookup("api.example", 28, &a), 0);    /* AAAA: empty */
    CHECK_INT(a, 0);
    CHECK_INT(lookup("localhost", 1, &a), 0);
    CHECK_INT(a, INADDR_LOOPBACK);
}

TEST(allowed_hosts_are_reached_by_name_and_by_address)
{
    http_port = http_server();
    begin_spec(usual(""));
    with_guest(1 << 20, talk);
    CHECK(said("allow net.connect tcp://api.example:"));
    CHECK(said("allow net.connect tcp://127.0.0.1:"));
    CHECK_INT(seen->connections, 2);
    finish();
    CHECK(world.usage.sent > 30 && world.usage.received > 30);
    CHECK_INT(world.usage.connections, 2);
}

static void half_close(void)
{
    char text[4096];
    int fd = dial_name("api.example", http_port);
    CHECK(say(fd, GET("/bytes?300000")));
    shutdown(fd, SHUT_WR);
    CHECK(read_all(fd, text, sizeof text) > 300000);
    close(fd);
}

TEST(one_direction_can_end_before_the_other)
{
    http_port = http_server();
    begin_spec(usual(""));
    with_guest(1 << 20, half_close);
    finish();
}

static void slow_reader(void)
{
    static char text[4096];
    int fd = dial_name("api.example", http_port);
    CHECK(say(fd, GET("/bytes?20000000")));
    shutdown(fd, SHUT_WR);
    poll(NULL, 0, 300);
    CHECK(read_all(fd, text, sizeof text) > 20000000);
    close(fd);
}

TEST(a_slow_reader_gets_everything)
{
    http_port = http_server();
    begin_spec(usual(""));
    with_guest(64 << 20, slow_reader);
    finish();
    CHECK(world.usage.received > 20000000);
}

static void fifty(void)
{
    int fd[50];
    char text[256];
    for (int i = 0; i < 50; i++)
        fd[i] = dial_name("api.example", http_port);
    for (int i = 0; i < 50; i++)
        CHECK(say(fd[i], GET("/bytes?50000")));
    for (int i = 0; i < 50; i++) {
        shutdown(fd[i], SHUT_WR);
        CHECK(read_all(fd[i], text, sizeof text) > 50000);
        close(fd[i]);
    }
}

TEST(fifty_connections_at_once)
{
    http_port = http_server();
    begin_spec(usual(""));
    with_guest(64 << 20, fifty);
    finish();
    CHECK_INT(world.usage.connections, 50);
}

/* ---- attacks ------------------------------------------------------------------------------ */

static void forbidden_names(void)
{
    static const char *const names[] = {
        "evil.example", "x.api.example", "api.example.evil.example",
        "127.0.0.1", "2130706433", "0x7f.1", "metadata.google.internal",
        "dGhlIHNlY3JldA.exfil.example",
    };
    uint32_t a;
    for (size_t i = 0; i < COUNT(names); i++) {
        CHECK_INT(lookup(names[i], 1, &a), 3);
        CHECK_INT(lookup(names[i], 28, &a), 3);
        CHECK_INT(lookup(names[i], 16, &a), 3);
    }
}

TEST(other_names_do_not_exist_and_nobody_is_asked)
{
    static const char *const answers[] = { "127.0.0.1" };
    http_port = http_server();
    uint16_t dns = name_server(answers, 1);
    char server[64];
    snprintf(server, sizeof server, "127.0.0.1:%d", dns);
    struct egress_spec spec = *usual("");
    spec.nameserver = str_of(server);
    begin_spec(&spec);
    with_guest(1 << 20, forbidden_names);
    CHECK(said("deny net.resolve dns://evil.example [default]"));
    CHECK(said("deny net.resolve dns://dghlihnly3jlda.exfil.example"));
    CHECK_INT(seen->questions, 0);
    finish();
}

static void forbidden_addresses(void)
{
    uint32_t web;
    CHECK(is_refused(dial(GUEST_NET_BASE + 77, http_port)));    /* unmapped */
    CHECK(is_refused(dial(GUEST_NET_BASE, 80)));
    CHECK(is_refused(dial(INADDR_LOOPBACK, 80)));      /* another port */
    CHECK(is_refused(dial(INADDR_LOOPBACK + 1, http_port)));    /* 127.0.0.2 */
    CHECK(is_refused(dial(0x0a010203, http_port)));    /* routed, not allowed */
    CHECK(is_refused(dial(0x08080808, 443)));          /* not even routed */
    CHECK(is_refused(dial(0xa9fea9fe, 80)));           /* metadata */
    CHECK_INT(dial(INADDR_LOOPBACK, 22), -ECONNREFUSED);
    CHECK_INT(lookup("web.example", 1, &web), 0);
    CHECK(is_refused(dial(web, http_port)));           /* not on this port */
    CHECK(is_refused(dial(web, 80)));                  /* leads to loopback:80 */
    CHECK(is_refused(dial_name("back.example", 80)));  /* leads to 10.0.0.1 */
}

TEST(addresses_that_nobody_named_lead_nowhere)
{
    http_port = http_server();
    begin_spec(usual(""));
    with_guest(1 << 20, forbidden_addresses);
    CHECK_INT(seen->connections, 0);
    CHECK(said("deny net.connect tcp://198.18.0.77:"));
    CHECK(said("[no name has this address]"));
    CHECK(said("deny net.connect tcp://127.0.0.1:80 [default]"));
    CHECK(said("deny net.connect tcp://10.1.2.3:"));
    CHECK(said("deny net.connect tcp://web.example:80 [a loopback address] 127.0.0.1"));
    CHECK(said("deny net.connect tcp://back.example:80 [a private address] 10.0.0.1"));
    finish();
}

static void restricted(void)
{
    uint32_t a;
    CHECK_INT(lookup("some.example", 1, &a), 3);
    CHECK_INT(lookup("api.example", 1, &a), 3);
}

TEST(rules_about_requests_do_not_open_connections)
{
    http_port = http_server();
    begin_spec(usual("allow some.example methods=GET\n"
                     "deny api.example:* methods=DELETE\n"));
    with_guest(1 << 20, restricted);
    finish();
}

static void rebinding(void)
{
    char text[512];
    int fd = dial_name("api.example", http_port);
    CHECK(say(fd, GET("/hello")) && recv(fd, text, sizeof text, 0) > 0);
    close(fd);
    CHECK(is_refused(dial_name("api.example", http_port)));
}

TEST(each_connection_is_judged_by_its_own_answer)
{
    static const char *const answers[] = { "127.0.0.1", "127.0.0.2" };
    http_port = http_server();
    uint16_t dns = name_server(answers, 2);
    char server[64];
    snprintf(server, sizeof server, "127.0.0.1:%d", dns);
    struct egress_spec spec = *usual("");
    spec.hosts = STR("");
    spec.nameserver = str_of(server);
    begin_spec(&spec);
    with_guest(1 << 20, rebinding);
    CHECK_INT(seen->connections, 1);
    CHECK(said("[a loopback address] 127.0.0.2"));
    finish();
}

static void exceed(void)
{
    char text[64];
    int fd = dial_name("api.example", http_port), idle;
    idle = dial_name("api.example", http_port);
    CHECK(say(fd, GET("/bytes?3000000")));
    CHECK_INT(read_all(fd, text, sizeof text), -1);
    CHECK(is_refused(idle));    /* all of its connections, and new ones */
    CHECK(is_refused(dial_name("api.example", http_port)));
}

TEST(bytes_are_counted_and_the_limit_cuts_everything)
{
    http_port = http_server();
    begin_spec(usual(""));
    with_guest(1 << 20, exceed);
    CHECK(said("deny net.limit max_egress_bytes"));
    finish();
    CHECK_INT(world.usage.over, 1);
    CHECK(world.usage.received <= (1 << 20) + (64 << 10));
}

static void too_many(void)
{
    uint32_t a;
    int fd[10], refused = 0;
    CHECK_INT(lookup("api.example", 1, &a), 0);
    for (int i = 0; i < 10; i++)
        fd[i] = dial(a, http_port);
    for (int i = 0; i < 10; i++) {
        struct pollfd p = { .fd = fd[i], .events = POLLIN };
        if (fd[i] < 0 || poll(&p, 1, 300) > 0)
            refused++;
    }
    CHECK_INT(refused, 6);
}

TEST(connections_are_limited)
{
    http_port = http_server();
    struct egress_spec spec = *usual("");
    spec.connections = 4;
    begin_spec(&spec);
    with_guest(1 << 20, too_many);
    CHECK(said("too many connections"));
    finish();
}

static void many_names(void)
{
    uint32_t a;
    char name[64];
    for (int i = 0; i < 4096; i++) {
        snprintf(name, sizeof name, "n%d.wild.example", i);
        CHECK_INT(lookup(name, 1, &a), 0);
        CHECK(a >> 17 == GUEST_NET_BASE >> 17 && (a & 255) && (a & 255) < 255);
    }
    CHECK_INT(lookup("one-more.wild.example", 1, &a), 2);
    CHECK_INT(lookup("n7.wild.example", 1, &a), 0);
    CHECK_INT(a, GUEST_NET_BASE + 8);
}

TEST(names_are_limited)
{
    http_port = http_server();
    begin_spec(usual("allow *.wild.example\n"));
    with_guest(1 << 20, many_names);
    CHECK(said("deny net.limit dns [4096 names a run]"));
    finish();
}

static void garbage(void)
{
    uint8_t p[1400];
    uint32_t a;
    int fd = udp_to_dns();
    srandom(1);
    for (int i = 0; i < 3000; i++) {
        size_t n = (size_t)random() % sizeof p;
        if (i % 3 == 0)
            n = put_question("api.example", 1, p);
        for (size_t k = i % 3 ? 0 : 12; k < n; k++)
            if (i % 3 != 0 || random() % 8 == 0)
                p[k] = (uint8_t)random();
        send(fd, p, n, MSG_DONTWAIT);
    }
    close(fd);
    CHECK_INT(lookup("api.example", 1, &a), 0);
}

TEST(packets_that_are_no_questions_change_nothing)
{
    http_port = http_server();
    begin_spec(usual(""));
    with_guest(1 << 20, garbage);
    CHECK(egress_usable(world.x));
    finish();
}

static void flood(void)
{
    uint32_t a;
    char name[64];
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "x%d.evil.example", i);
        CHECK_INT(lookup(name, 1, &a), 3);
    }
}

TEST(denials_are_told_up_to_a_number_and_then_counted)
{
    http_port = http_server();
    begin_spec(usual(""));
    with_guest(1 << 20, flood);
    finish();
    int lines = 0;
    for (const char *s = world.decisions; (s = strchr(s, '\n')); s++)
        lines++;
    CHECK(lines <= 512);
    CHECK_INT(world.usage.denied, 2000);
}

TEST(descriptors_that_are_no_such_sockets_are_not_used)
{
    http_port = http_server();
    begin_spec(usual(""));
    int fd[2] = { open("/dev/null", O_RDONLY | O_CLOEXEC),
                  open("/dev/null", O_RDONLY | O_CLOEXEC) };
    CHECK_INT(egress_attach(world.x, RUN, 1, fd, 2), 0);
    UNTIL(world.online);
    finish();
}
