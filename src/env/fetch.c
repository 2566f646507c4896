/* env/fetch.c -- from the frames of a worker to those of the egress process,
 * and back.  SPDX-License-Identifier: MIT */
#include "env/fetch.h"

#include <errno.h>
#include <string.h>

void fetches_begin(struct fetches *f, struct egress *egress, uint64_t run,
                   struct peer *peer, const struct run_limits *limits)
{
    *f = (struct fetches){ .egress = egress, .run = run, .peer = peer,
                           .limits = limits };
}

int fetches_end(struct fetches *f)
{
    int owed = f->attached && egress_detach(f->egress, f->run) == 0;
    f->peer = NULL;
    f->attached = 0;
    f->places = f->open = 0;
    return owed;
}

/* ---- places ------------------------------------------------------------------ */

static struct fetch_place *by_call(struct fetches *f, uint32_t call)
{
    for (unsigned i = 0; i < f->places; i++)
        if (f->place[i].call == call && !f->place[i].over)
            return &f->place[i];
    return NULL;
}

/* NULL for what the worker is not to hear of. */
static struct fetch_place *by_number(struct fetches *f, uint64_t number)
{
    for (unsigned i = 0; i < f->places; i++)
        if (f->place[i].number == number)
            return &f->place[i];
    return NULL;
}

static void close_place(struct fetches *f, struct fetch_place *p)
{
    if (!p->over)
        f->open--;
    p->over = 1;
}

static void free_place(struct fetches *f, struct fetch_place *p)
{
    close_place(f, p);
    *p = f->place[--f->places];
}

/* ---- to the worker ------------------------------------------------------------- */

/* It may not read, but what it has in flight is bounded: more than fits is its
 * own fault. -EINVAL: its result came first, or it is being ended. */
static int taken(int sent, struct err *e)
{
    if (sent == 0 || sent == -EINVAL)
        return 0;
    return err_set(e, sent, "the worker took no answers to its requests");
}

static struct str cut(struct str s)
{
    return (struct str){ s.at, s.len < MAX_NAME_BYTES ? s.len : MAX_NAME_BYTES };
}

/* The codes that programs know from Node.js, by our own. */
static const char *const codes[] = {
    [FETCH_DENIED]   = "EACCES",     [FETCH_BAD_URL]     = "ERR_INVALID_URL",
    [FETCH_RESOLVE]  = "ENOTFOUND",  [FETCH_BAD_REQUEST] = "EINVAL",
    [FETCH_CONNECT]  = "ECONNREFUSED", [FETCH_TLS]       = "EPROTO",
    [FETCH_TIMEOUT]  = "ETIMEDOUT",  [FETCH_TOO_LARGE]   = "EMSGSIZE",
    [FETCH_REDIRECT] = "",           [FETCH_NETWORK]     = "ECONNRESET",
    [FETCH_LIMIT]    = "EDQUOT",     [FETCH_ABORTED]     = "ECANCELED",
    [FETCH_GONE]     = "ENETDOWN",   [FETCH_INTERNAL]    = "EIO",
};

static int send_fail(struct fetches *f, uint32_t call, unsigned code,
                     struct str message, struct str hint, struct err *e)
{
    const char *text = code < COUNT(codes) && codes[code] ? codes[code] : "EIO";
    AUTO_BUF words;
    buf_init(&words, 2 * MAX_NAME_BYTES);
    if (text[0])
        buf_addf(&words, "%s: ", text);
    if (code == FETCH_DENIED)
        buf_adds(&words, "permission denied, blocked by network.http policy: ");
    message = cut(message);
    buf_add(&words, message.at, message.len);
    return taken(peer_send_fetch_fail(f->peer, &(struct msg_fetch_fail){
        call, str_of(text), cut(buf_str(&words)), cut(hint) }), e);
}

/* ---- what the worker says -------------------------------------------------------- */

static int attach(struct fetches *f)
{
    if (f->attached)
        return 0;
    int r = egress_attach(f->egress, f->run, f->limits->egress_bytes, NULL, 0);
    f->attached = r == 0;
    return r;
}

/* Of some methods a server expects a body, if only an empty one. */
static int has_body(const struct msg_fetch *m)
{
    return m->body.len || str_is(m->method, "POST") || str_is(m->method, "PUT") ||
           str_is(m->method, "PATCH");
}

static int hand_on(struct fetches *f, const struct msg_fetch *m, uint64_t number)
{
    int r = attach(f);
    if (r < 0)
        return r;
    return egress_fetch(f->egress, &(struct egress_fetch){
        .run = f->run, .call = number, .method = m->method, .url = m->url,
        .redirect = m->redirect, .has_body = (uint8_t)has_body(m),
        .timeout_ms = f->limits->wall_time_ms,
        .max_bytes = f->limits->egress_bytes, .credit = FETCH_WINDOW,
        .headers = m->headers, .body = m->body,
    });
}

/* Why this request cannot be handed on now, or 0. */
static unsigned refusal(struct fetches *f, const struct msg_fetch *m,
                        struct str *out_why)
{
    if (m->body.len > f->limits->egress_bytes - f->body_bytes) {
        *out_why = STR("max_egress_bytes of this run is used up");
        return FETCH_LIMIT;
    }
    if (f->places == FETCH_PLACES) {
        *out_why = STR("too many requests were aborted at once");
        return FETCH_LIMIT;
    }
    return 0;
}

