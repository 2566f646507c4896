/* egress/fetch.c -- a request of a js run, from the asking to its end.
 *
 * Each hop, the first and every redirect, takes the same way: read the URL,
 * judge it, resolve its name, judge the addresses, send to one of those. None of
 * it is left to libcurl.
 *
 * SPDX-License-Identifier: MIT */
#include "egress/fetch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUBJECT_BYTES = 1024, HEADERS_ROOM = MAX_HEADERS_BYTES + 1 };

static void begin_hop(struct fetch *f);

/* ---- the end ----------------------------------------------------------------- */

static void fetch_free(struct fetch *f)
{
    struct fetch **at = &f->run->fetches;
    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    f->run->fetch_count--;
    resolve_cancel(f->server, f->lookup);
    curl_end(f);
    answer_free(f);
    url_free(&f->url);
    buf_free(&f->headers);
    buf_free(&f->body);
    loop_bury(&f->server->loop, &f->grave);
}

static struct str cut(const char *text)
{
    struct str s = str_of(text);
    if (s.len > EGRESS_MAX_TEXT)
        s.len = EGRESS_MAX_TEXT;
    return s;
}

static void tell_failure(struct server *s, uint64_t run, uint64_t call,
                         enum fetch_failure code, const char *why,
                         const char *hint)
{
    struct egress_fail m = { .run = run, .call = call, .code = (uint8_t)code,
                             .message = cut(why), .hint = cut(hint) };
    put_egress_fail(&s->link.out, &m);
}

void fetch_fail(struct fetch *f, enum fetch_failure code, const char *why)
{
    tell_failure(f->server, f->run->usage.run, f->call, code, why, NULL);
    fetch_free(f);
}

int fetch_doom(struct fetch *f, enum fetch_failure code, const char *why)
{
    if (!f->code) {
        f->code = code;
        snprintf(f->why, sizeof f->why, "%s", why);
    }
    return -ECANCELED;
}

/* Passes on what it can; ends the fetch if that was all, or if it went wrong. */
static void go_on(struct fetch *f)
{
    answer_pump(f);
    if (f->code) {
        fetch_fail(f, f->code, f->why);
        return;
    }
    if (answer_is_out(f)) {
        struct egress_end m = { .run = f->run->usage.run, .call = f->call,
                                .bytes = f->given };
        put_egress_end(&f->server->link.out, &m);
        run_tell_usage(f->server, f->run);
        fetch_free(f);
        return;
    }
    if (f->paused && f->raw.len < RAW_MOST) {
        f->paused = 0;
        curl_resume(f);
        if (f->code)
            fetch_fail(f, f->code, f->why);
    }
}

/* ---- judging ----------------------------------------------------------------- */

/* Without its query: that may be as private as a header. */
static void subject_of(const struct fetch *f, char out[SUBJECT_BYTES])
{
    AUTO_BUF b;
    buf_init(&b, 2 * MAX_URL_BYTES);
    url_origin(&f->url, &b);
    buf_adds(&b, f->url.path);
    snprintf(out, SUBJECT_BYTES, "%s %.*s", f->method,
             (int)(b.len < 900 ? b.len : 900), b.at ? b.at : "");
}

static void denied(struct fetch *f, const char *what, const char *rule,
                   const char *why, const char *hint)
{
    char subject[SUBJECT_BYTES], text[SUBJECT_BYTES + 400];
    subject_of(f, subject);
    run_decide(f->server, f->run, &(struct decision){
        .what = what, .subject = subject, .rule = rule, .hint = hint });
    snprintf(text, sizeof text, "%s is not allowed: %s", subject, why);
    tell_failure(f->server, f->run->usage.run, f->call, FETCH_DENIED, text, hint);
    fetch_free(f);
}

static void denied_by(struct fetch *f, const struct net_verdict *v)
{
    char hint[NET_NAME_MAX + 64], why[NET_RULE_BYTES + 32];
    snprintf(hint, sizeof hint, "to allow it: --allow-net %s:%u",
             f->url.host.text, f->url.port);
    if (v->rule)
        snprintf(why, sizeof why, "rule `%.300s`", v->rule->text);
    else
        snprintf(why, sizeof why, "no rule allows this host%s",
                 f->server->policy.rules ? ", method and path" : "");
    denied(f, "net.fetch", net_verdict_rule(v), why,
           v->rule ? "the rule denies it" : hint);
}

/* ---- a hop ----------------------------------------------------------------- */

