/* egress/relay.c -- connections of node and python runs.
 *
 * The sockets were made in the run's own network namespace and keep it, so what
 * the guest connects to arrives here. The address it asked for (getsockname)
 * tells the name that its DNS was given the address for. Then: judge the name,
 * resolve it, judge the address, connect to that very address, and carry bytes.
 * TLS stays end to end: nothing here looks into them.
 *
 * SPDX-License-Identifier: MIT */
#include "egress/inside.h"
#include "wire/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

enum {
    PIPE_BYTES     = 32 << 10,
    TURNS          = 8,         /* buffers moved before others have their turn */
    PACKETS        = 32,
    ACCEPTS        = 32,
    SUBJECT_BYTES  = NET_NAME_MAX + 32,
};

/* One direction: read from `source`, not yet written to the other side. */
struct pipe {
    char  *at;
    size_t start, len;
    int    ended;      /* the source will send no more */
    int    shut;       /* and the other side was told */
};

struct conn {
    struct grave     grave;
    struct conn     *next;
    struct run      *run;
    struct watch     guest, far;
    struct pipe      up, down;
    struct net_name  host;
    uint16_t         port;
    int              open;           /* far is connected */
    struct lookup   *lookup;
    struct addresses to;
    size_t           tried;
    const char      *rule;           /* that allowed it; the policy's */
    uint64_t         deadline_ms;
};

struct listener {
    struct watch  watch;
    struct run   *run;
    uint16_t      port;
};

struct relay {
    struct grave    grave;
    struct listener dns;
    struct listener tcp[EGRESS_MAX_SOCKETS - 1];
    size_t          listeners;
    struct names    names;
    struct conn    *conns;
    unsigned        count;
};

static void subject_of(const struct net_name *host, uint16_t port,
                       char out[SUBJECT_BYTES])
{
    snprintf(out, SUBJECT_BYTES, "tcp://%s:%u", host->text, port);
}

/* ---- the end of a connection --------------------------------------------------- */

/* A reset, not an end: a client must not take a refusal for an empty answer. */
static void reset(int fd)
{
    struct linger hard = { .l_onoff = 1 };
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
}

static void conn_close(struct server *s, struct conn *c, int broken)
{
    struct relay *relay = c->run->relay;
    struct conn **at = &relay->conns;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    relay->count--;
    resolve_cancel(s, c->lookup);
    if (broken && c->guest.fd >= 0)
        reset(c->guest.fd);
    if (broken && c->far.fd >= 0)
        reset(c->far.fd);
    loop_close(&s->loop, &c->guest);
    loop_close(&s->loop, &c->far);
    free(c->up.at);
    free(c->down.at);
    c->up.at = c->down.at = NULL;
    loop_bury(&s->loop, &c->grave);
}

/* ---- carrying bytes ------------------------------------------------------------ */

/* 1: moved something, 0: nothing to be had now, negative: the side is broken. */
static int fill(struct server *s, struct conn *c, struct pipe *p, int from)
{
    if (p->len || p->ended)
        return 0;
    ssize_t n = recv(from, p->at, PIPE_BYTES, MSG_DONTWAIT);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    if (n == 0) {
        p->ended = 1;
        return 1;
    }
    p->start = 0;
    p->len = (size_t)n;
    return run_count(s, c->run, p == &c->up ? (uint64_t)n : 0,
                     p == &c->up ? 0 : (uint64_t)n) < 0 ? -EDQUOT : 1;
}

