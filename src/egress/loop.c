/* egress/loop.c -- who waits for which descriptor.
 * SPDX-License-Identifier: MIT */
#include "egress/inside.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

enum { EVENTS_AT_ONCE = 64 };

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

int loop_init(struct loop *l)
{
    *l = (struct loop){ .epoll = epoll_create1(EPOLL_CLOEXEC) };
    l->now_ms = now_ms();
    return l->epoll < 0 ? -errno : 0;
}

int loop_watch(struct loop *l, struct watch *w, uint32_t events)
{
    if (w->fd < 0 || events == w->events)
        return 0;
    struct epoll_event ev = { .events = events, .data.ptr = w };
    int op = !events ? EPOLL_CTL_DEL : w->events ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (epoll_ctl(l->epoll, op, w->fd, &ev) < 0)
        return -errno;
    w->events = events;
    return 0;
}

void loop_close(struct loop *l, struct watch *w)
{
    if (w->fd < 0)
        return;
    loop_watch(l, w, 0);
    close(w->fd);
    w->fd = -1;
    w->ready = NULL;
}

void loop_bury(struct loop *l, struct grave *g)
{
    g->next = l->graves;
    l->graves = g;
}

static void fill_in(struct loop *l)
{
    while (l->graves) {
        struct grave *g = l->graves;
        l->graves = g->next;
        free(g);
    }
}

static void tick(struct server *s)
{
    struct run *next;
    if (s->loop.now_ms < s->loop.tick_at)
        return;
    s->loop.tick_at = s->loop.now_ms + TICK_MS;
    resolve_tick(s);
    for (struct run *r = s->runs; r; r = next) {
        next = r->next;
        relay_tick(s, r);
        fetch_tick(s, r);
    }
}

static int wait_ms(struct server *s)
{
    int most = s->runs ? TICK_MS : -1, curl = fetch_timeout_ms(s);
    if (curl >= 0 && (most < 0 || curl < most))
        most = curl;
    return most;
}

void loop_once(struct server *s)
{
    struct loop *l = &s->loop;
    struct epoll_event ev[EVENTS_AT_ONCE];
    int n = epoll_wait(l->epoll, ev, EVENTS_AT_ONCE, wait_ms(s));
    if (n < 0 && errno != EINTR)
        l->stop = 1;
    l->now_ms = now_ms();
    for (int i = 0; i < n; i++) {
        struct watch *w = ev[i].data.ptr;
        if (w->ready)
            w->ready(s, w, ev[i].events);
    }
    fetch_timer(s);
    tick(s);
    link_flush(s);
    fill_in(l);
}
