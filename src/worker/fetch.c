/* worker/fetch.c -- requests out, answers in.  SPDX-License-Identifier: MIT */
#include "worker/fetch.h"
#include "worker/channel.h"
#include "worker/guest.h"
#include "worker/run.h"
#include "worker/sfi.h"
#include <string.h>

enum { EXIT_BAD_MESSAGE = 3 };
/* What the window lets the supervisor send ahead, and as much again. */
enum { MAX_ANSWERS_BYTES = 2 * MAX_FETCHES * (FETCH_WINDOW + (256 << 10)) };
enum { KEEP_ANSWERS_BYTES = 1 << 20 };
enum { MAX_DENIALS = 32 };    /* of a run, that the supervisor is told of */

static struct {
    const struct msg_run *run;
    uint32_t   open[MAX_FETCHES];    /* numbers of calls */
    unsigned   opens, denials;
    struct buf answers;              /* frames: type, length, body */
    size_t     at;                   /* the first that was not handed over */
    struct buf body;
} here;

struct kept { uint32_t type; uint64_t len; };

void fetch_start(const struct msg_run *run)
{
    here.run = run;
    here.opens = here.denials = 0;
    here.at = 0;
    if (here.answers.room > KEEP_ANSWERS_BYTES)
        buf_free(&here.answers);
    if (!here.answers.max)
        buf_init(&here.answers, MAX_ANSWERS_BYTES);
    buf_clear(&here.answers);
}

int fetch_open(void)     { return here.opens > 0; }
int fetch_answered(void) { return here.at < here.answers.len; }

/* ---- which calls there are ------------------------------------------------ */

static int find(uint32_t call)
{
    for (unsigned i = 0; i < here.opens; i++)
        if (here.open[i] == call)
            return (int)i;
    return -1;
}

static void close_call(uint32_t call)
{
    int i = find(call);
    if (i >= 0)
        here.open[i] = here.open[--here.opens];
}

static uint32_t number_of(double v)
{
    return v >= 0 && v <= UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

/* ---- answers --------------------------------------------------------------- */

/* X(NAME, name) */
#define ANSWERS(X)                                                        \
    X(FETCH_HEAD, fetch_head) X(FETCH_DATA, fetch_data)                   \
    X(FETCH_END,  fetch_end)  X(FETCH_FAIL, fetch_fail)

int fetch_is_answer(uint32_t type)
{
#define X(NAME, name) || type == MSG_##NAME
    return 0 ANSWERS(X);
#undef X
}

/* The number of the call that a body is about; every answer begins with it. */
static uint32_t call_of(uint32_t type, struct str body)
{
#define X(NAME, name)                                                     \
    if (type == MSG_##NAME) {                                             \
        struct msg_##name m;                                              \
        if (get_##name(body, &m) < 0)                                     \
            _exit(EXIT_BAD_MESSAGE);                                      \
        return m.call;                                                    \
    }
    ANSWERS(X)
#undef X
    _exit(EXIT_BAD_MESSAGE);
}

void fetch_keep(uint32_t type, struct str body)
{
    uint32_t call = call_of(type, body);
    if (find(call) < 0)
        return;
    struct kept head = { type, body.len };
    buf_add(&here.answers, &head, sizeof head);
    buf_add(&here.answers, body.at, body.len);
    if (here.answers.failed)
        _exit(EXIT_BAD_MESSAGE);
    if (type == MSG_FETCH_END || type == MSG_FETCH_FAIL)
        close_call(call);
}

void fetch_receive(void)
{
    if (!here.body.max)
        buf_init(&here.body, 1 << 20);
    uint32_t type = channel_receive(&here.body);
    fetch_keep(type, buf_str(&here.body));
}

void fetch_collect(void)
{
    while (here.opens && channel_wait(0))
        fetch_receive();
}

/* Header values are bytes; in JavaScript each is the character of its number. */
static jsval byte_string(struct str s)
{
    struct buf *b = guest_take();
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.at[i];
        char two[2] = { (char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f)) };
        if (c < 0x80)
            buf_add(b, &c, 1);
        else
            buf_add(b, two, 2);
    }
    if (b->failed)
        sfi_trap(TRAP_ENGINE);
    jsval v = guest_string(buf_str(b));
    guest_give();
    return v;
}

static jsval bytes_value(struct str s)
{
    u32 p = guest_copy(s);
    jsval v = Q(JS_NewUint8ArrayCopy)(E, guest_context(), p, (u32)s.len);
    Q(wasm_free)(E, p);
    return v;
}

/* The arguments of fetched() in guest/js/fetch.js after type and call; gives
 * how many. The body is not looked at again once the guest runs. */
