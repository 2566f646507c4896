/* egress/policy.c -- which hosts a run may talk to: reading the rules and
 * judging by them.
 * SPDX-License-Identifier: MIT */
#include "egress/policy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 20, WORDS_MAX = 4, SHOWN = 80 };

#define SHOW(s) (int)((s).len < SHOWN ? (s).len : SHOWN), (s).at

static int is_blank(char c) { return c == ' ' || c == '\t'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static struct str from(struct str s, size_t at)
{
    return (struct str){ s.at + at, s.len - at };
}

/* ---- hosts ---------------------------------------------------------------------- */

static int check_letters(struct str s, struct err *e)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.at[i];
        if ((unsigned char)c >= 0x80)
            return err_set(e, -EINVAL, "a host outside of ASCII: write it in "
                           "punycode (xn--...)");
        if (!is_digit(c) && !(c >= 'a' && c <= 'z') && c != '-' && c != '_' &&
            c != '.')
            return err_set(e, -EINVAL, "%.*s: `%c` does not belong into the "
                           "name of a host", SHOW(s),
                           c >= ' ' && c <= '~' ? c : '?');
    }
    return 0;
}

static int check_label(struct str name, struct str label, struct err *e)
{
    if (label.len == 0)
        return err_set(e, -EINVAL, "%.*s: two dots with nothing between, or a "
                       "dot in front", SHOW(name));
    if (label.len > 63)
        return err_set(e, -EINVAL, "%.*s: a part of more than 63 letters",
                       SHOW(name));
    if (label.at[0] == '-' || label.at[label.len - 1] == '-')
        return err_set(e, -EINVAL, "%.*s: a part that starts or ends with `-`",
                       SHOW(name));
    return 0;
}

/* What inet_aton() and browsers take for a number: 127, 0x7f, 017. */
static int is_number(struct str label)
{
    size_t i = 0;
    if (label.len >= 2 && label.at[0] == '0' && label.at[1] == 'x') {
        for (i = 2; i < label.len && is_hex(label.at[i]); i++)
            ;
        return i == label.len;
    }
    while (i < label.len && is_digit(label.at[i]))
        i++;
    return i == label.len;
}

static int check_name(struct str s, struct err *e)
{
    if (s.len == 0)
        return err_set(e, -EINVAL, "no host");
    if (s.len > NET_NAME_MAX)
        return err_set(e, -EINVAL, "a host of more than %d letters",
                       NET_NAME_MAX);
    int r = check_letters(s, e);
    struct str label = { s.at, 0 };
    for (size_t i = 0; r == 0 && i <= s.len; i++) {
        if (i < s.len && s.at[i] != '.')
            continue;
        label.len = (size_t)(s.at + i - label.at);
        r = check_label(s, label, e);
        if (r == 0 && i < s.len)
            label = (struct str){ s.at + i + 1, 0 };
    }
    if (r == 0 && is_number(label))
        return err_set(e, -EINVAL, "%.*s is neither a name nor an address of "
                       "four decimal numbers", SHOW(s));
    return r;
}

void net_name_of_address(const struct net_address *a, struct net_name *out)
{
    char text[NET_ADDRESS_TEXT];
    net_address_text(a, text);
    out->is_address = 1;
    out->address = *a;
    snprintf(out->text, sizeof out->text, a->family == 6 ? "[%s]" : "%s", text);
}

int net_name_parse(struct str host, struct net_name *out, struct err *e)
{
    struct net_address a;
    if (host.len >= 2 && host.at[0] == '[' && host.at[host.len - 1] == ']') {
        struct str inner = { host.at + 1, host.len - 2 };
        if (net_address_parse(inner, &a) < 0 || a.family != 6)
            return err_set(e, -EINVAL, "%.*s is not an IPv6 address",
                           SHOW(host));
        net_name_of_address(&a, out);
        return 0;
    }
    if (net_address_parse(host, &a) == 0) {
        if (a.family == 6)
            return err_set(e, -EINVAL, "%.*s: write IPv6 addresses in brackets",
                           SHOW(host));
        net_name_of_address(&a, out);
        return 0;
    }
    if (host.len > 1 && host.at[host.len - 1] == '.')
        host.len--;
    struct net_name n = { 0 };
    struct str low = { n.text, host.len };
    for (size_t i = 0; i < host.len && i < NET_NAME_MAX; i++)
        n.text[i] = lower(host.at[i]);
    int r = check_name(low, e);
    if (r < 0)
        return r;
    *out = n;
    return 0;
}

