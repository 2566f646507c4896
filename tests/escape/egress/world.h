/*
 * tests/escape/egress/world.h -- the egress process between a caller and
 * servers, all on loopback.
 *
 * The servers are forks of the test: an HTTP server whose paths say what it
 * does, and a name server that can change its mind. What they saw is in memory
 * that they share with the test.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "env/egress.h"
#include "tests/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <time.h>

/* ---- servers ------------------------------------------------------------------ */

static struct seen {
    int  connections, questions;
    char request[8192];        /* the last one */
} *seen;

static void see_nothing_yet(void)
{
    if (!seen)
        seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(seen != MAP_FAILED);
}

static int bound_socket(int type, const char *address, uint16_t *out_port)
{
    struct sockaddr_in a = { .sin_family = AF_INET };
    socklen_t len = sizeof a;
    int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0), one = 1;
    inet_pton(AF_INET, address, &a.sin_addr);
    CHECK(fd >= 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (*out_port)
        a.sin_port = htons(*out_port);
    CHECK(bind(fd, (struct sockaddr *)&a, sizeof a) == 0);
    CHECK(getsockname(fd, (struct sockaddr *)&a, &len) == 0);
    *out_port = ntohs(a.sin_port);
    return fd;
}

static int say(int fd, const char *text)
{
    size_t n = strlen(text);
    return send(fd, text, n, MSG_NOSIGNAL) == (ssize_t)n;
}

/* Reads a head and as much body as it announces. 0 at the end. */
static size_t read_request(int fd, char *at, size_t room)
{
    size_t n = 0, want = 0;
    for (;;) {
        char *end;
        at[n] = '\0';
        if (!want && (end = strstr(at, "\r\n\r\n"))) {
            const char *len = strcasestr(at, "\r\ncontent-length:");
            want = (size_t)(end + 4 - at) +
                   (len ? strtoul(len + 17, NULL, 10) : 0);
        }
        if (want && n >= want)
            return n;
        ssize_t got = n + 1 < room ? recv(fd, at + n, room - n - 1, 0) : 0;
        if (got <= 0)
            return 0;
        n += (size_t)got;
    }
}

static void answer(int fd, const char *more, const char *body, size_t len)
{
    char head[1024];
    snprintf(head, sizeof head, "HTTP/1.1 200 Fine\r\nContent-Length: %zu\r\n"
             "X-Odd: a\x01z\r\nX-Plain:  yes \r\n%s\r\n", len, more);
    say(fd, head);
    send(fd, body, len, MSG_NOSIGNAL);
}

static void answer_redirect(int fd, const char *status, const char *to)
{
    char head[2048];
    snprintf(head, sizeof head, "HTTP/1.1 %s Moved\r\nLocation: %s\r\n"
             "Content-Length: 5\r\n\r\nmoved", status, to);
    say(fd, head);
}

static void answer_bytes(int fd, unsigned long long total)
{
    static char zeros[16384];
    char head[128];
    snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %llu\r\n\r\n",
             total);
    say(fd, head);
    while (total) {
        size_t n = total < sizeof zeros ? (size_t)total : sizeof zeros;
        ssize_t sent = send(fd, zeros, n, MSG_NOSIGNAL);
        if (sent <= 0)
            _exit(0);
        total -= (unsigned long long)sent;
    }
}

/* What a test adds to the paths below; 1: it answered. */
static int (*more_paths)(int fd, const char *path);

static int serve_path(int fd, const char *path, const char *request, size_t len)
{
    if (more_paths && more_paths(fd, path))
        return 1;
    if (!strncmp(path, "/hello", 6))
        answer(fd, "", "hello", 5);
    else if (!strcmp(path, "/echo"))
        answer(fd, "", request, len);
    else if (!strncmp(path, "/bytes?", 7))
        answer_bytes(fd, strtoull(path + 7, NULL, 10));
    else if (!strncmp(path, "/to?", 4))
        answer_redirect(fd, "302", path + 4);
    else if (!strncmp(path, "/to307?", 7))
        answer_redirect(fd, "307", path + 7);
    else if (!strncmp(path, "/to303?", 7))
        answer_redirect(fd, "303", path + 7);
    else if (!strcmp(path, "/round"))
        answer_redirect(fd, "302", "/round");
    else if (!strcmp(path, "/never"))
        pause();
    else if (!strcmp(path, "/early"))
        say(fd, "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No "
                "Content\r\n\r\n");
    else if (!strcmp(path, "/cut"))
        return say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), 0;
    else if (!strcmp(path, "/chunked"))
        say(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n"
                "\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX: y\r\n\r\n");
    else
        say(fd, "HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n");
    return 1;
}

static void serve(int fd)
{
    static char request[1 << 20];
    size_t n;
    __sync_fetch_and_add(&seen->connections, 1);
    while ((n = read_request(fd, request, sizeof request))) {
        char path[2048] = "";
        snprintf(seen->request, sizeof seen->request, "%.8000s", request);
        sscanf(request, "%*s %2047s", path);
        if (!serve_path(fd, path, request, n))
            break;
    }
    _exit(0);
}

/* Listens on all of 127/8; returns its port. */
static inline uint16_t http_server(void)
{
    uint16_t port = 0;
    see_nothing_yet();
    int fd = bound_socket(SOCK_STREAM, "0.0.0.0", &port);
    CHECK(listen(fd, 256) == 0);
    if (fork() == 0) {
        signal(SIGCHLD, SIG_IGN);
        for (;;) {
            int c = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
            if (c >= 0 && fork() == 0)
                serve(c);
            if (c >= 0)
                close(c);
        }
    }
    close(fd);
    return port;
}