static int arguments(uint32_t type, struct str body, jsval *args)
{
    int n = 0;
    if (type == MSG_FETCH_HEAD) {
        struct msg_fetch_head m;
        get_fetch_head(body, &m);
        args[n++] = js_make(TAG_INT, m.status);
        args[n++] = byte_string(m.status_text);
        args[n++] = guest_string(m.url);
        args[n++] = js_make(TAG_BOOL, m.redirected);
        args[n++] = byte_string(m.headers);
    } else if (type == MSG_FETCH_DATA) {
        struct msg_fetch_data m;
        get_fetch_data(body, &m);
        args[n++] = bytes_value(m.bytes);
    } else if (type == MSG_FETCH_FAIL) {
        struct msg_fetch_fail m;
        get_fetch_fail(body, &m);
        args[n++] = guest_string(m.code);
        args[n++] = guest_string(m.message);
        args[n++] = guest_string(m.hint);
    }
    return n;
}

int fetch_deliver(void)
{
    struct kept head;
    jsval args[8];
    memcpy(&head, here.answers.at + here.at, sizeof head);
    struct str body = { here.answers.at + here.at + sizeof head, head.len };
    here.at += sizeof head + head.len;

    args[0] = js_make(TAG_INT, head.type);
    args[1] = Q(JS_NewNumber)(E, guest_context(), call_of(head.type, body));
    int n = 2 + arguments(head.type, body, args + 2);
    if (!fetch_answered()) {
        buf_clear(&here.answers);
        here.at = 0;
    }
    int failed = 0;
    for (int i = 0; i < n; i++)
        failed |= js_is_exception(args[i]);
    jsval r = failed ? js_make(TAG_EXCEPTION, 0)
                     : guest_call(INTERNAL_fetched, n, args);
    for (int i = 0; i < n; i++)
        guest_release(args[i]);
    if (js_is_exception(r))
        return -1;
    guest_release(r);
    return 0;
}

/* ---- requests --------------------------------------------------------------- */

static void send_frame(struct buf *b)
{
    run_flush();
    if (run_sink)
        run_sink(b);
}

/* The bytes that a text of characters below U+0100 stands for; -1: others. */
static int narrow(jsval text, struct buf *out)
{
    if (guest_text(text, out) < 0) {
        guest_release(guest_exception());
        return -1;
    }
    char *s = out->at;
    size_t n = 0;
    for (size_t i = 0; i < out->len; i++, n++) {
        unsigned char c = (unsigned char)s[i];
        if (c >= 0x80) {
            if ((c & 0xfe) != 0xc2 || ++i == out->len)
                return -1;
            c = (unsigned char)((c & 3) << 6 | ((unsigned char)s[i] & 0x3f));
        }
        s[n] = (char)c;
    }
    out->len = n;
    return 0;
}

/* The guest's own memory: borrowed only while none of its code can run. */
static struct str bytes_of(jsval v)
{
    if (js_tag(v) == TAG_UNDEFINED)
        return STR("");
    u32 len_at = guest_head->scratch;
    u32 p = Q(JS_GetUint8Array)(E, guest_context(), len_at, v);
    if (!p) {
        guest_release(guest_exception());
        return STR("");
    }
    u32 len = guest_u32(len_at);
    return (struct str){ (const char *)guest_at(p, len), len };
}

int fetch_send(const struct fetch_call *c)
{
    struct msg_fetch m = { .call = number_of(c->call) };
    if (!here.run || !(here.run->flags & RUN_NET) ||
        here.opens == MAX_FETCHES || find(m.call) >= 0)
        return 0;
    struct buf *method = guest_take(), *url = guest_take(),
               *headers = guest_take(), *frame = guest_take();
    int legal = narrow(c->method, method) == 0 && narrow(c->url, url) == 0 &&
                narrow(c->headers, headers) == 0 && c->redirect >= 0 &&
                c->redirect < REDIRECTS;
    if (legal) {
        m.method = buf_str(method);
        m.url = buf_str(url);
        m.headers = buf_str(headers);
        m.redirect = (uint8_t)c->redirect;
        m.body = bytes_of(c->body);
        put_fetch(frame, &m);
        legal = !frame->failed;
    }
    /* Reading the values may have run guest code, and that another call. */
    if (legal && here.opens < MAX_FETCHES && find(m.call) < 0) {
        here.open[here.opens++] = m.call;
        send_frame(frame);
    } else {
        legal = 0;
    }
    for (int i = 0; i < 4; i++)
        guest_give();
    return legal;
}

void fetch_abort(double call)
{
    struct msg_fetch_abort m = { number_of(call) };
    if (find(m.call) < 0)
        return;
    close_call(m.call);
    struct buf *b = guest_take();
    put_fetch_abort(b, &m);
    send_frame(b);
    guest_give();
}

void fetch_more(double call, double bytes)
{
    struct msg_fetch_more m = { number_of(call), number_of(bytes) };
    if (find(m.call) < 0 || m.bytes > FETCH_WINDOW)
        return;
    struct buf *b = guest_take();
    put_fetch_more(b, &m);
    send_frame(b);
    guest_give();
}

void fetch_denied(jsval url)
{
    if (!here.run || here.denials == MAX_DENIALS)
        return;
    here.denials++;
    struct buf *text = guest_take(), *frame = guest_take();
    if (narrow(url, text) == 0)
        put_fetch_denied(frame, &(struct msg_fetch_denied){ buf_str(text) });
    if (frame->len && !frame->failed)
        send_frame(frame);
    guest_give();
    guest_give();
}