static int is_word(struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = lower(s.at[i]);
        if (!(c >= 'a' && c <= 'z') && c != '_' && !(i && is_digit(c)))
            return 0;
    }
    return s.len > 0;
}

int net_secret_check(struct str name, struct str value, struct str host,
                     struct err *e)
{
    struct net_name n;
    struct err why = { 0 };
    if (!is_word(name))
        return err_set(e, -EINVAL, "secret %.*s: a name is made of letters, "
                       "digits and _, and starts with no digit", SHOW(name));
    if (value.len == 0)
        return err_set(e, -EINVAL, "secret %.*s has no value", SHOW(name));
    for (size_t i = 0; i < value.len; i++)
        if (value.at[i] < ' ' || value.at[i] > '~')
            return err_set(e, -EINVAL, "secret %.*s: its value holds characters "
                           "that no header can carry (a line break?)",
                           SHOW(name));
    if (host.len > 2 && host.at[0] == '*' && host.at[1] == '.')
        host = from(host, 2);
    if (net_name_parse(host, &n, &why) < 0)
        return err_set(e, -EINVAL, "secret %.*s: its host: %s", SHOW(name),
                       why.msg);
    return 0;
}

/* ---- reading rules ---------------------------------------------------------------- */

struct reader {
    struct net_policy *p;
    char              *words;     /* where the next text goes */
    struct err        *e;
};

static const char *keep(struct reader *r, struct str s)
{
    char *at = r->words;
    if (s.len)
        memcpy(at, s.at, s.len);
    at[s.len] = '\0';
    r->words += s.len + 1;
    return at;
}

static int read_port(struct str s, uint32_t *out, struct err *e)
{
    if (str_is(s, "*")) {
        *out = NET_PORT_ANY;
        return 0;
    }
    uint32_t port = 0;
    for (size_t i = 0; i < s.len && is_digit(s.at[i]) && port < 65536; i++)
        port = port * 10 + (uint32_t)(s.at[i] - '0');
    char shown[16];
    snprintf(shown, sizeof shown, "%u", port);
    if (port == 0 || port > 65535 || !str_is(s, shown))
        return err_set(e, -EINVAL, "`%.*s` is not a port: a number from 1 to "
                       "65535, or *", SHOW(s));
    *out = port;
    return 0;
}

/* Take HOST[:PORT] apart; [..] keeps its brackets. */
static int split_port(struct str s, struct str *out_host, uint32_t *out_port,
                      struct err *e)
{
    const char *colon = NULL;
    size_t start = 0;
    if (s.len && s.at[0] == '[') {
        const char *close = memchr(s.at, ']', s.len);
        if (!close)
            return err_set(e, -EINVAL, "%.*s: `[` without `]`", SHOW(s));
        start = (size_t)(close + 1 - s.at);
        if (start < s.len && s.at[start] != ':')
            return err_set(e, -EINVAL, "%.*s: after `]` only a port may come; "
                           "a range is written [fd00::/8]", SHOW(s));
    }
    for (size_t i = start; i < s.len; i++) {
        if (s.at[i] != ':')
            continue;
        if (colon)
            return err_set(e, -EINVAL, "%.*s: more than one colon; an IPv6 "
                           "address stands in brackets: [::1]:8080", SHOW(s));
        colon = s.at + i;
    }
    *out_port = NET_PORT_WEB;
    *out_host = s;
    if (!colon)
        return 0;
    out_host->len = (size_t)(colon - s.at);
    return read_port(from(s, out_host->len + 1), out_port, e);
}

static int read_range(struct str s, struct net_range *out, struct err *e)
{
    struct str whole = s;
    int six = s.len && s.at[0] == '[';
    if (six)
        s = (struct str){ s.at + 1, s.len - 2 };
    const char *slash = memchr(s.at, '/', s.len);
    struct str address = { s.at, slash ? (size_t)(slash - s.at) : s.len };
    if (net_address_parse(address, &out->from) < 0 ||
        (out->from.family == 6) != six)
        return err_set(e, -EINVAL, "%.*s is not an address%s", SHOW(whole),
                       six ? "" : " or range (10.0.0.0/8, [fd00::/8])");

    unsigned most = out->from.family == 4 ? 32 : 128, bits = 0;
    struct str n = from(s, slash ? address.len + 1 : s.len);
    for (size_t i = 0; i < n.len && is_digit(n.at[i]) && bits < 1000; i++)
        bits = bits * 10 + (unsigned)(n.at[i] - '0');
    char shown[16];
    snprintf(shown, sizeof shown, "%u", bits);
    if (slash && (bits > most || !str_is(n, shown)))
        return err_set(e, -EINVAL, "%.*s: the length of a prefix is a number "
                       "from 0 to %u", SHOW(whole), most);
    out->bits = slash ? bits : most;
    if (!net_range_is_tidy(out))
        return err_set(e, -EINVAL, "%.*s has bits past its prefix: is one "
                       "address meant, or the whole range?", SHOW(whole));
    return 0;
}

