/*
 * tests/fuzz/fuzz_policy.c -- hostile rules, hosts and URLs.
 *
 * Input: rules, NUL, then a URL. Properties: what is refused leaves nothing
 * behind; a rule's text, read again, is the same rule; a URL that is taken is
 * written so that it reads back the same, holds nothing that could end a line,
 * and stays itself as a redirect; and no rules that are wide open lead to a
 * special address.
 *
 * SPDX-License-Identifier: MIT
 */
#include "egress/policy.h"
#include "egress/url.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds) { if (!holds) abort(); }

static void check_rules(const struct net_policy *p)
{
    for (size_t i = 0; i < p->rules; i++) {
        struct net_policy again = { 0 };
        struct err e = { 0 };
        require(net_policy_parse(str_of(p->rule[i].text), &again, &e) == 0);
        require(again.rules == 1);
        require(again.rule[0].allow == p->rule[i].allow);
        require(again.rule[0].kind == p->rule[i].kind);
        require(again.rule[0].port == p->rule[i].port);
        require(!strcmp(again.rule[0].text, p->rule[i].text));
        net_policy_free(&again);
    }
    uint16_t port[NET_LIST_MAX];
    uint32_t route[NET_LIST_MAX];
    size_t n;
    if (net_policy_ports(p, port, NET_LIST_MAX, &n, NULL) == 0)
        require(n <= NET_LIST_MAX);
    if (net_policy_routes(p, route, NET_LIST_MAX, &n, NULL) == 0)
        require(n <= NET_LIST_MAX);
}

static void check_url(const struct net_policy *p, const struct url *u)
{
    AUTO_BUF b;
    AUTO_URL again = { 0 };
    AUTO_URL next = { 0 };
    buf_init(&b, 1 << 20);
    url_text(u, &b);
    require(!b.failed);
    for (size_t i = 0; i < b.len; i++)
        require(b.at[i] > ' ' && b.at[i] < 0x7f);
    require(url_parse(buf_str(&b), &again, NULL) == 0);
    require(url_same_origin(u, &again) && !strcmp(u->path, again.path) &&
            !strcmp(u->query, again.query));
    require(url_resolve(u, buf_str(&b), &next, NULL) == 0);
    require(url_same_origin(u, &next) && !strcmp(u->path, next.path));

    net_policy_judge(p, &u->host, u->port, "GET", u->path);
    net_policy_somewhere(p, &u->host);
    struct net_policy wide = { 0 };
    require(net_policy_parse(STR("allow *:*"), &wide, NULL) == 0);
    if (u->host.is_address && net_address_special(&u->host.address))
        require(!net_policy_address(&wide, &u->host, &u->host.address,
                                    u->port).allow);
    net_policy_free(&wide);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    struct str rules = { (const char *)data, nul ? (size_t)(nul - data) : size };
    struct str text = { (const char *)data + rules.len + (nul != NULL),
                        size - rules.len - (nul != NULL) };
    struct net_policy p = { 0 };
    struct url u = { 0 };
    struct err e = { 0 };
    if (net_policy_parse(rules, &p, &e) < 0)
        require(!p.rule && e.msg[0]);
    else
        check_rules(&p);
    if (url_parse(text, &u, &e) == 0)
        check_url(&p, &u);
    url_free(&u);
    net_policy_free(&p);
    return 0;
}