/* To the next of the judged addresses. */
static void send_off(struct fetch *f)
{
    char subject[SUBJECT_BYTES];
    struct err e = { 0 };
    size_t bytes = 0;
    answer_reset(f);
    int r = request_list(f, &bytes, &e);
    if (r == -EACCES) {
        denied(f, "net.secret", e.msg, e.msg, "a secret goes to its own host only");
        return;
    }
    if (r < 0) {
        fetch_fail(f, FETCH_INTERNAL, "no memory for the request");
        return;
    }
    if (run_count(f->server, f->run, bytes + f->body.len, 0) < 0) {
        fetch_fail(f, FETCH_LIMIT, "max_egress_bytes is reached");
        return;
    }
    subject_of(f, subject);
    run_decide(f->server, f->run, &(struct decision){
        .allowed = 1, .what = "net.fetch", .subject = subject, .rule = f->rule,
        .address = &f->to.at[f->tried] });
    f->tried++;
    f->run->usage.requests++;
    if (curl_begin(f) < 0)
        fetch_fail(f, FETCH_INTERNAL, "no memory for the request");
}

static void on_resolved(struct server *s, void *user, int status,
                        const struct addresses *found)
{
    struct fetch *f = user;
    char subject[SUBJECT_BYTES], why[NET_NAME_MAX + 128];
    f->lookup = NULL;
    f->to = *found;
    f->tried = 0;
    if (status < 0) {
        snprintf(why, sizeof why, status == -ENOENT
                 ? "there is no host %s" : "no name server could tell the "
                 "address of %s", f->url.host.text);
        fetch_fail(f, FETCH_RESOLVE, why);
        return;
    }
    subject_of(f, subject);
    if (addresses_judge(s, f->run, &f->url.host, f->url.port, subject,
                        "net.fetch", &f->to) == 0) {
        send_off(f);
        return;
    }
    char address[NET_ADDRESS_TEXT];
    struct net_verdict v = net_policy_address(&s->policy, &f->url.host,
                                              &found->at[0], f->url.port);
    net_address_text(&found->at[0], address);
    snprintf(why, sizeof why, "%s leads to %s, %s", f->url.host.text, address,
             net_verdict_rule(&v));
    tell_failure(s, f->run->usage.run, f->call, FETCH_DENIED, why,
                 "name the address in a rule if it is meant");
    fetch_free(f);
}

static void begin_hop(struct fetch *f)
{
    struct server *s = f->server;
    struct net_verdict v = net_policy_judge(&s->policy, &f->url.host,
                                            f->url.port, f->method, f->url.path);
    if (!v.allow) {
        denied_by(f, &v);
        return;
    }
    f->rule = net_verdict_rule(&v);
    struct lookup *l = resolve(s, &f->url.host, on_resolved, f);
    if (l)
        f->lookup = l;
}

/* POST becomes GET as browsers have it; what one origin was told in confidence
 * is not told to another. */
static void redirect(struct fetch *f)
{
    struct url next = { 0 };
    struct err e = { 0 };
    if (f->hops == REDIRECTS_MOST) {
        fetch_fail(f, FETCH_REDIRECT, "more than 20 redirects");
        return;
    }
    if (url_resolve(&f->url, buf_str(&f->location), &next, &e) < 0) {
        char why[sizeof e.msg + 32];
        snprintf(why, sizeof why, "a redirect to %s", e.msg);
        fetch_fail(f, FETCH_REDIRECT, why);
        return;
    }
    int get = !strcmp(f->method, "GET") || !strcmp(f->method, "HEAD");
    int drop = (f->status == 303 && !get) ||
               (f->status <= 302 && !strcmp(f->method, "POST"));
    struct buf kept;
    buf_init(&kept, HEADERS_ROOM);
    request_keep_headers(&kept, buf_str(&f->headers),
                         !url_same_origin(&f->url, &next), drop);
    buf_free(&f->headers);
    f->headers = kept;
    if (drop) {
        memcpy(f->method, "GET", 4);
        f->has_body = 0;
        buf_clear(&f->body);
    }
    url_free(&f->url);
    f->url = next;
    f->hops++;
    begin_hop(f);
}

static enum fetch_failure failure_of(CURLcode c)
{
    static const struct { CURLcode curl; enum fetch_failure ours; } rows[] = {
        { CURLE_COULDNT_CONNECT, FETCH_CONNECT },
        { CURLE_OPERATION_TIMEDOUT, FETCH_TIMEOUT },
        { CURLE_SSL_CONNECT_ERROR, FETCH_TLS },
        { CURLE_PEER_FAILED_VERIFICATION, FETCH_TLS },
        { CURLE_SSL_CACERT_BADFILE, FETCH_TLS },
        { CURLE_SSL_CERTPROBLEM, FETCH_TLS },
        { CURLE_SSL_CIPHER, FETCH_TLS },
        { CURLE_OUT_OF_MEMORY, FETCH_INTERNAL },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].curl == c)
            return rows[i].ours;
    return FETCH_NETWORK;
}

void fetch_hop_over(struct fetch *f, CURLcode result)
{
    curl_end(f);
    if (f->code) {
        fetch_fail(f, f->code, f->why);
        return;
    }
    if (f->redirecting) {
        redirect(f);
        return;
    }
    if (result == CURLE_OK) {
        f->complete = 1;
        f->paused = 0;
        go_on(f);
        return;
    }
    int unheard = !f->head_over && (result == CURLE_COULDNT_CONNECT);
    if (unheard && f->tried < f->to.n) {
        send_off(f);
        return;
    }
    char why[NET_NAME_MAX + 160];
    snprintf(why, sizeof why, "%s:%u: %.100s", f->url.host.text, f->url.port,
             curl_easy_strerror(result));
    fetch_fail(f, failure_of(result), why);
}