int fetch_asked(struct fetches *f, const struct msg_fetch *m, struct err *e)
{
    if (!f->egress)
        return err_set(e, -EPROTO, "the worker sent a request, and the run "
                                   "has no network");
    if (f->open == MAX_FETCHES)
        return err_set(e, -EPROTO, "the worker sent more than %d requests at "
                                   "once", MAX_FETCHES);
    if (by_call(f, m->call))
        return err_set(e, -EPROTO, "the worker sent two requests of one number");
    struct str why;
    unsigned code = refusal(f, m, &why);
    if (code)
        return send_fail(f, m->call, code, why, STR(""), e);
    int r = hand_on(f, m, ++f->calls);
    if (r < 0)
        return send_fail(f, m->call, FETCH_GONE,
                         STR("the network is gone"), STR(""), e);
    f->body_bytes += m->body.len;
    f->place[f->places++] = (struct fetch_place){ f->calls, m->call,
                                                  FETCH_WINDOW, 0 };
    f->open++;
    return 0;
}

/* Of a call that is not there nothing is wrong: its end may be on the way. */
int fetch_aborted(struct fetches *f, const struct msg_fetch_abort *m,
                  struct err *e)
{
    struct fetch_place *p = by_call(f, m->call);
    (void)e;
    if (!p)
        return 0;
    close_place(f, p);
    egress_abort(f->egress, f->run, p->number);
    return 0;
}

int fetch_granted(struct fetches *f, const struct msg_fetch_more *m,
                  struct err *e)
{
    struct fetch_place *p = by_call(f, m->call);
    if (!p)
        return 0;
    if (m->bytes > FETCH_WINDOW - p->credit)
        return err_set(e, -EPROTO, "the worker asked for more than the window");
    p->credit += m->bytes;
    egress_more(f->egress, f->run, p->number, m->bytes);
    return 0;
}

/* "http://example.com/x" as "tcp://example.com:80". */
static void subject_of(struct str url, struct buf *out)
{
    int tls = url.len > 5 && memcmp(url.at, "https", 5) == 0;
    const char *at = memmem(url.at, url.len, "://", 3);
    if (!at) {
        buf_add(out, url.at, url.len < 200 ? url.len : 200);
        return;
    }
    at += 3;
    size_t left = url.len - (size_t)(at - url.at), n = 0, port = 0;
    for (; n < left && !memchr("/?#", at[n], 3); n++)
        port = at[n] == ':' ? n : at[n] == ']' ? 0 : port;
    buf_adds(out, "tcp://");
    buf_add(out, at, n);
    if (!port)
        buf_adds(out, tls ? ":443" : ":80");
}

void fetch_was_denied(struct run_result *r, const struct msg_fetch_denied *m)
{
    AUTO_BUF subject, hint;
    buf_init(&subject, MAX_NAME_BYTES);
    buf_init(&hint, MAX_NAME_BYTES + 64);
    subject_of(m->url, &subject);
    if (subject.failed)
        return;
    struct str to = buf_str(&subject), scheme = STR("tcp://");
    if (to.len > scheme.len && memcmp(to.at, scheme.at, scheme.len) == 0)
        buf_addf(&hint, "glovebox run --allow-net %.*s",
                 (int)(to.len - scheme.len), to.at + scheme.len);
    result_deny(r, &(struct msg_denied){
        .what = STR("net.fetch"), .subject = buf_str(&subject),
        .rule = STR("network.http"), .hint = buf_str(&hint),
    });
}

/* ---- what the egress process says -------------------------------------------------- */

/* Not even the egress process is believed. */
static int give_up(struct fetches *f, struct fetch_place *p, const char *why,
                   struct err *e)
{
    close_place(f, p);
    egress_abort(f->egress, f->run, p->number);
    return send_fail(f, p->call, FETCH_INTERNAL, str_of(why), STR(""), e);
}

int fetch_head(struct fetches *f, const struct egress_head *m, struct err *e)
{
    struct fetch_place *p = f->peer ? by_number(f, m->call) : NULL;
    if (!p || p->over)
        return 0;
    int r = peer_send_fetch_head(f->peer, &(struct msg_fetch_head){
        .call = p->call, .status = m->status, .status_text = cut(m->status_text),
        .url = m->url, .redirected = m->redirected, .headers = m->headers });
    return r == -EPROTO ? give_up(f, p, "a malformed answer", e)
                        : taken(r, e);
}

int fetch_data(struct fetches *f, const struct egress_data *m, struct err *e)
{
    struct fetch_place *p = f->peer ? by_number(f, m->call) : NULL;
    if (!p || p->over)
        return 0;
    if (m->bytes.len > p->credit)
        return give_up(f, p, "more data came than was asked for", e);
    p->credit -= (uint32_t)m->bytes.len;
    return taken(peer_send_fetch_data(f->peer, &(struct msg_fetch_data){
        p->call, m->bytes }), e);
}

int fetch_done(struct fetches *f, const struct egress_end *m, struct err *e)
{
    struct fetch_place *p = f->peer ? by_number(f, m->call) : NULL;
    if (!p)
        return 0;
    struct fetch_place was = *p;
    free_place(f, p);
    if (was.over)
        return 0;
    return taken(peer_send_fetch_end(f->peer,
                                     &(struct msg_fetch_end){ was.call }), e);
}

int fetch_failed(struct fetches *f, const struct egress_fail *m, struct err *e)
{
    struct fetch_place *p = f->peer ? by_number(f, m->call) : NULL;
    if (!p)
        return 0;
    struct fetch_place was = *p;
    free_place(f, p);
    if (was.over)
        return 0;
    return send_fail(f, was.call, m->code, m->message, m->hint, e);
}
