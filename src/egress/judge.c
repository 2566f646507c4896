/* egress/judge.c -- what the rules say of a host, a request and an address.
 * SPDX-License-Identifier: MIT */
#include "egress/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_MOST = 8192 };

const char *net_verdict_rule(const struct net_verdict *v)
{
    if (v->why)
        return v->why;
    return v->rule ? v->rule->text : "default";
}

/* ---- does a rule match? ---------------------------------------------------------- */

static int port_matches(const struct net_rule *r, uint16_t port)
{
    if (r->port == NET_PORT_WEB)
        return port == 80 || port == 443;
    return r->port == NET_PORT_ANY || r->port == port;
}

static int host_matches(const struct net_rule *r, const struct net_name *host)
{
    size_t n = strlen(host->text), m;
    switch (r->kind) {
    case NET_ANY:
        return 1;
    case NET_RANGE:
        return host->is_address && net_range_holds(&r->range, &host->address);
    case NET_NAME:
        return !host->is_address && strcmp(r->host, host->text) == 0;
    case NET_SUBDOMAINS:
        m = strlen(r->host);
        return !host->is_address && n > m + 1 &&
               host->text[n - m - 1] == '.' &&
               strcmp(host->text + n - m, r->host) == 0;
    }
    return 0;
}

static int in_list(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; at;) {
        const char *comma = strchr(at, ',');
        size_t len = comma ? (size_t)(comma - at) : strlen(at);
        if (len == n && memcmp(at, word, n) == 0)
            return 1;
        at = comma ? comma + 1 : NULL;
    }
    return 0;
}

/* `*` stops at a slash, `**` at nothing. The last of each kind is tried again
 * from one further on: that is enough, as the earliest fit of what stands
 * before a star leaves it the most. */
static int path_fits(const char *pattern, const char *path)
{
    const char *p = pattern, *s = path;
    const char *one = NULL, *one_at = NULL, *two = NULL, *two_at = NULL;
    while (*s || *p) {
        if (p[0] == '*' && p[1] == '*') {
            p += 2;
            two = p, two_at = s;
            one = NULL;
        } else if (*p == '*') {
            one = ++p, one_at = s;
        } else if (*s && *p == *s) {
            p++, s++;
        } else if (one && *one_at && *one_at != '/') {
            p = one, s = ++one_at;
        } else if (two && *two_at) {
            p = two, s = ++two_at;
            one = NULL;
        } else {
            return 0;
        }
    }
    return 1;
}

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * The path as a server may understand it: escapes decoded, slashes made single.
 * -EINVAL where servers disagree about what it says (%2f, %5c, %00, %25, an
 * empty or dotted part after decoding).
 */
static int plain_path(const char *path, char out[PATH_MOST])
{
    size_t n = 0;
    for (const char *s = path; *s; s++) {
        char c = *s;
        if (c == '%') {
            int high = hex(s[1]), low = high < 0 ? -1 : hex(s[2]);
            if (low < 0)
                return -EINVAL;
            c = (char)(high * 16 + low);
            if (c == '\0' || c == '/' || c == '\\' || c == '%')
                return -EINVAL;
            s += 2;
        }
        if (c == '\\')
            return -EINVAL;
        if (c == '/' && n && out[n - 1] == '/')
            continue;
        if (n + 1 >= PATH_MOST)
            return -EINVAL;
        out[n++] = c;
    }
    out[n] = '\0';
    for (const char *s = out; (s = strstr(s, "/.")); s++) {
        const char *dots = s + 1 + strspn(s + 1, ".");
        if (dots - s <= 3 && (*dots == '/' || *dots == '\0' || *dots == ';'))
            return -EINVAL;
    }
    return 0;
}

/*
 * Methods and path of a rule against a request. Where one cannot tell, a rule
 * that allows does not match and one that denies does.
 */
static int request_matches(const struct net_rule *r, const char *method,
                           const char *path)
{
    char plain[PATH_MOST];
    if (r->methods) {
        if (!method)
            return !r->allow;
        if (!in_list(r->methods, method))
            return 0;
    }
    if (r->path) {
        if (!path || plain_path(path, plain) < 0)
            return !r->allow;
        return path_fits(r->path, plain);
    }
    return 1;
}

/* ---- judging ---------------------------------------------------------------------- */

struct net_verdict net_policy_judge(const struct net_policy *p,
                                    const struct net_name *host, uint16_t port,
                                    const char *method, const char *path)
{
    for (size_t i = p->rules; i-- > 0;) {
        const struct net_rule *r = &p->rule[i];
        if (port_matches(r, port) && host_matches(r, host) &&
            request_matches(r, method, path))
            return (struct net_verdict){ r->allow, r, NULL };
    }
    return (struct net_verdict){ 0 };
}

