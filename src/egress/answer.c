/* egress/answer.c -- what a server sends back: the head, a redirect, the body.
 *
 * Bodies are decompressed here and not by libcurl, so that a small packet that
 * means a large text is unpacked no faster than the reader takes it: at most
 * RAW_MOST compressed bytes and one DATA frame wait in memory.
 *
 * SPDX-License-Identifier: MIT */
#include "egress/fetch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static int is_name(struct str s, const char *text)
{
    return strlen(text) == s.len && !strncasecmp(s.at, text, s.len);
}

void answer_reset(struct fetch *f)
{
    buf_clear(&f->head);
    buf_clear(&f->location);
    buf_clear(&f->raw);
    f->head_count = f->status = 0;
    f->head_over = f->has_location = f->redirecting = 0;
    f->thrown = f->raw_at = 0;
    f->status_text[0] = '\0';
    f->coding = CODING_NONE;
}

void answer_free(struct fetch *f)
{
    if (f->z_on)
        inflateEnd(&f->z);
    f->z_on = 0;
    buf_free(&f->head);
    buf_free(&f->location);
    buf_free(&f->raw);
    buf_free(&f->held);
}

/* ---- the head ----------------------------------------------------------------------- */

static void take_status_line(struct fetch *f, struct str line)
{
    answer_reset(f);
    const char *at = memchr(line.at, ' ', line.len);
    const char *end = line.at + line.len;
    if (at)
        at = memchr(at + 1, ' ', (size_t)(end - at - 1));
    size_t n = 0;
    for (at = at ? at + 1 : end; at < end && n + 1 < sizeof f->status_text; at++)
        f->status_text[n++] = *at >= ' ' && *at <= '~' ? *at : '?';
    f->status_text[n] = '\0';
}

static enum coding coding_of(struct str value, int *out_unknown)
{
    static const struct { const char *text; enum coding coding; } known[] = {
        { "identity", CODING_NONE },  { "gzip", CODING_GZIP },
        { "x-gzip", CODING_GZIP },    { "deflate", CODING_DEFLATE },
        { "", CODING_NONE },
    };
    for (size_t i = 0; i < COUNT(known); i++)
        if (is_name(value, known[i].text))
            return known[i].coding;
    *out_unknown = 1;
    return CODING_NONE;
}

static struct str trimmed(struct str s)
{
    while (s.len && strchr(" \t", s.at[0]))
        s = (struct str){ s.at + 1, s.len - 1 };
    while (s.len && strchr(" \t\r\n", s.at[s.len - 1]))
        s.len--;
    return s;
}

/* Header lines that our own frames could not carry are left out. */
static int take_header(struct fetch *f, struct str line)
{
    const char *colon = memchr(line.at, ':', line.len);
    if (!colon || colon == line.at)
        return 0;
    struct str name = { line.at, (size_t)(colon - line.at) };
    struct str value = trimmed((struct str){ colon + 1,
                                             line.len - name.len - 1 });
    size_t start = f->head.len;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.at[i];
        c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        buf_add(&f->head, &c, 1);
    }
    buf_add(&f->head, "\n", 1);
    buf_add(&f->head, value.at, value.len);
    buf_add(&f->head, "\n", 1);
    struct str added = { f->head.at + start, f->head.len - start };
    struct str n, v;
    if (f->head.failed || f->head.len > MAX_HEADERS_BYTES ||
        f->head_count == MAX_HEADERS)
        return fetch_doom(f, FETCH_TOO_LARGE, "the answer has too many headers");
    if (header_next(&added, &n, &v) != 1 || added.len) {
        f->head.len = start;
        return 0;
    }
    f->head_count++;
    if (is_name(name, "location") && !f->has_location) {
        f->has_location = 1;
        buf_add(&f->location, value.at, value.len);
    }
    int unknown = 0;
    if (is_name(name, "content-encoding"))
        f->coding = coding_of(value, &unknown);
    return unknown ? fetch_doom(f, FETCH_NETWORK, "the answer is compressed in a "
                                "way that was not asked for") : 0;
}

