/* egress/run.c -- what all runs have: a limit, a tally, and decisions to tell.
 * SPDX-License-Identifier: MIT */
#include "egress/inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run *run_find(struct server *s, uint64_t id)
{
    struct run *r = s->runs;
    while (r && r->usage.run != id)
        r = r->next;
    return r;
}

int run_attach(struct server *s, const struct egress_attach *m)
{
    int fd[EGRESS_MAX_SOCKETS];
    if (run_find(s, m->run) || link_take_fds(&s->link, fd, m->sockets) < 0)
        return -EPROTO;
    struct run *r = calloc(1, sizeof *r);
    int got = r ? 0 : -ENOMEM;
    if (r) {
        r->usage.run = m->run;
        r->max_bytes = m->max_bytes;
        r->next = s->runs;
        s->runs = r;
    }
    if (got == 0 && m->sockets)
        got = relay_attach(s, r, fd, m->sockets);
    for (size_t i = 0; got < 0 && i < m->sockets; i++)
        close(fd[i]);
    /* Without a relay the guest's connections wait for nobody and break with
     * its namespace: no reason to end the others. */
    return r ? 0 : got;
}

void run_tell_usage(struct server *s, struct run *r)
{
    put_egress_usage(&s->link.out, &r->usage);
}

void run_detach(struct server *s, struct run *r)
{
    fetch_cut(s, r, FETCH_ABORTED, "the run has ended");
    relay_detach(s, r);
    r->usage.last = 1;
    run_tell_usage(s, r);
    struct run **at = &s->runs;
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    free(r);
}

int run_count(struct server *s, struct run *r, uint64_t sent, uint64_t received)
{
    r->usage.sent += sent;
    r->usage.received += received;
    if (r->usage.over)
        return -EDQUOT;
    if (r->usage.sent + r->usage.received <= r->max_bytes)
        return 0;
    r->usage.over = 1;
    char hint[96];
    snprintf(hint, sizeof hint, "it may move %llu bytes; raise it with --max-egress",
             (unsigned long long)r->max_bytes);
    run_decide(s, r, &(struct decision){
        .what = "net.limit", .subject = "max_egress_bytes",
        .rule = "max_egress_bytes", .hint = hint });
    run_tell_usage(s, r);
    return -EDQUOT;
}

/* ---- decisions ------------------------------------------------------------------------ */

static uint32_t hash_more(uint32_t h, const char *s)
{
    for (; *s; s++)
        h = (h ^ (uint8_t)*s) * 16777619u;
    return h * 31;
}

/* The same thing asked again and again is told once. */
static int is_news(struct run *r, const struct decision *d, const char *address)
{
    uint32_t h = 2166136261u + (uint32_t)d->allowed;
    h = hash_more(hash_more(h, d->what), d->subject);
    h = hash_more(hash_more(h, d->rule), address);
    size_t have = r->recents < COUNT(r->recent) ? r->recents : COUNT(r->recent);
    for (size_t i = 0; i < have; i++)
        if (r->recent[i] == h && !d->allowed)
            return 0;
    r->recent[r->recents++ % COUNT(r->recent)] = h;
    return 1;
}

static struct str cut(const char *text)
{
    struct str s = str_of(text);
    if (s.len > EGRESS_MAX_TEXT)
        s.len = EGRESS_MAX_TEXT;
    return s;
}

void run_decide(struct server *s, struct run *r, const struct decision *d)
{
    char address[NET_ADDRESS_TEXT] = "";
    if (d->address)
        net_address_text(d->address, address);
    if (!d->allowed)
        r->usage.denied++;
    if (!is_news(r, d, address) || r->told[!!d->allowed] >= DECISIONS_TOLD)
        return;
    r->told[!!d->allowed]++;
    struct egress_decision m = {
        .run = r->usage.run, .allowed = (uint8_t)!!d->allowed,
        .what = cut(d->what), .subject = cut(d->subject), .rule = cut(d->rule),
        .address = cut(address), .hint = cut(d->hint),
    };
    put_egress_decision(&s->link.out, &m);
}