static int read_name(struct reader *r, struct str host, struct net_rule *rule)
{
    struct net_name n;
    rule->kind = NET_NAME;
    if (str_is(host, "*")) {
        rule->kind = NET_ANY;
        return 0;
    }
    if (host.len > 2 && host.at[0] == '*' && host.at[1] == '.') {
        rule->kind = NET_SUBDOMAINS;
        host = from(host, 2);
    }
    if (memchr(host.at, '*', host.len))
        return err_set(r->e, -EINVAL, "%.*s: `*` stands alone or in front, as "
                       "in *.example.com", SHOW(host));
    int got = net_name_parse(host, &n, r->e);
    if (got < 0)
        return got;
    if (n.is_address) {    /* only after `*.` */
        return err_set(r->e, -EINVAL, "%.*s: an address has no subdomains",
                       SHOW(host));
    }
    rule->host = keep(r, str_of(n.text));
    return 0;
}

static int read_host(struct reader *r, struct str word, struct net_rule *rule)
{
    struct str host;
    struct net_address a;
    for (size_t i = 0; i + 2 < word.len; i++)
        if (memcmp(word.at + i, "://", 3) == 0)
            return err_set(r->e, -EINVAL, "%.*s: a rule names a host, not a "
                           "URL: write api.example.com or api.example.com:443",
                           SHOW(word));
    if (word.len && word.at[0] != '[' && net_address_parse(word, &a) == 0 &&
        a.family == 6)
        return err_set(r->e, -EINVAL, "%.*s: write IPv6 addresses in brackets: "
                       "[::1]:8080", SHOW(word));
    int got = split_port(word, &host, &rule->port, r->e);
    if (got < 0)
        return got;
    if (host.len == 0)
        return err_set(r->e, -EINVAL, "no host");
    if (host.at[0] == '[' || memchr(host.at, '/', host.len) ||
        net_address_parse(host, &a) == 0) {
        rule->kind = NET_RANGE;
        return read_range(host, &rule->range, r->e);
    }
    return read_name(r, host, rule);
}

static int read_methods(struct reader *r, struct str s, struct net_rule *rule)
{
    size_t run = 0;
    for (size_t i = 0; i <= s.len; i++) {
        if (i == s.len || s.at[i] == ',') {
            if (run == 0)
                return err_set(r->e, -EINVAL, "methods=%.*s: a name is missing",
                               SHOW(s));
            run = 0;
        } else if ((s.at[i] >= 'A' && s.at[i] <= 'Z') || s.at[i] == '-') {
            run++;
        } else {
            return err_set(r->e, -EINVAL, "methods=%.*s: names of methods are "
                           "capital letters, with commas between: GET,POST",
                           SHOW(s));
        }
    }
    rule->methods = keep(r, s);
    return 0;
}

static int read_path(struct reader *r, struct str s, struct net_rule *rule)
{
    if (s.len == 0 || s.at[0] != '/')
        return err_set(r->e, -EINVAL, "path=%.*s: a path starts with `/`",
                       SHOW(s));
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.at[i] >= 0x80 || strchr("?%\\", s.at[i]))
            return err_set(r->e, -EINVAL, "path=%.*s: plain ASCII without ?, %% "
                           "and \\; paths are compared decoded, without their "
                           "query", SHOW(s));
    rule->path = keep(r, s);
    return 0;
}