/* Answers every question of type A with the next of these addresses, the last
 * again and again; of other types with nothing. Without any it knows no name. */
static inline uint16_t name_server(const char *const *address, size_t count)
{
    uint16_t port = 0;
    see_nothing_yet();
    int fd = bound_socket(SOCK_DGRAM, "127.0.0.1", &port);
    if (fork() != 0) {
        close(fd);
        return port;
    }
    for (;;) {
        uint8_t p[1500];
        struct sockaddr_in from;
        socklen_t len = sizeof from;
        ssize_t n = recvfrom(fd, p, sizeof p, 0, (struct sockaddr *)&from, &len);
        if (n < 17)
            continue;
        size_t end = 12;
        while (end < (size_t)n && p[end])
            end += p[end] + 1u;
        end += 5;
        int is_a = p[end - 3] == 1;
        p[2] = 0x81, p[3] = count ? 0x80 : 0x83, p[11] = 0;
        is_a &= count > 0;
        p[7] = (uint8_t)is_a;
        if (is_a) {
            int k = __sync_fetch_and_add(&seen->questions, 1);
            memcpy(p + end, "\xc0\x0c\0\1\0\1\0\0\0\0\0\4", 12);
            inet_pton(AF_INET, address[(size_t)k < count ? (size_t)k : count - 1],
                      p + end + 12);
            end += 16;
        }
        sendto(fd, p, end, 0, (struct sockaddr *)&from, len);
    }
}

/* ---- the caller ----------------------------------------------------------------- */

static struct world {
    struct egress      *x;
    int                 online, gone, ended, failed;
    struct egress_usage usage;
    unsigned            status, redirected, code;
    char                url[512], headers[4096], message[1024], why[512];
    char                decisions[32768];      /* one a line */
    struct buf          body;
    int                 hold;                  /* give no credit */
} world;

static void keep_str(char *out, size_t room, struct str s)
{
    snprintf(out, room, "%.*s", (int)s.len, s.at);
}

static void on_online(void *user) { (void)user, world.online = 1; }

static void on_decision(void *user, const struct egress_decision *m)
{
    size_t n = strlen(world.decisions);
    (void)user;
    snprintf(world.decisions + n, sizeof world.decisions - n,
             "%s %.*s %.*s [%.*s] %.*s\n", m->allowed ? "allow" : "deny",
             (int)m->what.len, m->what.at, (int)m->subject.len, m->subject.at,
             (int)m->rule.len, m->rule.at, (int)m->address.len, m->address.at);
}

static void on_usage(void *user, const struct egress_usage *m)
{
    (void)user, world.usage = *m;
}

static void on_head(void *user, const struct egress_head *m)
{
    (void)user;
    world.status = m->status;
    world.redirected = m->redirected;
    keep_str(world.url, sizeof world.url, m->url);
    keep_str(world.headers, sizeof world.headers, m->headers);
}

static void on_data(void *user, const struct egress_data *m)
{
    (void)user;
    buf_add(&world.body, m->bytes.at, m->bytes.len);
    if (!world.hold)
        egress_more(world.x, m->run, m->call, m->bytes.len);
}

static void on_end(void *user, const struct egress_end *m)
{
    (void)user, (void)m, world.ended++;
}

static void on_fail(void *user, const struct egress_fail *m)
{
    (void)user;
    world.failed++;
    world.code = m->code;
    keep_str(world.message, sizeof world.message, m->message);
}

static void on_gone(void *user, const char *why)
{
    (void)user;
    world.gone = 1;
    snprintf(world.why, sizeof world.why, "%s", why);
}

static const struct egress_events world_events = {
    on_online, on_decision, on_usage, on_head, on_data, on_end, on_fail, on_gone,
};

static void turn(int ms)
{
    struct pollfd p = { .fd = egress_fd(world.x),
                        .events = egress_interest(world.x) };
    if (p.fd < 0 || poll(&p, 1, ms) <= 0)
        return;
    if (p.revents & POLLOUT)
        egress_writable(world.x);
    if (p.revents & (POLLIN | POLLHUP | POLLERR))
        egress_readable(world.x);
}

#define UNTIL(cond) do {                                                  \
    time_t end_ = time(NULL) + 15;                                        \
    while (!(cond) && time(NULL) < end_ && egress_fd(world.x) >= 0)       \
        turn(100);                                                        \
    if (!(cond))                                                          \
        TEST_FAIL("waited for %s; gone: %s; fail: %s; decisions: %s",     \
                  #cond, world.why, world.message, world.decisions);      \
} while (0)

static void begin_spec(const struct egress_spec *spec)
{
    struct err e = { 0 };
    signal(SIGPIPE, SIG_IGN);
    see_nothing_yet();
    buf_init(&world.body, 512 << 20);
    const char *out = getenv("GB_OUT");
    if (out)
        setenv("GLOVEBOX_LIBEXEC", out, 1);
    if (egress_start(spec, &world.x, &e) < 0)
        TEST_FAIL("start: %s", e.msg);
    egress_listen(world.x, &world_events, NULL);
}

/* %d in the rules and the hosts is the port. */
__attribute__((format(printf, 1, 2)))
static inline void begin(const char *rules, ...)
{
    static char text[4096];
    va_list ap;
    va_start(ap, rules);
    vsnprintf(text, sizeof text, rules, ap);
    va_end(ap);
    begin_spec(&(struct egress_spec){ .policy = str_of(text) });
}

static inline void forget(void)
{
    world.ended = world.failed = 0;
    world.status = world.code = 0;
    world.message[0] = world.decisions[0] = '\0';
    buf_clear(&world.body);
    memset(seen->request, 0, sizeof seen->request);
}

static inline int said(const char *text)
{
    return strstr(world.decisions, text) != NULL;
}