static int drain(struct pipe *p, int to)
{
    if (p->len) {
        ssize_t n = send(to, p->at + p->start, p->len,
                         MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR ? 0 : -errno;
        p->start += (size_t)n;
        p->len -= (size_t)n;
        return n > 0;
    }
    if (p->ended && !p->shut) {
        shutdown(to, SHUT_WR);
        p->shut = 1;
        return 1;
    }
    return 0;
}

static int move(struct server *s, struct conn *c, struct pipe *p, int from,
                int to)
{
    for (int i = 0; i < TURNS; i++) {
        int in = fill(s, c, p, from);
        if (in < 0)
            return in;
        int out = drain(p, to);
        if (out < 0)
            return out;
        if (!in && !out)
            break;
    }
    return 0;
}

/* What each side is waited for: a side that is waited for in nothing leaves the
 * set, or its hang-up would be reported for ever. */
static int wait_for(struct server *s, struct conn *c)
{
    const struct pipe *up = &c->up, *down = &c->down;
    uint32_t guest = (!up->len && !up->ended ? (uint32_t)EPOLLIN : 0) |
                     (down->len ? (uint32_t)EPOLLOUT : 0);
    uint32_t far = (!down->len && !down->ended ? (uint32_t)EPOLLIN : 0) |
                   (up->len ? (uint32_t)EPOLLOUT : 0);
    int r = loop_watch(&s->loop, &c->guest, guest);
    return r < 0 ? r : loop_watch(&s->loop, &c->far, far);
}

static void carry(struct server *s, struct conn *c)
{
    struct run *r = c->run;
    int up = move(s, c, &c->up, c->guest.fd, c->far.fd);
    int down = up < 0 ? up : move(s, c, &c->down, c->far.fd, c->guest.fd);
    c->deadline_ms = s->loop.now_ms + s->idle_ms;
    if (r->usage.over)
        relay_cut(s, r);
    else if (down < 0 || wait_for(s, c) < 0)
        conn_close(s, c, 1);
    else if (c->up.shut && c->down.shut)
        conn_close(s, c, 0);
}

static void on_traffic(struct server *s, struct watch *w, uint32_t events)
{
    struct conn *c = w->owner;
    if ((events & EPOLLERR) && !(events & (EPOLLIN | EPOLLOUT)))
        conn_close(s, c, 1);
    else
        carry(s, c);
}

/* ---- getting connected --------------------------------------------------------- */

static void try_next(struct server *s, struct conn *c);

static void on_connected(struct server *s, struct watch *w, uint32_t events)
{
    struct conn *c = w->owner;
    int e = 0;
    socklen_t len = sizeof e;
    (void)events;
    if (getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &e, &len) < 0 || e != 0) {
        try_next(s, c);
        return;
    }
    c->up.at = malloc(PIPE_BYTES);
    c->down.at = malloc(PIPE_BYTES);
    if (!c->up.at || !c->down.at) {
        conn_close(s, c, 1);
        return;
    }
    c->open = 1;
    c->far.ready = on_traffic;
    c->guest.ready = on_traffic;
    carry(s, c);
}

static int start_connect(struct server *s, struct conn *c,
                         const struct net_address *to)
{
    struct sockaddr_storage sa;
    socklen_t len = net_address_to_sock(to, c->port, &sa);
    int one = 1;
    c->far = (struct watch){ .ready = on_connected, .owner = c };
    c->far.fd = socket(sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
                       0);
    if (c->far.fd < 0)
        return -errno;
    setsockopt(c->far.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(c->far.fd, (struct sockaddr *)&sa, len) < 0 &&
        errno != EINPROGRESS)
        return -errno;
    return loop_watch(&s->loop, &c->far, EPOLLOUT);
}

/* The next of the judged addresses, until one can be connected to. */
static void try_next(struct server *s, struct conn *c)
{
    char subject[SUBJECT_BYTES];
    subject_of(&c->host, c->port, subject);
    while (c->tried < c->to.n) {
        const struct net_address *to = &c->to.at[c->tried++];
        loop_close(&s->loop, &c->far);
        run_decide(s, c->run, &(struct decision){
            .allowed = 1, .what = "net.connect", .subject = subject,
            .rule = c->rule, .address = to });
        if (start_connect(s, c, to) == 0)
            return;
    }
    conn_close(s, c, 1);
}

static void on_resolved(struct server *s, void *user, int status,
                        const struct addresses *found)
{
    struct conn *c = user;
    char subject[SUBJECT_BYTES];
    c->lookup = NULL;
    c->to = *found;
    subject_of(&c->host, c->port, subject);
    if (status < 0 || addresses_judge(s, c->run, &c->host, c->port, subject,
                                      "net.connect", &c->to) < 0)
        conn_close(s, c, 1);
    else
        try_next(s, c);
}