static int is_redirect(unsigned status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 ||
           status == 308;
}

static void send_head(struct fetch *f)
{
    struct server *s = f->server;
    AUTO_BUF url;
    buf_init(&url, MAX_URL_BYTES);
    url_text(&f->url, &url);
    if (f->secrets && f->head.len)
        secrets_strike(&s->secrets, f->secrets, f->head.at, f->head.len);
    struct egress_head m = {
        .run = f->run->usage.run, .call = f->call, .status = f->status,
        .redirected = f->hops > 0, .status_text = str_of(f->status_text),
        .url = buf_str(&url), .headers = buf_str(&f->head),
    };
    put_egress_head(&s->link.out, &m);
    f->head_sent = 1;
}

static int end_head(struct fetch *f)
{
    long status = 0;
    curl_easy_getinfo(f->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status >= 100 && status < 200)
        return 0;    /* the real one follows */
    if (status < 200 || status > 999)
        return fetch_doom(f, FETCH_NETWORK, "the answer has no proper status");
    f->status = (unsigned)status;
    f->head_over = 1;
    if (is_redirect(f->status) && f->redirect == REDIRECT_ERROR)
        return fetch_doom(f, FETCH_REDIRECT, "the server redirects, which the "
                          "request does not want");
    if (is_redirect(f->status) && f->has_location &&
        f->redirect == REDIRECT_FOLLOW)
        f->redirecting = 1;
    else
        send_head(f);
    return 0;
}

size_t answer_on_header(char *at, size_t size, size_t n, void *user)
{
    struct fetch *f = user;
    struct str line = { at, size * n };
    if (run_count(f->server, f->run, 0, line.len) < 0) {
        fetch_doom(f, FETCH_LIMIT, "max_egress_bytes is reached");
        return 0;
    }
    if (f->head_over)
        return line.len;    /* trailers */
    int r = 0;
    if (line.len >= 5 && !memcmp(line.at, "HTTP/", 5))
        take_status_line(f, trimmed(line));
    else if (trimmed(line).len == 0)
        r = end_head(f);
    else
        r = take_header(f, line);
    return r < 0 ? 0 : line.len;
}

/* ---- the body ------------------------------------------------------------------------ */

size_t answer_on_body(char *at, size_t size, size_t n, void *user)
{
    struct fetch *f = user;
    size_t len = size * n;
    if (f->redirecting) {
        f->thrown += len;
        if (run_count(f->server, f->run, 0, len) < 0 ||
            f->thrown > REDIRECT_BODY)
            return 0;
        return len;
    }
    if (f->raw.len - f->raw_at >= RAW_MOST) {
        f->paused = 1;
        return CURL_WRITEFUNC_PAUSE;
    }
    if (run_count(f->server, f->run, 0, len) < 0)
        fetch_doom(f, FETCH_LIMIT, "max_egress_bytes is reached");
    else if (buf_add(&f->raw, at, len) < 0)
        fetch_doom(f, FETCH_INTERNAL, "no memory");
    else
        answer_pump(f);
    return f->code ? 0 : len;
}

/* deflate is zlib by its name and raw by some servers' word. */
static int start_inflate(struct fetch *f, const unsigned char *at, size_t len)
{
    int window = 15 + 16;
    if (f->coding == CODING_DEFLATE) {
        int zlib = len >= 2 && (at[0] & 15) == 8 && (at[0] << 8 | at[1]) % 31 == 0;
        window = zlib ? 15 : -15;
    }
    if (inflateInit2(&f->z, window) != Z_OK)
        return -ENOMEM;
    f->z_on = 1;
    return 0;
}

