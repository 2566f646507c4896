/* env/network.c -- one egress process, and the runs that use it.
 * SPDX-License-Identifier: MIT */
#include "env/network.h"
#include "env/clock.h"
#include "env/run.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* How long a run that is over waits for the last word about its bytes. */
enum { LAST_WORD_MS = 1000 };

struct attached {
    uint64_t         run;       /* its number over there; 0: free */
    struct child    *child;     /* of node and python; else NULL */
    struct run      *js;
    uint64_t         bytes;
    int              last;      /* nothing more will be said of it */
};

struct network {
    struct egress           *egress;
    const struct net_policy *policy;
    struct child_net         calls;
    uint64_t                 numbers;
    struct attached         *list;
    size_t                   room;
};

static struct attached *find(struct network *n, uint64_t run)
{
    for (size_t i = 0; i < n->room; i++)
        if (n->list[i].run == run)
            return &n->list[i];
    return NULL;
}

/* ---- what the egress process says -------------------------------------------- */

static void on_decision(void *user, const struct egress_decision *m)
{
    struct attached *a = m->run ? find(user, m->run) : NULL;
    if (!a || m->allowed)
        return;
    const struct msg_denied denied = { m->what, m->subject, m->rule, m->hint };
    if (a->child)
        child_deny(a->child, &denied);
    else
        result_deny(&a->js->result, &denied);
}

static void on_usage(void *user, const struct egress_usage *m)
{
    struct attached *a = m->run ? find(user, m->run) : NULL;
    if (!a)
        return;
    a->bytes = m->sent + m->received;
    a->last |= m->last;
}

/* Answers to requests of js runs. */
#define ANSWER(name, what, took)                                              \
    static void on_##name(void *user, const struct egress_##what *m)          \
    {                                                                         \
        struct attached *a = m->run ? find(user, m->run) : NULL;              \
        struct err e = { 0 };                                                 \
        if (a && a->js && took(&a->js->fetches, m, &e) < 0)                   \
            run_broken(a->js, e.msg);                                         \
    }
ANSWER(head, head, fetch_head)
ANSWER(data, data, fetch_data)
ANSWER(end,  end,  fetch_done)
ANSWER(fail, fail, fetch_failed)
#undef ANSWER

static const struct egress_events events = {
    .decision = on_decision, .usage = on_usage, .head = on_head,
    .data = on_data, .end = on_end, .fail = on_fail,
};

/* ---- what the runs ask for --------------------------------------------------- */

static void ask_ports(void *user, struct zygote_fork *out)
{
    const struct network *n = user;
    size_t ports = 0, routes = 0;
    /* network_open() has looked that they are not too many. */
    if (net_policy_ports(n->policy, out->port, FORK_PORTS, &ports, NULL) == 0)
        out->ports = (uint32_t)ports;
    if (net_policy_routes(n->policy, out->route, FORK_ROUTES, &routes, NULL) == 0)
        out->routes = (uint32_t)routes;
}

static struct attached *free_place(struct network *n)
{
    struct attached *a = find(n, 0);
    if (a)
        return a;
    size_t room = n->room ? 2 * n->room : 16;
    struct attached *more = realloc(n->list, room * sizeof *more);
    if (!more)
        return NULL;
    memset(more + n->room, 0, (room - n->room) * sizeof *more);
    a = &more[n->room];
    n->list = more;
    n->room = room;
    return a;
}

static int attach(void *user, struct child *c, uint64_t max_bytes,
                  const int *sockets, unsigned count, struct err *e)
{
    struct network *n = user;
    struct attached *a = free_place(n);
    if (!a)
        return err_set(e, -ENOMEM, "network: no memory");
    uint64_t run = ++n->numbers;
    int r = egress_attach(n->egress, run, max_bytes, sockets, count);
    if (r < 0)
        return err_set(e, r, "network: the egress process takes no run: %s",
                       strerror(-r));
    *a = (struct attached){ .run = run, .child = c };
    return 0;
}

