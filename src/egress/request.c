/* egress/request.c -- which headers go out, and with which secrets.
 * SPDX-License-Identifier: MIT */
#include "egress/fetch.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* Ours to say, or about the connection and not about the request. */
static const char *const never[] = {
    "accept-encoding", "connection", "content-length", "expect", "host",
    "http2-settings", "keep-alive", "te", "trailer", "transfer-encoding",
    "upgrade", "via",
};
/* About a body that a redirect leaves behind. */
static const char *const of_body[] = {
    "content-encoding", "content-language", "content-location", "content-type",
};
/* Told to one origin only. */
static const char *const private_to_origin[] = {
    "authorization", "cookie",
};

static int is_one_of(struct str name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(list[i]) == name.len &&
            strncasecmp(list[i], name.at, name.len) == 0)
            return 1;
    return 0;
}

static int is_proxys(struct str name)
{
    return name.len >= 6 && strncasecmp(name.at, "proxy-", 6) == 0;
}

int request_keep_headers(struct buf *out, struct str headers, int across,
                         int drop_body)
{
    struct str name, value;
    int r;
    while ((r = header_next(&headers, &name, &value)) > 0) {
        if (is_one_of(name, never, COUNT(never)) || is_proxys(name))
            continue;
        if (drop_body && is_one_of(name, of_body, COUNT(of_body)))
            continue;
        if (across && (secrets_in(value) ||
                       is_one_of(name, private_to_origin,
                                 COUNT(private_to_origin))))
            continue;
        buf_add(out, name.at, name.len);
        buf_add(out, "\n", 1);
        buf_add(out, value.at, value.len);
        buf_add(out, "\n", 1);
    }
    return r < 0 ? r : out->failed;
}

static int add_line(struct fetch *f, const char *line)
{
    struct curl_slist *more = curl_slist_append(f->list, line);
    if (!more)
        return -ENOMEM;
    f->list = more;
    return 0;
}

static int add_header(struct fetch *f, struct str name, struct str value,
                      struct buf *line, struct err *e)
{
    buf_clear(line);
    buf_add(line, name.at, name.len);
    buf_adds(line, value.len ? ": " : ";");    /* libcurl's way to send none */
    int r = secrets_fill(&f->server->secrets, &f->url, value, line, &f->secrets,
                         e);
    if (r == 0)
        r = buf_add(line, "", 1);
    if (r < 0)
        return r;
    return add_line(f, line->at);
}

int request_list(struct fetch *f, size_t *out_bytes, struct err *e)
{
    int typed = 0, agent = 0, r;
    struct str rest = buf_str(&f->headers), name, value;
    AUTO_BUF line;
    buf_init(&line, MAX_HEADERS_BYTES + EGRESS_MAX_SECRETS * EGRESS_MAX_SECRET);
    f->secrets = 0;
    size_t bytes = strlen(f->method) + strlen(f->url.path) +
                   strlen(f->url.query) + strlen(f->url.host.text) + 64;
    while ((r = header_next(&rest, &name, &value)) > 0) {
        static const char *const type[] = { "content-type" };
        static const char *const ua[] = { "user-agent" };
        typed |= is_one_of(name, type, 1);
        agent |= is_one_of(name, ua, 1);
        int got = add_header(f, name, value, &line, e);
        if (got < 0)
            return got;
        bytes += line.len + 2;
    }
    if (line.at)
        explicit_bzero(line.at, line.room);
    if (r == 0)
        r = add_line(f, "Accept-Encoding: gzip, deflate");
    if (r == 0)
        r = add_line(f, "Expect:");
    if (r == 0 && !typed)
        r = add_line(f, "Content-Type:");
    if (r == 0 && !agent)
        r = add_line(f, "User-Agent: glovebox");
    *out_bytes = bytes;
    return r;
}

void request_free_list(struct fetch *f)
{
    if (f->secrets)
        for (struct curl_slist *l = f->list; l; l = l->next)
            explicit_bzero(l->data, strlen(l->data));
    curl_slist_free_all(f->list);
    f->list = NULL;
}