/* ---- from the supervisor ----------------------------------------------------------------- */

static struct fetch *find(const struct run *r, uint64_t call)
{
    struct fetch *f = r->fetches;
    while (f && f->call != call)
        f = f->next;
    return f;
}

static const char *take_method(struct fetch *f, struct str m)
{
    static const char *const refused[] = { "CONNECT", "TRACE", "TRACK" };
    if (m.len == 0 || m.len > MAX_METHOD_BYTES)
        return "a method of no letters, or too many";
    for (size_t i = 0; i < m.len; i++)
        if (!((m.at[i] >= 'A' && m.at[i] <= 'Z') || m.at[i] == '-'))
            return "a method is made of capital letters";
    for (size_t i = 0; i < COUNT(refused); i++)
        if (str_is(m, refused[i]))
            return "CONNECT, TRACE and TRACK cannot be fetched";
    memcpy(f->method, m.at, m.len);
    return NULL;
}

/* Returns NULL, or what is wrong with the request. */
static const char *take_request(struct fetch *f, const struct egress_fetch *m)
{
    const char *bad = take_method(f, m->method);
    if (bad)
        return bad;
    f->has_body = m->has_body;
    f->redirect = (enum fetch_redirect)m->redirect;
    f->credit = m->credit;
    f->max_bytes = m->max_bytes ? m->max_bytes : BODY_DEFAULT;
    f->deadline_ms = f->server->loop.now_ms +
        (m->timeout_ms && m->timeout_ms < 86400000 ? m->timeout_ms
                                                   : FETCH_MS_DEFAULT);
    if (m->has_body && (str_is(m->method, "GET") || str_is(m->method, "HEAD")))
        return "GET and HEAD have no body";
    if (request_keep_headers(&f->headers, m->headers, 0, 0) < 0)
        return "bad headers";
    return buf_add(&f->body, m->body.at, m->body.len) < 0 ? "no memory" : NULL;
}

static struct fetch *fetch_new(struct server *s, struct run *r, uint64_t call)
{
    struct fetch *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->server = s;
    f->run = r;
    f->call = call;
    buf_init(&f->headers, HEADERS_ROOM);
    buf_init(&f->body, MAX_FETCH_BODY);
    buf_init(&f->head, 2 * MAX_HEADERS_BYTES);
    buf_init(&f->location, MAX_URL_BYTES);
    buf_init(&f->raw, 4 * RAW_MOST);
    buf_init(&f->held, EGRESS_MAX_SECRET);
    f->next = r->fetches;
    r->fetches = f;
    r->fetch_count++;
    return f;
}

void fetch_start(struct server *s, struct run *r, const struct egress_fetch *m)
{
    const char *why = NULL;
    enum fetch_failure code = FETCH_BAD_REQUEST;
    if (find(r, m->call))
        why = "a call of this number is under way";
    else if (r->fetch_count >= MAX_FETCHES)
        why = "too many requests at a time";
    else if (r->usage.over)
        why = "max_egress_bytes is reached", code = FETCH_LIMIT;
    struct fetch *f = why ? NULL : fetch_new(s, r, m->call);
    if (!f) {
        tell_failure(s, r->usage.run, m->call, code, why ? why : "no memory",
                     NULL);
        return;
    }
    struct err e = { 0 };
    if ((why = take_request(f, m)))
        fetch_fail(f, FETCH_BAD_REQUEST, why);
    else if (url_parse(m->url, &f->url, &e) < 0)
        fetch_fail(f, FETCH_BAD_URL, e.msg);
    else
        begin_hop(f);
}

void fetch_abort(struct server *s, struct run *r, uint64_t call)
{
    struct fetch *f = find(r, call);
    (void)s;
    if (f)
        fetch_fail(f, FETCH_ABORTED, "the request was aborted");
}

void fetch_more(struct server *s, struct run *r, uint64_t call, uint64_t credit)
{
    struct fetch *f = find(r, call);
    (void)s;
    if (!f)
        return;
    f->credit += credit < BODY_DEFAULT ? credit : BODY_DEFAULT;
    go_on(f);
}

void fetch_cut(struct server *s, struct run *r, enum fetch_failure code,
               const char *why)
{
    (void)s;
    while (r->fetches)
        fetch_fail(r->fetches, code, why);
}

void fetch_tick(struct server *s, struct run *r)
{
    struct fetch *next;
    for (struct fetch *f = r->fetches; f; f = next) {
        next = f->next;
        if (s->loop.now_ms >= f->deadline_ms)
            fetch_fail(f, FETCH_TIMEOUT, "the request took too long");
    }
}