static void pump(struct network *n, short revents)
{
    if (revents & (POLLIN | POLLHUP | POLLERR))
        egress_readable(n->egress);
    if ((revents & POLLOUT) && egress_fd(n->egress) >= 0)
        egress_writable(n->egress);
}

/* Until the last word about a run, which tells how much it was; not for ever. */
static void await_last(struct network *n, uint64_t run)
{
    uint64_t deadline = clock_now_ns() + LAST_WORD_MS * NS_PER_MS;
    for (;;) {
        const struct attached *a = find(n, run);
        uint64_t now = clock_now_ns();
        int fd = egress_fd(n->egress);
        if (!a || a->last || fd < 0 || now >= deadline)
            return;
        struct pollfd p = { fd, egress_interest(n->egress), 0 };
        int r = poll(&p, 1, (int)((deadline - now) / NS_PER_MS) + 1);
        if (r < 0 && errno != EINTR)
            return;
        if (r > 0)
            pump(n, p.revents);
    }
}

static uint64_t detach(void *user, struct child *c)
{
    struct network *n = user;
    for (size_t i = 0; i < n->room; i++) {
        if (!n->list[i].run || n->list[i].child != c)
            continue;
        uint64_t run = n->list[i].run;
        if (egress_detach(n->egress, run) == 0)
            await_last(n, run);
        uint64_t bytes = n->list[i].bytes;
        n->list[i] = (struct attached){ 0 };
        return bytes;
    }
    return 0;
}

int network_join(struct network *n, struct run *r)
{
    struct attached *a = free_place(n);
    if (!a)
        return -ENOMEM;
    *a = (struct attached){ .run = ++n->numbers, .js = r };
    r->egress = n->egress;
    r->egress_run = a->run;
    r->message.flags |= RUN_NET;
    return 0;
}

void network_leave(struct network *n, struct run *r)
{
    struct attached *a = r->egress_run ? find(n, r->egress_run) : NULL;
    if (!a)
        return;
    if (r->fetches.calls)    /* else nobody over there has heard of it */
        await_last(n, a->run);
    r->result.egress_bytes = a->bytes;
    *a = (struct attached){ 0 };
    r->egress = NULL;
    r->egress_run = 0;
}

int network_fd(const struct network *n)
{
    return egress_fd(n->egress);
}

short network_interest(const struct network *n)
{
    return egress_interest(n->egress);
}

void network_turn(struct network *n, short revents)
{
    pump(n, revents);
}

static int   fd_for_child(void *user)       { return network_fd(user); }
static short interest_for_child(void *user) { return network_interest(user); }
static void  turn_for_child(void *user, short revents) { pump(user, revents); }

/* ---- life ---------------------------------------------------------------------- */

static int check_room(const struct net_policy *policy, struct err *e)
{
    uint16_t port[FORK_PORTS];
    uint32_t route[FORK_ROUTES];
    size_t n = 0;
    int r = net_policy_ports(policy, port, FORK_PORTS, &n, e);
    return r < 0 ? r : net_policy_routes(policy, route, FORK_ROUTES, &n, e);
}

int network_open(const struct network_spec *spec, struct network **out,
                 struct err *e)
{
    int r = check_room(spec->policy, e);
    if (r < 0)
        return r;
    struct network *n = calloc(1, sizeof *n);
    if (!n)
        return err_set(e, -ENOMEM, "network: no memory");
    const struct egress_spec egress = { .policy = spec->rules,
        .secret = spec->secret, .secrets = spec->secrets };
    n->policy = spec->policy;
    n->calls = (struct child_net){
        .user = n, .ports = ask_ports, .open = attach, .close = detach,
        .fd = fd_for_child, .interest = interest_for_child, .turn = turn_for_child,
    };
    r = egress_start(&egress, &n->egress, e);
    if (r < 0) {
        network_close(n);
        return r;
    }
    egress_listen(n->egress, &events, n);
    *out = n;
    return 0;
}

void network_close(struct network *n)
{
    if (!n)
        return;
    egress_free(n->egress);
    free(n->list);
    free(n);
}

const struct child_net *network_for_runs(const struct network *n)
{
    return n ? &n->calls : NULL;
}
