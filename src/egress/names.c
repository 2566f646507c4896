/* egress/names.c -- the DNS of a run: each name it may have gets an address of
 * its own, by which a later connection tells us the name again.
 * SPDX-License-Identifier: MIT */
#include "egress/inside.h"
#include "wire/guest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TTL_SECONDS = 60 };

/* ---- the table ------------------------------------------------------------------------ */

static uint32_t hash_of(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s; s++)
        h = (h ^ (uint8_t)*s) * 16777619u;
    return h;
}

void names_free(struct names *n)
{
    for (size_t i = 0; i < n->count; i++)
        free(n->row[i]);
    free(n->row);
    *n = (struct names){ 0 };
}

int names_add(struct names *n, const struct net_name *name)
{
    uint32_t h = hash_of(name->text);
    for (size_t i = 0; i < n->count; i++)
        if (n->row[i]->hash == h && !strcmp(n->row[i]->name.text, name->text))
            return (int)i;
    if (n->count == NAMES_PER_RUN)
        return -ENOSPC;
    if (!n->row)
        n->row = calloc(NAMES_PER_RUN, sizeof *n->row);
    struct relay_name *row = n->row ? malloc(sizeof *row) : NULL;
    if (!row)
        return -ENOMEM;
    row->hash = h;
    row->name = *name;
    n->row[n->count] = row;
    return (int)n->count++;
}

/* 198.18.0.1 and on: .0 and .255 of a /24 are avoided, some libraries take
 * them for networks. */
uint32_t names_address(int number)
{
    uint32_t n = (uint32_t)number;
    return GUEST_NET_BASE + ((n / 254) << 8) + n % 254 + 1;
}

const struct net_name *names_at(const struct names *n, uint32_t address)
{
    uint32_t off = address - GUEST_NET_BASE, low = off & 255;
    if (address < GUEST_NET_BASE || off >> (32 - GUEST_NET_BITS) || low == 0 ||
        low == 255)
        return NULL;
    size_t number = (size_t)(off >> 8) * 254 + low - 1;
    return number < n->count ? &n->row[number]->name : NULL;
}

/* ---- answering ---------------------------------------------------------------------------- */

static void tell_denied(struct server *s, struct run *r, const char *name,
                        const struct net_verdict *v)
{
    char subject[NET_NAME_MAX + 16], hint[NET_NAME_MAX + 64];
    snprintf(subject, sizeof subject, "dns://%s", name);
    snprintf(hint, sizeof hint, v->rule ? "the rule denies it"
             : "to allow it: --allow-net %s", name);
    if (v->rule && !v->rule->allow && (v->rule->methods || v->rule->path))
        snprintf(hint, sizeof hint, "the rule denies some requests, and what a "
                 "connection carries cannot be seen: so it denies all");
    run_decide(s, r, &(struct decision){
        .what = "net.resolve", .subject = subject, .rule = net_verdict_rule(v),
        .hint = hint });
}

/* Returns the answer's code; and the address to give, if there is one. */
static int answer_name(struct server *s, struct run *r, struct names *names,
                       const struct dns_question *q, uint32_t *out_address)
{
    struct net_name name;
    if (net_name_parse(str_of(q->name), &name, NULL) < 0 || name.is_address)
        return DNS_NXDOMAIN;
    if (strcmp(name.text, "localhost") == 0) {
        *out_address = q->type == DNS_A ? INADDR_LOOPBACK : 0;
        return DNS_NOERROR;
    }
    struct net_verdict v = net_policy_somewhere(&s->policy, &name);
    if (!v.allow) {
        if (q->type == DNS_A || q->type == DNS_AAAA)
            tell_denied(s, r, name.text, &v);
        return DNS_NXDOMAIN;
    }
    if (q->type != DNS_A)
        return DNS_NOERROR;
    int number = names_add(names, &name);
    if (number == -ENOSPC)
        run_decide(s, r, &(struct decision){
            .what = "net.limit", .subject = "dns", .rule = "4096 names a run" });
    if (number < 0)
        return DNS_SERVFAIL;
    *out_address = names_address(number);
    return DNS_NOERROR;
}

size_t relay_answer(struct server *s, struct run *r, struct names *names,
                    const uint8_t *at, size_t len, uint8_t out[DNS_PACKET])
{
    struct dns_question q;
    uint32_t address = 0;
    int got = dns_read_question(at, len, &q), code;
    if (got == -EINVAL)
        return 0;
    if (got < 0)
        code = got == -EOPNOTSUPP ? DNS_NOTIMP : DNS_FORMERR;
    else
        code = answer_name(s, r, names, &q, &address);
    uint8_t bytes[4] = { (uint8_t)(address >> 24), (uint8_t)(address >> 16),
                         (uint8_t)(address >> 8), (uint8_t)address };
    return dns_write_answer(at, &q, code, address ? bytes : NULL, TTL_SECONDS,
                            out);
}
