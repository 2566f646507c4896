/* tests/unit/test_policy.c -- egress rules, addresses, URLs and DNS packets.
 * SPDX-License-Identifier: MIT */
#include "egress/dns.h"
#include "egress/policy.h"
#include "egress/url.h"
#include "tests/test.h"

#include <errno.h>

static struct net_policy policy_of(const char *text)
{
    struct net_policy p = { 0 };
    struct err e = { 0 };
    if (net_policy_parse(str_of(text), &p, &e) < 0)
        TEST_FAIL("rules refused: %s", e.msg);
    return p;
}

static struct net_name name_of(const char *text)
{
    struct net_name n;
    struct err e = { 0 };
    if (net_name_parse(str_of(text), &n, &e) < 0)
        TEST_FAIL("host refused: %s", e.msg);
    return n;
}

static struct net_address address_of(const char *text)
{
    struct net_address a;
    if (net_address_parse(str_of(text), &a) < 0)
        TEST_FAIL("%s is not an address", text);
    return a;
}

static int judge(const char *rules, const char *host, uint16_t port,
                 const char *method, const char *path)
{
    struct net_policy p = policy_of(rules);
    struct net_name n = name_of(host);
    int allow = net_policy_judge(&p, &n, port, method, path).allow;
    net_policy_free(&p);
    return allow;
}

/* ---- reading --------------------------------------------------------------- */