struct net_verdict net_policy_somewhere(const struct net_policy *p,
                                        const struct net_name *host)
{
    static const uint16_t web[] = { 443, 80 };
    struct net_verdict first = { 0 };
    for (size_t i = 0; i < p->rules + COUNT(web); i++) {
        uint16_t port = 65535;
        if (i < COUNT(web)) {
            port = web[i];
        } else {
            const struct net_rule *r = &p->rule[i - COUNT(web)];
            if (!r->allow || r->port == NET_PORT_WEB || !host_matches(r, host))
                continue;
            if (r->port != NET_PORT_ANY)
                port = (uint16_t)r->port;
        }
        struct net_verdict v = net_policy_judge(p, host, port, NULL, NULL);
        if (v.allow)
            return v;
        if (!first.rule)
            first = v;
    }
    return first;
}

/* A rule that denies some requests to a host: it had its say when the request
 * was judged, and its say was not no. */
static int had_its_say(const struct net_rule *r, const struct net_name *host)
{
    return !r->allow && (r->methods || r->path) && host_matches(r, host);
}

/* May this special address be had all the same? Only rules that name addresses
 * speak, and a range wider than the block does not mean it. */
static struct net_verdict judge_special(const struct net_policy *p,
                                        const struct net_name *host,
                                        const struct net_address *a,
                                        uint16_t port,
                                        const struct net_special *block)
{
    int local = net_address_is_loopback(a) && !host->is_address &&
                strcmp(host->text, "localhost") == 0;
    for (size_t i = p->rules; i-- > 0;) {
        const struct net_rule *r = &p->rule[i];
        if (!port_matches(r, port) || had_its_say(r, host))
            continue;
        int named = r->kind == NET_RANGE && net_range_holds(&r->range, a) &&
                    (!r->allow || r->range.bits >= block->range.bits);
        int home = local && r->kind == NET_NAME && host_matches(r, host);
        if (named || home)
            return (struct net_verdict){ r->allow, r,
                                         r->allow ? NULL : block->text };
    }
    return (struct net_verdict){ 0, NULL, block->text };
}

struct net_verdict net_policy_address(const struct net_policy *p,
                                      const struct net_name *host,
                                      const struct net_address *address,
                                      uint16_t port)
{
    const struct net_special *block = net_address_special(address);
    if (block)
        return judge_special(p, host, address, port, block);
    for (size_t i = p->rules; i-- > 0;) {
        const struct net_rule *r = &p->rule[i];
        if (!port_matches(r, port) || had_its_say(r, host))
            continue;
        if (host_matches(r, host) ||
            (r->kind == NET_RANGE && net_range_holds(&r->range, address)))
            return (struct net_verdict){ r->allow, r, NULL };
    }
    return (struct net_verdict){ 0 };
}

/* ---- for the network namespace of a run --------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    uint16_t x = *(const uint16_t *)a, y = *(const uint16_t *)b;
    return x < y ? -1 : x > y;
}

static int add_port(uint16_t port, uint16_t *out, size_t room, size_t *n)
{
    for (size_t i = 0; i < *n; i++)
        if (out[i] == port)
            return 0;
    if (*n == room)
        return -E2BIG;
    out[(*n)++] = port;
    return 0;
}

int net_policy_ports(const struct net_policy *p, uint16_t *out, size_t room,
                     size_t *out_count, struct err *e)
{
    size_t n = 0;
    int r = 0;
    for (size_t i = 0; r == 0 && i < p->rules; i++) {
        uint32_t port = p->rule[i].port;
        if (!p->rule[i].allow)
            continue;
        if (port != NET_PORT_WEB && port != NET_PORT_ANY) {
            r = add_port((uint16_t)port, out, room, &n);
            continue;
        }
        r = add_port(80, out, room, &n);
        if (r == 0)
            r = add_port(443, out, room, &n);
    }
    if (r < 0)
        return err_set(e, r, "rules name more than %zu ports: node and python "
                       "runs listen on each of them", room);
    qsort(out, n, sizeof *out, by_number);
    *out_count = n;
    return 0;
}

int net_policy_routes(const struct net_policy *p, uint32_t *out, size_t room,
                      size_t *out_count, struct err *e)
{
    size_t n = 0;
    for (size_t i = 0; i < p->rules; i++) {
        const struct net_rule *r = &p->rule[i];
        const struct net_address *a = &r->range.from;
        if (!r->allow || r->kind != NET_RANGE || a->family != 4 ||
            r->range.bits != 32 || net_address_is_loopback(a))
            continue;
        uint32_t v = (uint32_t)a->at[0] << 24 | (uint32_t)a->at[1] << 16 |
                     (uint32_t)a->at[2] << 8 | a->at[3];
        size_t k = 0;
        while (k < n && out[k] != v)
            k++;
        if (k < n)
            continue;
        if (n == room)
            return err_set(e, -E2BIG, "rules name more than %zu IPv4 addresses: "
                           "a run has a route for each", room);
        out[n++] = v;
    }
    *out_count = n;
    return 0;
}