/* ---- accepting ----------------------------------------------------------------- */

/* Which host did the guest mean by the address it connected to? */
static int host_of(const struct relay *relay, const struct net_address *a,
                   struct net_name *out)
{
    uint32_t v = (uint32_t)a->at[0] << 24 | (uint32_t)a->at[1] << 16 |
                 (uint32_t)a->at[2] << 8 | a->at[3];
    if (v >> (32 - GUEST_NET_BITS) != GUEST_NET_BASE >> (32 - GUEST_NET_BITS)) {
        net_name_of_address(a, out);
        return 0;
    }
    const struct net_name *name = names_at(&relay->names, v);
    if (!name) {
        net_name_of_address(a, out);
        return -ENOENT;
    }
    *out = *name;
    return 0;
}

static void refuse(struct server *s, struct run *r, const struct net_name *host,
                   uint16_t port, const char *rule, const char *hint)
{
    char subject[SUBJECT_BYTES];
    subject_of(host, port, subject);
    run_decide(s, r, &(struct decision){ .what = "net.connect",
               .subject = subject, .rule = rule, .hint = hint });
}

/* 0 and the host that is allowed, with the rule; else a denial was told. */
static int admit(struct server *s, struct run *r, const struct net_address *a,
                 uint16_t port, struct net_name *out, const char **out_rule)
{
    if (host_of(r->relay, a, out) < 0) {
        refuse(s, r, out, port, "no name has this address",
               "connect by name: addresses are given out by the run's DNS");
        return -EACCES;
    }
    if (r->relay->count >= s->connections) {
        refuse(s, r, out, port, "too many connections at a time", NULL);
        return -EACCES;
    }
    struct net_verdict v = net_policy_judge(&s->policy, out, port, NULL, NULL);
    if (!v.allow && out->is_address && net_address_is_loopback(a)) {
        struct net_name local = { .text = "localhost" };
        struct net_verdict w = net_policy_judge(&s->policy, &local, port, NULL,
                                                NULL);
        if (w.allow)
            v = w, *out = local;
    }
    if (!v.allow) {
        char hint[SUBJECT_BYTES + 32];
        snprintf(hint, sizeof hint, "to allow it: --allow-net %s:%u", out->text,
                 port);
        refuse(s, r, out, port, net_verdict_rule(&v),
               v.rule ? "the rule denies it" : hint);
        return -EACCES;
    }
    *out_rule = net_verdict_rule(&v);
    return 0;
}

static void welcome(struct server *s, struct run *r, int fd)
{
    struct sockaddr_storage sa;
    socklen_t len = sizeof sa;
    struct net_address a;
    uint16_t port;
    const char *rule;
    AUTO_FD own = fd;
    struct conn *c = calloc(1, sizeof *c);
    if (!c || r->usage.over ||
        getsockname(fd, (struct sockaddr *)&sa, &len) < 0 ||
        net_address_from_sock((struct sockaddr *)&sa, &a, &port) < 0 ||
        a.family != 4 || admit(s, r, &a, port, &c->host, &rule) < 0) {
        reset(fd);
        free(c);
        return;
    }
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    c->run = r;
    c->port = port;
    c->rule = rule;
    c->guest = (struct watch){ .fd = fd_take(&own), .owner = c };
    c->far.fd = -1;
    c->deadline_ms = s->loop.now_ms + CONNECT_MS;
    c->next = r->relay->conns;
    r->relay->conns = c;
    r->relay->count++;
    r->usage.connections++;
    struct lookup *l = resolve(s, &c->host, on_resolved, c);
    if (l)
        c->lookup = l;
}

static void on_call(struct server *s, struct watch *w, uint32_t events)
{
    struct listener *l = w->owner;
    (void)events;
    for (int i = 0; i < ACCEPTS; i++) {
        int fd = accept4(w->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0) {
            welcome(s, l->run, fd);
            continue;
        }
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
            errno == ENOBUFS)
            loop_watch(&s->loop, w, 0);    /* until the next tick */
        return;
    }
}