TEST(rules_that_make_no_sense_are_refused_with_a_reason)
{
    static const struct { const char *rule, *word; } rows[] = {
        { "alow api.example.com", "allow or deny" },
        { "api.example.com", "allow or deny" },
        { "allow", "host is missing" },
        { "allow https://api.example.com/", "not a URL" },
        { "allow api.example.com/v1", "not an address" },
        { "allow api.example.com:0", "not a port" },
        { "allow api.example.com:65536", "not a port" },
        { "allow api.example.com:080", "not a port" },
        { "allow api.example.com:http", "not a port" },
        { "allow api.example.com:", "not a port" },
        { "allow :80", "no host" },
        { "allow b\xc3\xbc" "cher.example", "punycode" },
        { "allow *foo.example.com", "stands alone" },
        { "allow a.*.example.com", "stands alone" },
        { "allow *.*.example.com", "stands alone" },
        { "allow *.10.0.0.1", "no subdomains" },
        { "allow ::1", "brackets" },
        { "allow ::1:8080", "brackets" },
        { "allow fd00::/8", "brackets" },
        { "allow [::1", "without `]`" },
        { "allow [::1]8080", "only a port" },
        { "allow [10.0.0.1]", "not an address" },
        { "allow [fe80::1%eth0]", "not an address" },
        { "allow 10.1.2.3/8", "bits past its prefix" },
        { "allow 10.0.0.0/33", "length of a prefix" },
        { "allow 10.0.0.0/08", "length of a prefix" },
        { "allow 10.0.0.0/", "length of a prefix" },
        { "allow 0x7f.1", "neither a name nor an address" },
        { "allow 2130706433", "neither a name nor an address" },
        { "allow 017700000001", "neither a name nor an address" },
        { "allow 127.1", "neither a name nor an address" },
        { "allow 127.0.0.01", "neither a name nor an address" },
        { "allow a..example.com", "two dots" },
        { "allow .example.com", "two dots" },
        { "allow -a.example.com", "starts or ends with" },
        { "allow a b", "only methods= and path=" },
        { "allow a methods=get", "capital letters" },
        { "allow a methods=GET,,PUT", "is missing" },
        { "allow a methods=", "is missing" },
        { "allow a path=v1", "starts with `/`" },
        { "allow a path=/a%20b", "compared decoded" },
        { "allow a methods=GET methods=PUT", "stands twice" },
        { "allow user@a", "does not belong" },
        { "allow a\001", "control character" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct net_policy p = { 0 };
        struct err e = { 0 };
        int r = net_policy_parse(str_of(rows[i].rule), &p, &e);
        if (r != -EINVAL || !strstr(e.msg, rows[i].word))
            TEST_FAIL("%s: %d, \"%s\", not about \"%s\"", rows[i].rule, r,
                      e.msg, rows[i].word);
    }
}

TEST(an_error_names_its_line)
{
    struct net_policy p = { 0 };
    struct err e = { 0 };
    CHECK_INT(net_policy_parse(STR("# head\n\nallow a\nallow b c\n"), &p, &e),
              -EINVAL);
    CHECK(strstr(e.msg, "rule 4: "));
}

TEST(rules_keep_their_text)
{
    struct net_policy p = policy_of("\n  allow\tAPI.Example.COM.:8443   "
                                    "methods=GET,PUT path=/v1** # why\n"
                                    "deny  *.example.com\nallow [fd00::/8]:*");
    CHECK_INT(p.rules, 3);
    CHECK_TEXT(p.rule[0].text,
               "allow API.Example.COM.:8443 methods=GET,PUT path=/v1**");
    CHECK_TEXT(p.rule[0].host, "api.example.com");
    CHECK_INT(p.rule[0].port, 8443);
    CHECK_TEXT(p.rule[1].host, "example.com");
    CHECK_INT(p.rule[2].port, NET_PORT_ANY);
    CHECK_INT(p.rule[2].range.bits, 8);
    net_policy_free(&p);
}

TEST(too_many_rules_are_refused)
{
    static char text[NET_RULES_MAX * 8 + 64];
    struct net_policy p = { 0 };
    for (int i = 0; i < NET_RULES_MAX; i++)
        memcpy(text + i * 8, "allow a\n", 8);
    CHECK_INT(net_policy_parse(str_of(text), &p, NULL), 0);
    net_policy_free(&p);
    memcpy(text + NET_RULES_MAX * 8, "allow b\n", 8);
    CHECK_INT(net_policy_parse(str_of(text), &p, NULL), -EINVAL);
}

/* ---- judging ------------------------------------------------------------------ */

TEST(names_match_as_the_rules_say)
{
    static const struct { const char *rules, *host; int port, allow; } rows[] = {
        { "", "a.com", 443, 0 },
        { "allow a.com", "a.com", 443, 1 },
        { "allow a.com", "a.com", 80, 1 },
        { "allow a.com", "a.com", 8080, 0 },
        { "allow a.com", "A.COM.", 443, 1 },
        { "allow a.com", "b.a.com", 443, 0 },
        { "allow a.com", "xa.com", 443, 0 },
        { "allow a.com:8080", "a.com", 8080, 1 },
        { "allow a.com:8080", "a.com", 443, 0 },
        { "allow a.com:*", "a.com", 22, 1 },
        { "allow *.a.com", "b.a.com", 443, 1 },
        { "allow *.a.com", "c.b.a.com", 443, 1 },
        { "allow *.a.com", "a.com", 443, 0 },
        { "allow *.a.com", "xa.com", 443, 0 },
        { "allow *.a.com", "a.com.evil.com", 443, 0 },
        { "allow *", "anything.example", 443, 1 },
        { "allow *", "8.8.8.8", 443, 1 },
        { "allow *.com", "8.8.8.8", 443, 0 },
        { "allow 8.8.8.8", "8.8.8.8", 443, 1 },
        { "allow 8.8.0.0/16", "8.8.1.1", 443, 1 },
        { "allow 8.8.0.0/16", "8.9.1.1", 443, 0 },
        { "allow 8.8.0.0/16", "dns.google", 443, 0 },
        { "allow [2606:4700::/32]:*", "[2606:4700::1]", 53, 1 },
        { "allow [2606:4700::/32]:*", "[2606:4701::1]", 53, 0 },
        { "allow *\ndeny b.com", "b.com", 443, 0 },
        { "deny b.com\nallow *", "b.com", 443, 1 },
        { "allow *.a.com\ndeny x.a.com\nallow x.a.com:80", "x.a.com", 80, 1 },
        { "allow *.a.com\ndeny x.a.com\nallow x.a.com:80", "x.a.com", 443, 0 },
        { "allow _dmarc.a.com", "_dmarc.a.com", 443, 1 },
        { "allow xn--bcher-kva.example", "xn--bcher-kva.example", 443, 1 },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (judge(rows[i].rules, rows[i].host, (uint16_t)rows[i].port, NULL,
                  NULL) != rows[i].allow)
            TEST_FAIL("row %zu: %s: %s:%d", i, rows[i].rules, rows[i].host,
                      rows[i].port);
}

TEST(methods_and_paths_match_requests)
{
    static const struct {
        const char *rules, *method, *path; int allow;
    } rows[] = {
        { "allow a methods=GET", "GET", "/", 1 },
        { "allow a methods=GET", "POST", "/", 0 },
        { "allow a methods=GET,POST", "POST", "/", 1 },
        { "allow a methods=GETS", "GET", "/", 0 },
        { "allow a path=/v1/**", "GET", "/v1/x/y", 1 },
        { "allow a path=/v1/**", "GET", "/v1/", 1 },
        { "allow a path=/v1/**", "GET", "/v1", 0 },
        { "allow a path=/v1/*", "GET", "/v1/x", 1 },
        { "allow a path=/v1/*", "GET", "/v1/x/y", 0 },
        { "allow a path=/*/b", "GET", "/x/b", 1 },
        { "allow a path=/*/b", "GET", "/x/y/b", 0 },
        { "allow a path=/**/b", "GET", "/x/y/b", 1 },
        { "allow a path=/**/b*d", "GET", "/b/bx/bcd", 1 },
        { "allow a path=/**/b*d", "GET", "/b/bx/bc/d", 0 },
        { "allow a path=/*.json", "GET", "/x.json.json", 1 },
        { "allow a path=/v1/**", "GET", "/v%31/x", 1 },
        { "allow a path=/v1/**", "GET", "//v1//x", 1 },
        /* servers disagree about these: not allowed by a path ... */
        { "allow a path=/v1/**", "GET", "/v1/..%2fadmin", 0 },
        { "allow a path=/v1/**", "GET", "/v1/%2e%2e/admin", 0 },
        { "allow a path=/v1/**", "GET", "/v1/..;/admin", 0 },
        { "allow a path=/v1/**", "GET", "/v1/%252e%252e/admin", 0 },
        { "allow a path=/v1/**", "GET", "/v1/x%00", 0 },
        { "allow a path=/v1/**", "GET", "/v1/x%5cy", 0 },
        { "allow a path=/v1/**", "GET", "/v1/%zz", 0 },
        /* ... and denied by one */
        { "allow a\ndeny a path=/admin**", "GET", "/%2fadmin", 0 },
        { "allow a\ndeny a path=/admin**", "GET", "/admin/x", 0 },
        { "allow a\ndeny a path=/admin**", "GET", "//admin/x", 0 },
        { "allow a\ndeny a path=/admin**", "GET", "/%61dmin/x", 0 },
        { "allow a\ndeny a path=/admin**", "GET", "/public", 1 },
        { "allow a\ndeny a methods=DELETE", "DELETE", "/", 0 },
        { "allow a\ndeny a methods=DELETE", "GET", "/", 1 },
        /* nobody can see into a connection */
        { "allow a methods=GET", NULL, NULL, 0 },
        { "allow a path=/v1/**", NULL, NULL, 0 },
        { "allow a\ndeny a methods=DELETE", NULL, NULL, 0 },
        { "deny a methods=DELETE\nallow a", NULL, NULL, 1 },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (judge(rows[i].rules, "a", 443, rows[i].method, rows[i].path) !=
            rows[i].allow)
            TEST_FAIL("row %zu: %s: %s", i, rows[i].rules, rows[i].path);
}

TEST(somewhere_looks_at_every_port)
{
    static const struct { const char *rules; int allow; } rows[] = {
        { "", 0 }, { "allow a", 1 }, { "allow a:9000", 1 }, { "allow a:*", 1 },
        { "allow a:9000\ndeny a", 1 }, { "allow a:9000\ndeny a:*", 0 },
        { "allow a:*\ndeny a", 1 }, { "allow a methods=GET", 0 },
        { "allow b", 0 }, { "deny a", 0 },
    };
    struct net_name a = name_of("a");
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct net_policy p = policy_of(rows[i].rules);
        if (net_policy_somewhere(&p, &a).allow != rows[i].allow)
            TEST_FAIL("%s", rows[i].rules);
        net_policy_free(&p);
    }
}

TEST(a_verdict_names_its_rule)
{
    struct net_policy p = policy_of("allow *\ndeny  b.com");
    struct net_name b = name_of("b.com");
    struct net_verdict v = net_policy_judge(&p, &b, 443, NULL, NULL);
    CHECK_TEXT(net_verdict_rule(&v), "deny b.com");
    v = net_policy_judge(&p, &b, 9, NULL, NULL);
    CHECK_TEXT(net_verdict_rule(&v), "default");
    net_policy_free(&p);
}

/* ---- addresses ------------------------------------------------------------------ */

static const char *const special[] = {
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1",
    "100.127.255.255", "100.100.100.200", "127.0.0.1", "127.255.255.254",
    "169.254.169.254", "169.254.170.2", "169.254.0.1", "168.63.129.16",
    "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1",
    "192.88.99.1", "192.168.0.1", "192.168.255.255", "198.18.0.1",
    "198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1",
    "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::2", "::7f00:1", "::127.0.0.1", "::8.8.8.8",
    "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:7f00:1",
    "::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8", "64:ff9b::7f00:1",
    "64:ff9b::8.8.8.8", "64:ff9b:1::1", "64:ff9b:1:ffff::10.0.0.1",
    "100::1", "2001::1", "2001:0:7f00:1::", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:10::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::1",
    "2a00:1450:4001::5efe:127.0.0.1", "2a00:1450:4001::200:5efe:10.0.0.1",
    "3fff::1", "4000::1", "5f00::1", "8000::1", "fc00::1", "fd00:ec2::254",
    "fd20:ce::254", "fdff::1", "fe80::1", "fe80::5efe:10.0.0.1", "febf::1",
    "fec0::1", "ff02::1", "ffff::1",
};

static const char *const ordinary[] = {
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255",
    "100.128.0.0", "126.255.255.255", "128.0.0.0", "169.253.255.255",
    "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255",
    "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255",
    "198.20.0.0", "223.255.255.255", "2606:4700:4700::1111",
    "2a00:1450:4001:80b::200e", "2001:4860:4860::8888", "2003::1", "3ffe::1",
};

TEST(special_addresses_are_denied_above_all_rules)
{
    static const char *const wide[] = {
        "allow *:*", "allow 0.0.0.0/0:*\nallow [::/0]:*\nallow *:*",
        ("allow 0.0.0.0/1:*\nallow 128.0.0.0/1:*\nallow [::/1]:*\n"
         "allow [8000::/1]:*\nallow *:*"),
        "allow evil.example:*\nallow localhost:*",
    };
    struct net_name evil = name_of("evil.example");
    for (size_t w = 0; w < COUNT(wide); w++) {
        struct net_policy p = policy_of(wide[w]);
        for (size_t i = 0; i < COUNT(special); i++) {
            struct net_address a = address_of(special[i]);
            struct net_verdict v = net_policy_address(&p, &evil, &a, 443);
            if (v.allow || !v.why)
                TEST_FAIL("%s is allowed by %s", special[i], wide[w]);
        }
        for (size_t i = 0; i < COUNT(ordinary); i++) {
            struct net_address a = address_of(ordinary[i]);
            if (!net_policy_address(&p, &evil, &a, 443).allow)
                TEST_FAIL("%s is denied by %s", ordinary[i], wide[w]);
        }
        net_policy_free(&p);
    }
}

TEST(a_rule_for_the_very_address_opens_it)
{
    struct net_name evil = name_of("evil.example");
    for (size_t i = 0; i < COUNT(special); i++) {
        char rules[160];
        int six = strchr(special[i], ':') != NULL;
        snprintf(rules, sizeof rules, "allow %s%s%s:443\nallow *:443",
                 six ? "[" : "", special[i], six ? "]" : "");
        struct net_policy p = policy_of(rules);
        struct net_address a = address_of(special[i]);
        if (!net_policy_address(&p, &evil, &a, 443).allow)
            TEST_FAIL("%s is not opened by its own rule", special[i]);
        if (net_policy_address(&p, &evil, &a, 80).allow)
            TEST_FAIL("%s is opened on another port", special[i]);
        net_policy_free(&p);
    }
}

TEST(ranges_open_what_they_name_and_no_more)
{
    static const struct { const char *rules, *host, *address; int allow; } rows[] = {
        { "allow 10.0.0.0/8\nallow a", "a", "10.1.2.3", 1 },
        { "allow 10.1.0.0/16\nallow a", "a", "10.1.2.3", 1 },
        { "allow 10.1.0.0/16\nallow a", "a", "10.2.2.3", 0 },
        { "allow 8.0.0.0/5\nallow a", "a", "10.1.2.3", 0 },
        { "allow 10.0.0.0/8\ndeny 10.1.2.3\nallow a", "a", "10.1.2.3", 0 },
        { "deny 10.1.2.3\nallow 10.0.0.0/8\nallow a", "a", "10.1.2.3", 1 },
        { "allow 169.254.0.0/16\nallow a", "a", "169.254.1.1", 1 },
        { "allow 169.254.0.0/16\nallow a", "a", "169.254.169.254", 0 },
        { "allow 169.254.169.254\nallow a", "a", "169.254.169.254", 1 },
        { "allow [fc00::/7]\nallow a", "a", "fd00::1", 1 },
        { "allow [fc00::/7]\nallow a", "a", "fd00:ec2::254", 0 },
        { "allow [64:ff9b::/96]\nallow a", "a", "64:ff9b::8.8.8.8", 1 },
        { "allow 127.0.0.1\nallow a", "a", "::ffff:127.0.0.1", 0 },
        { "allow 127.0.0.1\nallow a", "a", "127.0.0.1", 1 },
        { "allow localhost", "localhost", "127.0.0.1", 1 },
        { "allow localhost", "localhost", "::1", 1 },
        { "allow localhost", "localhost", "10.0.0.1", 0 },
        { "allow localhost\ndeny localhost", "localhost", "127.0.0.1", 0 },
        { "allow localhost\nallow a", "a", "127.0.0.1", 0 },
        { "allow *", "localhost", "127.0.0.1", 0 },
        { "allow *.localhost", "a.localhost", "127.0.0.1", 0 },
        { "allow *", "127.0.0.1", "127.0.0.1", 0 },
        { "allow 127.0.0.1", "127.0.0.1", "127.0.0.1", 1 },
        /* rules about ordinary addresses count for names, too */
        { "allow a\ndeny 8.8.8.0/24", "a", "8.8.8.8", 0 },
        { "deny 8.8.8.0/24\nallow a", "a", "8.8.8.8", 1 },
        { "allow a methods=GET", "a", "8.8.8.8", 1 },
        { "allow a\ndeny a methods=DELETE", "a", "8.8.8.8", 1 },
        { "allow 8.8.8.8\ndeny 8.8.8.8 methods=PUT", "8.8.8.8", "8.8.8.8", 1 },
        { "allow a\ndeny 8.8.8.8 methods=PUT", "a", "8.8.8.8", 0 },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct net_policy p = policy_of(rows[i].rules);
        struct net_name n = name_of(rows[i].host);
        struct net_address a = address_of(rows[i].address);
        if (net_policy_address(&p, &n, &a, 443).allow != rows[i].allow)
            TEST_FAIL("row %zu: %s: %s -> %s", i, rows[i].rules, rows[i].host,
                      rows[i].address);
        net_policy_free(&p);
    }
}

TEST(odd_spellings_of_hosts_are_refused)
{
    static const char *const odd[] = {
        "", ".", "..", "a..b", ".a", "a b", "a\nb", "a/b", "a@b", "a:b", "a%62",
        "0x7f.1", "0x7f000001", "2130706433", "017700000001", "127.1", "127.0.1",
        "0177.0.0.1", "127.0.0.0x1", "1.2.3.4.5", "a.1", "a.0x1f", "256.1.1.1",
        "127.0.0.1.", "::1", "[::1", "[127.0.0.1]", "[::1%lo]", "[]", "-a", "a-",
        "\xe2\x91\xa0", "a\xff",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.com",
    };
    for (size_t i = 0; i < COUNT(odd); i++) {
        struct net_name n;
        if (net_name_parse(str_of(odd[i]), &n, NULL) == 0)
            TEST_FAIL("%s is taken for %s", odd[i], n.text);
    }
    char longest[260];
    memset(longest, 'a', sizeof longest);
    for (size_t i = 49; i < sizeof longest; i += 50)
        longest[i] = '.';
    struct net_name n;
    CHECK_INT(net_name_parse((struct str){ longest, 253 }, &n, NULL), 0);
    CHECK_INT(net_name_parse((struct str){ longest, 254 }, &n, NULL), -EINVAL);
    CHECK_INT(net_name_parse((struct str){ "a\0b", 3 }, &n, NULL), -EINVAL);
}

TEST(ports_and_routes_for_a_namespace)
{
    struct net_policy p = policy_of("allow a\nallow b:8080\ndeny c:9\n"
                                    "allow 10.1.2.3:8080\nallow 127.0.0.1:3000\n"
                                    "allow 10.1.2.3:81\nallow 10.0.0.0/8:*");
    uint16_t port[16];
    uint32_t route[16];
    size_t ports, routes;
    CHECK_INT(net_policy_ports(&p, port, 16, &ports, NULL), 0);
    CHECK_INT(ports, 5);
    CHECK_INT(port[0], 80);
    CHECK_INT(port[1], 81);
    CHECK_INT(port[2], 443);
    CHECK_INT(port[3], 3000);
    CHECK_INT(port[4], 8080);
    CHECK_INT(net_policy_routes(&p, route, 16, &routes, NULL), 0);
    CHECK_INT(routes, 1);
    CHECK_INT(route[0], 0x0a010203);
    CHECK_INT(net_policy_ports(&p, port, 4, &ports, NULL), -E2BIG);
    net_policy_free(&p);
    p = policy_of("allow 1.1.1.1\nallow 1.1.1.2");
    CHECK_INT(net_policy_routes(&p, route, 1, &routes, NULL), -E2BIG);
    net_policy_free(&p);
}

TEST(secrets_are_checked)
{
    struct err e = { 0 };
    CHECK_INT(net_secret_check(STR("KEY_1"), STR("v"), STR("*.a.com"), &e), 0);
    CHECK_INT(net_secret_check(STR("1KEY"), STR("v"), STR("a.com"), &e), -EINVAL);
    CHECK_INT(net_secret_check(STR(""), STR("v"), STR("a.com"), &e), -EINVAL);
    CHECK_INT(net_secret_check(STR("K"), STR(""), STR("a.com"), &e), -EINVAL);
    CHECK_INT(net_secret_check(STR("K"), STR("s3cret\n"), STR("a"), &e), -EINVAL);
    CHECK(!strstr(e.msg, "s3cret"));
    CHECK_INT(net_secret_check(STR("K"), STR("v"), STR("a b"), &e), -EINVAL);
    CHECK_INT(net_secret_check(STR("K"), STR("v"), STR("*"), &e), -EINVAL);
}

/* ---- URLs -------------------------------------------------------------------------- */

static const char *resolved(const char *base, const char *location)
{
    static char text[512];
    AUTO_URL b = { 0 };
    AUTO_URL u = { 0 };
    AUTO_BUF out;
    buf_init(&out, 500);
    CHECK_INT(url_parse(str_of(base), &b, NULL), 0);
    struct err e = { 0 };
    if (url_resolve(&b, str_of(location), &u, &e) < 0)
        return "refused";
    url_text(&u, &out);
    snprintf(text, sizeof text, "%.*s", (int)out.len, out.at);
    return text;
}

TEST(urls_are_read_strictly_and_written_anew)
{
    static const struct { const char *in, *out; } rows[] = {
        { "http://a", "http://a/" },
        { "HTTPS://A.Com:443/x", "https://a.com/x" },
        { "http://a:8080/x?y#z", "http://a:8080/x?y" },
        { "http://a?q=/../x", "http://a/?q=/../x" },
        { "http://a/b/../c/./d", "http://a/c/d" },
        { "http://a/b/%2e%2E/c", "http://a/c" },
        { "http://a/../../x", "http://a/x" },
        { "http://a/b/..", "http://a/" },
        { "http://a/b/.", "http://a/b/" },
        { "http://a//b//", "http://a//b//" },
        { "http://a/...", "http://a/..." },
        { "http://[::1]:80/", "http://[::1]/" },
        { "http://[0:0::1]/", "http://[::1]/" },
        { "http://127.0.0.1:81/", "http://127.0.0.1:81/" },
        { "http://a.:80/", "http://a/" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_URL u = { 0 };
        AUTO_BUF b;
        buf_init(&b, 500);
        CHECK_INT(url_parse(str_of(rows[i].in), &u, NULL), 0);
        url_text(&u, &b);
        buf_add(&b, "", 1);
        CHECK_TEXT(b.at, rows[i].out);
    }
}

TEST(bad_urls_are_refused)
{
    static const char *const bad[] = {
        "", "a", "/x", "//a/", "ftp://a/", "file:///etc/passwd", "http:/a",
        "http:a", "http://", "http:///x", "http://:80/", "http://a:0/",
        "http://a:65536/", "http://a:99999999999/", "http://a:8o/", "http://a b/",
        "http://u@a/", "http://u:p@a/", "http://a@b@c/", "http://a\r\nX: y/",
        "http://a/\r\nHost: b", "http://a/\x7f", "http://a/\xc3\xa9",
        "http://a\\@b/", "http://a/\\b", "http://0x7f.1/", "http://2130706433/",
        "http://127.1/", "http://[::1", "http://[::1]x/", "http://[127.0.0.1]/",
        "http://a%2eb/", "javascript:alert(1)", "http://\xe2\x91\xa0.com/",
        "gopher://a/", "http+unix://a/", "dict://a:11211/",
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct url u = { 0 };
        if (url_parse(str_of(bad[i]), &u, NULL) == 0)
            TEST_FAIL("%s is taken", bad[i]);
    }
}

TEST(redirects_are_resolved)
{
    static const struct { const char *base, *to, *out; } rows[] = {
        { "http://a/b/c?d", "e", "http://a/b/e" },
        { "http://a/b/c?d", "/e?f", "http://a/e?f" },
        { "http://a/b/c?d", "?f", "http://a/b/c?f" },
        { "http://a/b/c?d", "#f", "http://a/b/c?d" },
        { "http://a/b/c?d", "", "http://a/b/c?d" },
        { "http://a/b/c", "../../../x", "http://a/x" },
        { "http://a/b/c", "//x/y", "http://x/y" },
        { "https://a/b/c", "//x/y", "https://x/y" },
        { "http://a:81/b", "/x", "http://a:81/x" },
        { "http://a/b", " https://x:8443/y z\xc3\xa9 ",
          "https://x:8443/y%20z%C3%A9" },
        { "http://a/b", "file:///etc/passwd", "refused" },
        { "http://a/b", "data:text/plain,x", "refused" },
        { "http://a/b", "/\\evil", "refused" },
        { "http://a/b", "http://u:p@x/", "refused" },
        { "http://a/b", "/x\r\nY: z", "refused" },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        CHECK_TEXT(resolved(rows[i].base, rows[i].to), rows[i].out);
}

/* ---- DNS ----------------------------------------------------------------------------- */

static const uint8_t question[] =
    "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"
    "\x03" "aPi\x07" "example\x03" "com\x00\x00\x01\x00\x01";

TEST(a_question_is_read)
{
    struct dns_question q;
    CHECK_INT(dns_read_question(question, sizeof question - 1, &q), 0);
    CHECK_INT(q.id, 0x1234);
    CHECK_INT(q.type, DNS_A);
    CHECK_TEXT(q.name, "api.example.com");
    for (size_t n = 0; n < sizeof question - 1; n++)
        CHECK(dns_read_question(question, n, &q) < 0);
}

TEST(odd_questions_are_refused)
{
    static const struct { size_t at; uint8_t value; int result; } rows[] = {
        { 2, 0x81, -EINVAL },         /* an answer */
        { 2, 0x11, -EOPNOTSUPP },     /* another opcode */
        { 5, 0, -EBADMSG }, { 5, 2, -EBADMSG },       /* questions */
        { 7, 1, -EBADMSG }, { 9, 1, -EBADMSG },       /* answers in a question */
        { 11, 1, -EBADMSG }, { 10, 1, -EBADMSG },     /* records that are not there */
        { 12, 0xc0, -EBADMSG }, { 16, 0xc0, -EBADMSG },    /* pointers */
        { 12, 64, -EBADMSG }, { 12, 0x80, -EBADMSG },
        { 13, '.', -EBADMSG }, { 13, 0, -EBADMSG }, { 13, ' ', -EBADMSG },
        { 13, 0xff, -EBADMSG },
        { 32, 3, -EOPNOTSUPP },       /* class chaos */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t packet[sizeof question - 1];
        struct dns_question q;
        memcpy(packet, question, sizeof packet);
        packet[rows[i].at] = rows[i].value;
        int r = dns_read_question(packet, sizeof packet, &q);
        if (r != rows[i].result)
            TEST_FAIL("row %zu: %d, not %d", i, r, rows[i].result);
    }
    uint8_t more[sizeof question];
    struct dns_question q;
    memcpy(more, question, sizeof more);
    CHECK_INT(dns_read_question(more, sizeof more, &q), -EBADMSG);
    static uint8_t large[600];
    CHECK_INT(dns_read_question(large, sizeof large, &q), -EINVAL);
}

TEST(an_answer_is_what_our_own_reader_takes)
{
    static const uint8_t ip[4] = { 198, 18, 0, 7 };
    uint8_t asked[DNS_PACKET], answer[DNS_PACKET];
    struct dns_question q;
    struct net_address found[4];
    size_t n = dns_write_question(77, "api.example.com", DNS_A, asked);
    CHECK_INT(dns_read_question(asked, n, &q), 0);
    CHECK_TEXT(q.name, "api.example.com");

    size_t m = dns_write_answer(asked, &q, DNS_NOERROR, ip, 60, answer);
    CHECK_INT(dns_read_answer(answer, m, 77, "api.example.com", DNS_A, found, 4), 1);
    CHECK(!memcmp(found[0].at, ip, 4));
    CHECK_INT(dns_read_answer(answer, m, 78, "api.example.com", DNS_A, found, 4),
              -EINVAL);
    CHECK_INT(dns_read_answer(answer, m, 77, "evil.example.com", DNS_A, found, 4),
              -EINVAL);
    CHECK_INT(dns_read_answer(answer, m, 77, "api.example.com", DNS_AAAA, found, 4),
              -EINVAL);
    for (size_t i = 0; i < m; i++)
        CHECK(dns_read_answer(answer, i, 77, "api.example.com", DNS_A, found, 4) < 0);
    m = dns_write_answer(asked, &q, DNS_NXDOMAIN, NULL, 0, answer);
    CHECK_INT(dns_read_answer(answer, m, 77, "api.example.com", DNS_A, found, 4),
              -ENOENT);
    m = dns_write_answer(asked, &q, DNS_NOERROR, NULL, 0, answer);
    CHECK_INT(dns_read_answer(answer, m, 77, "api.example.com", DNS_A, found, 4), 0);
}

/* head, question a A, then records */
#define ANSWER(count) "\x00\x07\x81\x80\x00\x01\x00" count "\x00\x00\x00\x00"   \
                      "\x01" "a\x00\x00\x01\x00\x01"
#define TAIL "\x00\x00\x00\x3c"

TEST(aliases_are_followed_and_loops_end)
{
    static const uint8_t alias[] = ANSWER("\x02")
        "\xc0\x0c\x00\x05\x00\x01" TAIL "\x00\x03\x01" "b\x00"
        "\x01" "b\x00\x00\x01\x00\x01" TAIL "\x00\x04\x01\x02\x03\x04";
    static const uint8_t loop[] = ANSWER("\x02")
        "\xc0\x0c\x00\x05\x00\x01" TAIL "\x00\x03\x01" "b\x00"
        "\x01" "b\x00\x00\x05\x00\x01" TAIL "\x00\x02\xc0\x0c";
    static const uint8_t stranger[] = ANSWER("\x01")
        "\x01" "b\x00\x00\x01\x00\x01" TAIL "\x00\x04\x01\x02\x03\x04";
    static const uint8_t self[] = ANSWER("\x01")
        "\xc0\x13\x00\x01\x00\x01" TAIL "\x00\x04\x01\x02\x03\x04";
    static const uint8_t short_one[] = ANSWER("\x01")
        "\xc0\x0c\x00\x01\x00\x01" TAIL "\x00\x03\x01\x02\x03";
    struct net_address found[4];
    CHECK_INT(dns_read_answer(alias, sizeof alias - 1, 7, "a", DNS_A, found, 4), 1);
    CHECK_INT(found[0].at[3], 4);
    CHECK_INT(dns_read_answer(loop, sizeof loop - 1, 7, "a", DNS_A, found, 4),
              -EINVAL);
    CHECK_INT(dns_read_answer(stranger, sizeof stranger - 1, 7, "a", DNS_A,
                              found, 4), 0);
    CHECK_INT(dns_read_answer(self, sizeof self - 1, 7, "a", DNS_A, found, 4),
              -EINVAL);
    CHECK_INT(dns_read_answer(short_one, sizeof short_one - 1, 7, "a", DNS_A,
                              found, 4), 0);
}
