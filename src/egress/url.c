/* egress/url.c -- the URLs that we are ready to ask for.
 * SPDX-License-Identifier: MIT */
#include "egress/url.h"
#include "wire/messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static struct str from(struct str s, size_t at)
{
    return (struct str){ s.at + at, s.len - at };
}

/* Where the first of these characters stands, or the end. */
static size_t until(struct str s, const char *stops)
{
    size_t i = 0;
    while (i < s.len && !strchr(stops, s.at[i]))
        i++;
    return i;
}

void url_free(struct url *u)
{
    free(u->path);
    free(u->query);
    *u = (struct url){ 0 };
}

/* ---- reading ---------------------------------------------------------------------- */

static int check_characters(struct str s, struct err *e)
{
    if (s.len > MAX_URL_BYTES)
        return err_set(e, -EINVAL, "a URL of more than %d bytes", MAX_URL_BYTES);
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.at[i];
        if (c <= ' ' || c >= 0x7f)
            return err_set(e, -EINVAL, "a URL with %s: escape it",
                           c == ' ' ? "a blank" : c < ' ' || c == 0x7f
                           ? "a control character" : "characters outside of ASCII");
        if (c == '\\')
            return err_set(e, -EINVAL, "a URL with a backslash");
    }
    return 0;
}

static int read_scheme(struct str *s, struct url *out, struct err *e)
{
    static const struct { struct str text; int https; uint16_t port; } known[] = {
        { { "http://", 7 }, 0, 80 }, { { "https://", 8 }, 1, 443 },
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        struct str text = known[i].text;
        if (s->len < text.len || strncasecmp(s->at, text.at, text.len) != 0)
            continue;
        out->https = known[i].https;
        out->port = known[i].port;
        *s = from(*s, text.len);
        return 0;
    }
    return err_set(e, -EINVAL, "only URLs of http:// and https:// can be "
                   "fetched");
}

static int read_port(struct str s, struct url *out, struct err *e)
{
    uint32_t port = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.at[i] < '0' || s.at[i] > '9' || port > 65535)
            return err_set(e, -EINVAL, "a URL with a port that is no number");
        port = port * 10 + (uint32_t)(s.at[i] - '0');
    }
    if (port == 0 || port > 65535)
        return err_set(e, -EINVAL, "a URL with a port that is not one of "
                       "1 to 65535");
    out->port = (uint16_t)port;
    return 0;
}

static int read_authority(struct str s, struct url *out, struct err *e)
{
    if (memchr(s.at, '@', s.len))
        return err_set(e, -EINVAL, "a URL with a user name: use the header "
                       "Authorization");
    size_t host = s.len && s.at[0] == '[' ? until(s, "]") + 1 : until(s, ":");
    if (host > s.len)
        return err_set(e, -EINVAL, "a URL with `[` but no `]`");
    struct str rest = from(s, host);
    if (rest.len && rest.at[0] != ':')
        return err_set(e, -EINVAL, "a URL with letters after its address");
    s.len = host;
    struct err why = { 0 };
    if (net_name_parse(s, &out->host, &why) < 0)
        return err_set(e, -EINVAL, "a URL with a bad host: %s", why.msg);
    return rest.len > 1 ? read_port(from(rest, 1), out, e) : 0;
}

/* Is it "." or "..", plainly or escaped? How many dots, 0: neither. */
static int dots_of(struct str part)
{
    int n = 0;
    for (size_t i = 0; i < part.len; n++) {
        if (part.at[i] == '.')
            i++;
        else if (part.len - i >= 3 && !strncasecmp(part.at + i, "%2e", 3))
            i += 3;
        else
            return 0;
    }
    return n <= 2 ? n : 0;
}

static char *plain_path(struct str s)
{
    char *out = malloc(s.len + 2);
    size_t n = 0;
    if (!out)
        return NULL;
    for (size_t at = 0; at <= s.len;) {
        struct str rest = from(s, at), part = rest;
        part.len = until(rest, "/");
        int last = part.len == rest.len, dots = dots_of(part);
        if (at > 0 && !dots) {
            out[n++] = '/';
            if (part.len)
                memcpy(out + n, part.at, part.len);
            n += part.len;
        } else if (dots == 2) {
            while (n > 0 && out[--n] != '/')
                ;
        }
        if (last && dots)
            out[n++] = '/';
        at += part.len + 1;
    }
    if (n == 0)
        out[n++] = '/';
    out[n] = '\0';
    return out;
}

int url_parse(struct str text, struct url *out, struct err *e)
{
    struct url u = { 0 };
    int r = check_characters(text, e);
    if (r == 0)
        r = read_scheme(&text, &u, e);
    if (r < 0)
        return r;
    text.len = until(text, "#");
    struct str authority = { text.at, until(text, "/?") };
    r = read_authority(authority, &u, e);
    if (r < 0)
        return r;
    text = from(text, authority.len);
    size_t path = until(text, "?");
    u.path = plain_path((struct str){ text.at, path });
    u.query = strndup(text.at + path, text.len - path);
    if (!u.path || !u.query) {
        url_free(&u);
        return err_set(e, -ENOMEM, "no memory for a URL");
    }
    *out = u;
    return 0;
}

/* ---- resolving -------------------------------------------------------------------- */

static void add_escaped(struct buf *b, struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.at[i];
        if (c > ' ' && c < 0x7f)
            buf_add(b, &s.at[i], 1);
        else if (c == ' ' || c >= 0x80)
            buf_addf(b, "%%%02X", c);
        else
            buf_add(b, "\n", 1);    /* url_parse() refuses it */
    }
}

static int has_scheme(struct str s)
{
    size_t colon = until(s, ":/?#");
    return colon > 0 && colon < s.len && s.at[colon] == ':';
}

int url_resolve(const struct url *base, struct str location, struct url *out,
                struct err *e)
{
    AUTO_BUF b;
    buf_init(&b, 4 * MAX_URL_BYTES);
    while (location.len && (location.at[0] == ' ' || location.at[0] == '\t'))
        location = from(location, 1);
    while (location.len && strchr(" \t", location.at[location.len - 1]))
        location.len--;
    char first = location.len ? location.at[0] : '\0';

    if (!has_scheme(location)) {
        if (location.len > 1 && first == '/' && location.at[1] == '/')
            buf_adds(&b, base->https ? "https:" : "http:");
        else
            url_origin(base, &b);
        if (first != '/') {
            size_t keep = strlen(base->path);
            if (first != '?' && first != '#' && first != '\0')
                keep = (size_t)(strrchr(base->path, '/') + 1 - base->path);
            buf_add(&b, base->path, keep);
            if (first == '#' || first == '\0')
                buf_adds(&b, base->query);
        }
    }
    add_escaped(&b, location);
    if (b.failed)
        return err_set(e, -EINVAL, "a redirect to a URL that is too long");
    return url_parse(buf_str(&b), out, e);
}

/* ---- writing ---------------------------------------------------------------------- */

void url_origin(const struct url *u, struct buf *b)
{
    buf_addf(b, "http%s://%s", u->https ? "s" : "", u->host.text);
    if (u->port != (u->https ? 443 : 80))
        buf_addf(b, ":%u", u->port);
}

void url_text(const struct url *u, struct buf *b)
{
    url_origin(u, b);
    buf_adds(b, u->path);
    buf_adds(b, u->query);
}

int url_same_origin(const struct url *a, const struct url *b)
{
    return a->https == b->https && a->port == b->port &&
           strcmp(a->host.text, b->host.text) == 0;
}