static int read_option(struct reader *r, struct str s, struct net_rule *rule)
{
    static const struct {
        struct str name;
        int (*read)(struct reader *, struct str, struct net_rule *);
    } options[] = {
        { { "methods=", 8 }, read_methods }, { { "path=", 5 }, read_path },
    };
    for (size_t i = 0; i < COUNT(options); i++) {
        struct str name = options[i].name;
        if (s.len < name.len || memcmp(s.at, name.at, name.len) != 0)
            continue;
        if (i == 0 ? rule->methods != NULL : rule->path != NULL)
            return err_set(r->e, -EINVAL, "%.*s stands twice", SHOW(name));
        return options[i].read(r, from(s, name.len), rule);
    }
    return err_set(r->e, -EINVAL, "`%.*s`: after the host only methods= and "
                   "path= may come", SHOW(s));
}

/* Words of a line up to its comment; more than room is room + 1. */
static size_t words_of(struct str line, struct str *out, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; i < line.len && n <= room;) {
        if (is_blank(line.at[i])) {
            i++;
            continue;
        }
        if (line.at[i] == '#')
            break;
        size_t start = i;
        while (i < line.len && !is_blank(line.at[i]))
            i++;
        if (n < room)
            out[n] = (struct str){ line.at + start, i - start };
        n++;
    }
    return n;
}

static int read_words(struct reader *r, const struct str *word, size_t n,
                      struct net_rule *rule)
{
    if (!str_is(word[0], "allow") && !str_is(word[0], "deny"))
        return err_set(r->e, -EINVAL, "`%.*s`: a rule starts with allow or "
                       "deny", SHOW(word[0]));
    if (n < 2)
        return err_set(r->e, -EINVAL, "%.*s what? A host is missing",
                       SHOW(word[0]));
    if (n > WORDS_MAX)
        return err_set(r->e, -EINVAL, "too many words");
    rule->allow = str_is(word[0], "allow");
    int got = read_host(r, word[1], rule);
    for (size_t i = 2; got == 0 && i < n; i++)
        got = read_option(r, word[i], rule);
    if (got < 0)
        return got;

    rule->text = r->words;
    for (size_t i = 0; i < n; i++) {
        keep(r, word[i]);
        r->words[-1] = i + 1 < n ? ' ' : '\0';
    }
    return 0;
}

static int read_line(struct reader *r, struct str line)
{
    struct str word[WORDS_MAX];
    for (size_t i = 0; i < line.len; i++)
        if ((unsigned char)line.at[i] < ' ' && line.at[i] != '\t')
            return err_set(r->e, -EINVAL, "a control character");
    size_t n = words_of(line, word, WORDS_MAX);
    if (n == 0)
        return 0;
    if (line.len > NET_RULE_BYTES)
        return err_set(r->e, -EINVAL, "more than %d characters", NET_RULE_BYTES);
    if (r->p->rules == NET_RULES_MAX)
        return err_set(r->e, -EINVAL, "more than %d rules", NET_RULES_MAX);
    struct net_rule rule = { 0 };
    int got = read_words(r, word, n, &rule);
    if (got == 0)
        r->p->rule[r->p->rules++] = rule;
    return got;
}

static size_t count_lines(struct str text)
{
    size_t n = 1;
    for (size_t i = 0; i < text.len; i++)
        n += text.at[i] == '\n';
    return n;
}

int net_policy_parse(struct str text, struct net_policy *out, struct err *e)
{
    if (text.len > TEXT_MAX)
        return err_set(e, -EINVAL, "rules of more than %d bytes", TEXT_MAX);
    size_t lines = count_lines(text);
    size_t rows = lines < NET_RULES_MAX ? lines : NET_RULES_MAX;
    struct net_policy p = { 0 };
    struct err why = { 0 };
    p.rule = calloc(rows, sizeof *p.rule);
    p.words = malloc(2 * text.len + 8 * lines);    /* the words, and the text */
    if (!p.rule || !p.words) {
        net_policy_free(&p);
        return err_set(e, -ENOMEM, "rules: no memory");
    }
    struct reader r = { &p, p.words, &why };
    for (size_t n = 1; text.len; n++) {
        const char *lf = memchr(text.at, '\n', text.len);
        struct str line = { text.at, lf ? (size_t)(lf - text.at) : text.len };
        text = from(text, lf ? line.len + 1 : line.len);
        int got = read_line(&r, line);
        if (got < 0) {
            net_policy_free(&p);
            return lines > 1 ? err_set(e, got, "rule %zu: %s", n, why.msg)
                             : err_set(e, got, "%s", why.msg);
        }
    }
    *out = p;
    return 0;
}

void net_policy_free(struct net_policy *p)
{
    free(p->rule);
    free(p->words);
    *p = (struct net_policy){ 0 };
}