/* Bytes of the body as the guest sees them: how many, negative: it is broken. */
static int unpack(struct fetch *f, char *out, size_t room)
{
    struct str in = { f->raw.at + f->raw_at, f->raw.len - f->raw_at };
    if (f->coding == CODING_NONE) {
        size_t n = in.len < room ? in.len : room;
        if (n)
            memcpy(out, in.at, n);
        f->raw_at += n;
        return (int)n;
    }
    if (!in.len && !f->z_on)
        return 0;
    if (!f->z_on && in.len < 2 && !f->complete)
        return 0;
    if (!f->z_on && start_inflate(f, (const unsigned char *)in.at, in.len) < 0)
        return -ENOMEM;
    if (f->z_over && in.len) {    /* gzip may go on; anything else is litter */
        if (f->coding != CODING_GZIP || (unsigned char)in.at[0] != 0x1f ||
            inflateReset(&f->z) != Z_OK) {
            f->raw_at = f->raw.len;
            return 0;
        }
        f->z_over = 0;
    }
    if (f->z_over)
        return 0;
    f->z.next_in = (unsigned char *)(uintptr_t)in.at;
    f->z.avail_in = (unsigned)in.len;
    f->z.next_out = (unsigned char *)out;
    f->z.avail_out = (unsigned)room;
    int r = inflate(&f->z, Z_NO_FLUSH);
    f->raw_at = f->raw.len - f->z.avail_in;
    if (r == Z_STREAM_END)
        f->z_over = 1;
    else if (r != Z_OK && r != Z_BUF_ERROR)
        return -EBADMSG;
    return (int)(room - f->z.avail_out);
}

static int is_drained(const struct fetch *f)
{
    return f->complete && f->raw_at == f->raw.len;
}

static void send_data(struct fetch *f, const char *at, size_t len)
{
    struct egress_data m = { .run = f->run->usage.run, .call = f->call,
                             .bytes = { at, len } };
    if (!len)
        return;
    put_egress_data(&f->server->link.out, &m);
    f->credit -= len;
}

/* One frame. What may be the beginning of a secret's value is held back until
 * it is known to be none. 1: there may be more. */
static int pump_once(struct fetch *f)
{
    static char chunk[EGRESS_MAX_DATA];
    const struct secrets *x = &f->server->secrets;
    size_t room = f->credit < sizeof chunk ? (size_t)f->credit : sizeof chunk;
    size_t back = secrets_longest(x, f->secrets);
    back = back ? back - 1 : 0;
    size_t held = f->held.len;
    if (held >= room) {    /* a tiny window: let the tail go in pieces */
        if (!is_drained(f) || !room)
            return 0;
        memcpy(chunk, f->held.at, room);
        buf_drop(&f->held, room);
        send_data(f, chunk, room);
        return 1;
    }
    if (held)
        memcpy(chunk, f->held.at, held);
    int n = unpack(f, chunk + held, room - held);
    if (n < 0)
        return fetch_doom(f, FETCH_NETWORK, "the answer's compressed body is "
                          "broken");
    f->given += (uint64_t)n;
    if (f->given > f->max_bytes)
        return fetch_doom(f, FETCH_TOO_LARGE, "the answer is larger than the "
                          "request allows");
    size_t len = held + (size_t)n;
    secrets_strike(x, f->secrets, chunk, len);
    size_t keep = is_drained(f) && (size_t)n < room - held ? 0
                : len < back ? len : back;
    buf_clear(&f->held);
    buf_add(&f->held, chunk + len - keep, keep);
    send_data(f, chunk, len - keep);
    return n > 0 || (held && !keep);
}

void answer_pump(struct fetch *f)
{
    if (!f->head_sent || f->code)
        return;
    while (f->credit && pump_once(f) > 0)
        ;
    buf_drop(&f->raw, f->raw_at);
    f->raw_at = 0;
    if (is_drained(f) && f->z_on && !f->z_over && !f->code && f->credit)
        fetch_doom(f, FETCH_NETWORK, "the answer's compressed body is cut off");
}

int answer_is_out(const struct fetch *f)
{
    if (!f->complete || f->raw.len || f->held.len)
        return 0;
    return f->coding == CODING_NONE || !f->z_on || f->z_over;
}
