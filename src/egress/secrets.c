/* egress/secrets.c -- values that a guest may use but never see.
 *
 * The guest holds the text glovebox-secret:NAME and puts it into a header. The
 * value takes its place here, on the way to the one host it is bound to, and is
 * struck out of what that host sends back. It stands in no message of ours.
 *
 * SPDX-License-Identifier: MIT */
#include "egress/inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t name_length(struct str s)
{
    size_t n = 0;
    while (n < s.len && (is_letter(s.at[n]) ||
                         (n && s.at[n] >= '0' && s.at[n] <= '9')))
        n++;
    return n;
}

/* ---- the table ------------------------------------------------------------------- */

static char *host_text(struct str host)
{
    struct net_name n = { 0 };
    int below = host.len > 2 && host.at[0] == '*';
    AUTO_BUF b;
    buf_init(&b, NET_NAME_MAX + 8);
    if (below)
        host = (struct str){ host.at + 2, host.len - 2 };
    if (net_name_parse(host, &n, NULL) < 0)
        return NULL;
    buf_adds(&b, below ? "*." : "");
    buf_adds(&b, n.text);
    return b.failed ? NULL : strndup(b.at, b.len);
}

int secrets_init(struct secrets *x, const struct egress_config *c,
                 struct err *e)
{
    for (uint32_t i = 0; i < c->secrets; i++) {
        const struct egress_secret *m = &c->secret[i];
        int r = net_secret_check(m->name, m->value, m->host, e);
        if (r < 0)
            return r;
        struct secret *row = &x->row[x->n++];
        row->host = host_text(m->host);
        row->name = strndup(m->name.at, m->name.len);
        row->value = strndup(m->value.at, m->value.len);
        if (!row->host || !row->name || !row->value)
            return err_set(e, -ENOMEM, "secrets: no memory");
    }
    return 0;
}

void secrets_wipe(struct secrets *x)
{
    for (size_t i = 0; i < x->n; i++)
        if (x->row[i].value)
            explicit_bzero(x->row[i].value, strlen(x->row[i].value));
}

/* ---- filling in ------------------------------------------------------------------- */

static const char *find(struct str in, const char *what, size_t len)
{
    return len && in.len >= len ? memmem(in.at, in.len, what, len) : NULL;
}

int secrets_in(struct str value)
{
    return find(value, EGRESS_PLACEHOLDER, strlen(EGRESS_PLACEHOLDER)) != NULL;
}

static int is_bound(const struct secret *x, const struct url *to)
{
    const char *text = to->host.text;
    size_t n = strlen(text), m = strlen(x->host);
    if (x->host[0] != '*')
        return strcmp(x->host, text) == 0;
    return n > m - 1 && strcmp(text + n - (m - 1), x->host + 1) == 0;
}

/* By https, or not over a wire at all. */
static int is_private_way(const struct url *to)
{
    if (to->https)
        return 1;
    return to->host.is_address ? net_address_is_loopback(&to->host.address)
                               : strcmp(to->host.text, "localhost") == 0;
}

static int pick(const struct secrets *x, struct str name, const struct url *to,
                size_t *out, struct err *e)
{
    for (size_t i = 0; i < x->n; i++) {
        const struct secret *row = &x->row[i];
        if (!str_is(name, row->name))
            continue;
        if (!is_bound(row, to))
            return err_set(e, -EACCES, "secret %s is bound to %s", row->name,
                           row->host);
        if (!is_private_way(to))
            return err_set(e, -EACCES, "secret %s is sent by https only",
                           row->name);
        *out = i;
        return 0;
    }
    return err_set(e, -EACCES, "there is no secret %.*s",
                   (int)(name.len < 64 ? name.len : 64), name.at);
}

int secrets_fill(const struct secrets *x, const struct url *to,
                 struct str value, struct buf *out, uint64_t *used,
                 struct err *e)
{
    size_t mark = strlen(EGRESS_PLACEHOLDER);
    for (;;) {
        const char *at = find(value, EGRESS_PLACEHOLDER, mark);
        if (!at)
            break;
        buf_add(out, value.at, (size_t)(at - value.at));
        struct str name = { at + mark,
                            value.len - (size_t)(at + mark - value.at) };
        name.len = name_length(name);
        size_t which = 0;
        int r = pick(x, name, to, &which, e);
        if (r < 0)
            return r;
        *used |= (uint64_t)1 << which;
        buf_adds(out, x->row[which].value);
        const char *end = value.at + value.len;
        value = (struct str){ name.at + name.len,
                              (size_t)(end - (name.at + name.len)) };
    }
    buf_add(out, value.at, value.len);
    return out->failed;
}

/* ---- striking out ------------------------------------------------------------------- */

void secrets_strike(const struct secrets *x, uint64_t used, char *at, size_t len)
{
    for (size_t i = 0; i < x->n; i++) {
        if (!(used >> i & 1))
            continue;
        size_t n = strlen(x->row[i].value);
        struct str rest = { at, len };
        const char *hit;
        while ((hit = find(rest, x->row[i].value, n))) {
            memset(at + (hit - at), '*', n);
            rest = (struct str){ hit + n, len - (size_t)(hit + n - at) };
        }
    }
}

size_t secrets_longest(const struct secrets *x, uint64_t used)
{
    size_t most = 0;
    for (size_t i = 0; i < x->n; i++) {
        size_t n = used >> i & 1 ? strlen(x->row[i].value) : 0;
        most = n > most ? n : most;
    }
    return most;
}