static void on_question(struct server *s, struct watch *w, uint32_t events)
{
    struct listener *l = w->owner;
    (void)events;
    for (int i = 0; i < PACKETS; i++) {
        uint8_t in[DNS_PACKET], out[DNS_PACKET];
        struct sockaddr_storage from;
        socklen_t len = sizeof from;
        ssize_t n = recvfrom(w->fd, in, sizeof in, MSG_DONTWAIT | MSG_TRUNC,
                             (struct sockaddr *)&from, &len);
        if (n < 0)
            return;
        if ((size_t)n > sizeof in)
            continue;
        size_t bytes = relay_answer(s, l->run, &l->run->relay->names, in,
                                    (size_t)n, out);
        if (bytes)
            sendto(w->fd, out, bytes, MSG_DONTWAIT | MSG_NOSIGNAL,
                   (struct sockaddr *)&from, len);
    }
}

/* ---- a run's sockets ----------------------------------------------------------- */

/* They come from the run's seal, before guest code; looked at all the same. */
static int check_socket(int fd, int want_type)
{
    int type = 0, domain = 0, listens = 0;
    socklen_t a = sizeof type, b = sizeof domain, c = sizeof listens;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &a) < 0 ||
        getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &b) < 0 ||
        getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &c) < 0)
        return -errno;
    if (type != want_type || domain != AF_INET ||
        listens != (want_type == SOCK_STREAM))
        return -EINVAL;
    return fcntl(fd, F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

int relay_attach(struct server *s, struct run *r, const int *fds, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int got = check_socket(fds[i], i ? SOCK_STREAM : SOCK_DGRAM);
        if (got < 0)
            return got;
    }
    struct relay *relay = calloc(1, sizeof *relay);
    if (!relay)
        return -ENOMEM;
    r->relay = relay;
    relay->dns = (struct listener){ .run = r };
    relay->dns.watch = (struct watch){ .fd = fds[0], .ready = on_question,
                                       .owner = &relay->dns };
    loop_watch(&s->loop, &relay->dns.watch, EPOLLIN);
    for (size_t i = 1; i < n; i++) {
        struct listener *l = &relay->tcp[relay->listeners++];
        *l = (struct listener){ .run = r };
        l->watch = (struct watch){ .fd = fds[i], .ready = on_call, .owner = l };
        loop_watch(&s->loop, &l->watch, EPOLLIN);
    }
    return 0;
}

void relay_cut(struct server *s, struct run *r)
{
    while (r->relay && r->relay->conns)
        conn_close(s, r->relay->conns, 1);
}

/* What the run wrote before it ended still goes as far as sockets take it. */
static void last_words(struct server *s, struct relay *relay)
{
    struct conn *next;
    for (struct conn *c = relay->conns; c; c = next) {
        next = c->next;
        if (c->open && move(s, c, &c->up, c->guest.fd, c->far.fd) == 0)
            conn_close(s, c, 0);
    }
}

void relay_detach(struct server *s, struct run *r)
{
    struct relay *relay = r->relay;
    if (!relay)
        return;
    last_words(s, relay);
    relay_cut(s, r);
    loop_close(&s->loop, &relay->dns.watch);
    for (size_t i = 0; i < relay->listeners; i++)
        loop_close(&s->loop, &relay->tcp[i].watch);
    names_free(&relay->names);
    r->relay = NULL;
    loop_bury(&s->loop, &relay->grave);
}

void relay_tick(struct server *s, struct run *r)
{
    struct conn *next;
    if (!r->relay)
        return;
    for (struct conn *c = r->relay->conns; c; c = next) {
        next = c->next;
        if (s->loop.now_ms >= c->deadline_ms)
            conn_close(s, c, 1);
    }
    for (size_t i = 0; i < r->relay->listeners; i++)
        loop_watch(&s->loop, &r->relay->tcp[i].watch, EPOLLIN);
}
