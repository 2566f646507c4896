/*
 * tests/unit/test_fetch.c -- fetch(), from the guest to the egress process.
 *
 * The guest, the worker's side and the supervisor's side are the real ones, in
 * one process and with a socket between them as in life. The peer is a buffer
 * and the egress process a table of answers below.
 *
 * Uses the image of this build: GB_OUT names the folder (build/release).
 *
 * SPDX-License-Identifier: MIT
 */
#include "bench/inproc.h"
#include "env/fetch.c"
#include "jail/jail.h"
#include "tests/test.h"
#include "worker/channel.h"
#include "worker/fetch.h"
#include <sys/ioctl.h>
#include <sys/socket.h>

enum { BIG_BYTES = 3 << 20, DATA_BYTES = 50000 };

static struct image   image;
static struct cell    cell;
static struct fetches fetches;
static struct buf     said;          /* by the worker, not yet read */
static struct buf     answers;       /* to the worker, not yet sent */
static int            ours = -1;     /* the supervisor's end of the channel */
static char           denied[256];
static char           broken[400];   /* what the worker did wrong */
static unsigned       aborts, requests, most_open;

/* ---- the peer ---------------------------------------------------------------- */

#define X(name)                                                           \
    int peer_send_##name(struct peer *p, const struct msg_##name *m)      \
    {                                                                     \
        (void)p;                                                          \
        put_##name(&answers, m);                                          \
        int r = answers.failed;                                           \
        answers.failed = 0;                                               \
        return r;                                                         \
    }
X(fetch_head) X(fetch_data) X(fetch_end) X(fetch_fail)
#undef X

void result_deny(struct run_result *r, const struct msg_denied *m)
{
    (void)r;
    snprintf(denied, sizeof denied, "%.*s %.*s", (int)m->what.len, m->what.at,
             (int)m->subject.len, m->subject.at);
}

/* ---- the egress process -------------------------------------------------------- */

struct job {
    uint64_t call, credit, sent, size;
    char     method[16], path[64], body[64], headers[512];
    uint8_t  redirect;
    int      live, headed, cut, silent, hidden;
};
static struct job jobs[512];

int egress_attach(struct egress *x, uint64_t run, uint64_t max_bytes,
                  const int *fds, size_t n)
{
    (void)x, (void)run, (void)max_bytes, (void)fds, (void)n;
    return 0;
}

int egress_detach(struct egress *x, uint64_t run)
{
    (void)x, (void)run;
    memset(jobs, 0, sizeof jobs);
    return 0;
}

static void keep(char *out, size_t room, struct str s)
{
    size_t n = s.len < room - 1 ? s.len : room - 1;
    if (n)
        memcpy(out, s.at, n);
    out[n] = 0;
}

int egress_fetch(struct egress *x, const struct egress_fetch *m)
{
    static const char host[] = "http://example.com";
    (void)x;
    struct job *j = jobs;
    while (j->live)
        j++;
    *j = (struct job){ .call = m->call, .live = 1, .credit = m->credit,
                       .redirect = m->redirect };
    requests++;
    CHECK(m->url.len > sizeof host - 1 && !memcmp(m->url.at, host, sizeof host - 1));
    keep(j->method, sizeof j->method, m->method);
    keep(j->headers, sizeof j->headers, m->headers);
    keep(j->body, sizeof j->body, m->body);
    keep(j->path, sizeof j->path, (struct str){ m->url.at + sizeof host - 1,
                                                m->url.len - sizeof host + 1 });
    j->silent = !strncmp(j->path, "/silent", 7);
    j->cut = !strcmp(j->path, "/cut");
    j->size = !strncmp(j->path, "/big", 4) ? BIG_BYTES : 5;
    return 0;
}

static struct job *job_of(uint64_t call)
{
    for (size_t i = 0; i < COUNT(jobs); i++)
        if (jobs[i].live && jobs[i].call == call)
            return &jobs[i];
    return NULL;
}

int egress_abort(struct egress *x, uint64_t run, uint64_t call)
{
    (void)x, (void)run;
    struct job *j = job_of(call);
    CHECK(j != NULL);
    aborts++;
    j->live = 0;
    struct err e;
    struct egress_fail m = { run, call, FETCH_ABORTED, STR("aborted"), STR("") };
    return fetch_failed(&fetches, &m, &e);
}

int egress_more(struct egress *x, uint64_t run, uint64_t call, uint64_t bytes)
{
    (void)x, (void)run;
    struct job *j = job_of(call);
    CHECK(j != NULL);
    j->credit += bytes;
    CHECK(j->credit <= FETCH_WINDOW);
    return 0;
}

static int head_of(struct job *j, struct err *e)
{
    struct egress_head m = {
        .call = j->call, .status = 200, .status_text = STR("Fine"),
        .url = STR("http://example.com/last"), .redirected = 1,
        .headers = STR("content-type\ntext/plain\nset-cookie\na=1\n"
                       "set-cookie\nb=2\nx-odd\n\xe9\n"),
    };
    if (!strcmp(j->path, "/none"))
        m.status = 204;
    if (!strcmp(j->path, "/malformed"))
        m.url = STR("http://a b\n");
    j->headed = 1;
    return fetch_head(&fetches, &m, e);
}

/* What a server would say of the request. */
static struct str echo(const struct job *j)
{
    static char text[1024];
    int n = snprintf(text, sizeof text, "%s|%s|%s|%u", j->method, j->body,
                     j->headers, j->redirect);
    return (struct str){ text, (size_t)n };
}

static int some_data(struct job *j, struct err *e)
{
    static char bytes[DATA_BYTES];
    memset(bytes, 'x', sizeof bytes);
    struct str s = { bytes, j->size - j->sent };
    if (!strcmp(j->path, "/echo"))
        s = echo(j);
    else if (j->size == 5)
        s = STR("hello");
    if (s.len > DATA_BYTES)
        s.len = DATA_BYTES;
    if (s.len > j->credit)
        s.len = (size_t)j->credit;
    if (!s.len)
        return 0;
    j->credit -= s.len;
    j->sent += s.len;
    return fetch_data(&fetches, &(struct egress_data){ 0, j->call, s }, e);
}

static int finish(struct job *j, struct err *e)
{
    j->live = 0;
    if (j->cut)
        return fetch_failed(&fetches, &(struct egress_fail){ 0, j->call,
            FETCH_NETWORK, STR("the connection broke"), STR("") }, e);
    return fetch_done(&fetches, &(struct egress_end){ 0, j->call, j->sent }, e);
}

/* One step of each job. */
static int work(struct err *e)
{
    int r = 0;
    for (size_t i = 0; i < COUNT(jobs) && r == 0; i++) {
        struct job *j = &jobs[i];
        if (!j->live || j->silent)
            continue;
        if (!strcmp(j->path, "/fail")) {
            j->live = 0;
            r = fetch_failed(&fetches, &(struct egress_fail){ 0, j->call,
                FETCH_RESOLVE, STR("no host x"), STR("look") }, e);
        } else if (!j->headed) {
            r = head_of(j, e);
        } else if (j->sent < j->size && strcmp(j->path, "/none")) {
            r = some_data(j, e);
        } else {
            r = finish(j, e);
        }
    }
    return r;
}

/* ---- between them ---------------------------------------------------------------- */

static void collect(struct buf *b)
{
    buf_add(&said, b->at, b->len);
    buf_clear(b);
}

static int hear(uint32_t type, struct str body, struct err *e)
{
    struct msg_fetch ask;
    struct msg_fetch_abort abort_;
    struct msg_fetch_more more;
    struct msg_fetch_denied no;
    switch (type) {
    case MSG_FETCH:
        CHECK_INT(get_fetch(body, &ask), 0);
        return fetch_asked(&fetches, &ask, e);
    case MSG_FETCH_ABORT:
        CHECK_INT(get_fetch_abort(body, &abort_), 0);
        return fetch_aborted(&fetches, &abort_, e);
    case MSG_FETCH_MORE:
        CHECK_INT(get_fetch_more(body, &more), 0);
        return fetch_granted(&fetches, &more, e);
    case MSG_FETCH_DENIED:
        CHECK_INT(get_fetch_denied(body, &no), 0);
        fetch_was_denied(NULL, &no);
        return 0;
    default:
        CHECK_INT(type, MSG_OUTPUT);
        return 0;
    }
}

static void listen_to_worker(void)
{
    struct err e = { 0 };
    int r = 0;
    while (said.len && r == 0) {
        struct frame_head h;
        CHECK_INT(frame_head_read((unsigned char *)said.at, &h), 0);
        CHECK(said.len >= FRAME_HEAD_BYTES + h.len);
        r = hear(h.type, (struct str){ said.at + FRAME_HEAD_BYTES, h.len }, &e);
        buf_drop(&said, FRAME_HEAD_BYTES + h.len);
        if (fetches.open > most_open)
            most_open = fetches.open;
    }
    if (r == 0)
        r = work(&e);
    if (r < 0)
        snprintf(broken, sizeof broken, "%s", e.msg);
}

/* Whole frames only: whoever reads half of one waits for us. */
static void send_answers(void)
{
    enum { ROOM_BYTES = 128 << 10 };
    while (answers.len) {
        struct frame_head h;
        int waiting;
        CHECK_INT(frame_head_read((unsigned char *)answers.at, &h), 0);
        CHECK_INT(ioctl(JAIL_CHANNEL_FD, FIONREAD, &waiting), 0);
        size_t size = FRAME_HEAD_BYTES + h.len;
        if (waiting && (size_t)waiting + size > ROOM_BYTES)
            return;
        CHECK_INT(send(ours, answers.at, size, MSG_DONTWAIT), size);
        buf_drop(&answers, size);
    }
}

static const char *image_path(void)
{
    static char path[512];
    const char *out = getenv("GB_OUT");
    snprintf(path, sizeof path, "%s/base.image", out ? out : "build/release");
    return path;
}

static void start(enum cell_kind kind)
{
    struct err e = { 0 };
    int pair[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    ours = fcntl(pair[0], F_DUPFD_CLOEXEC, 100);
    CHECK(ours >= 0 && dup2(pair[1], JAIL_CHANNEL_FD) == JAIL_CHANNEL_FD);
    buf_init(&said, 64 << 20);
    buf_init(&answers, 64 << 20);
    inproc_start(image_path(), &image);
    if (cell_new(&image, kind, &cell, &e) < 0)
        TEST_FAIL("%s", e.msg);
    run_sink = collect;
}

static struct msg_run request(const char *source)
{
    return (struct msg_run){ .limits = run_limits_default, .mode = MODE_AUTO,
                             .name = STR("t.js"), .source = str_of(source),
                             .flags = RUN_NET };
}

/* As main.c does it; the rest of the world has a turn between two steps. */
static struct msg_result run(const struct msg_run *req)
{
    struct msg_result r;
    uint64_t ns;
    fetches_begin(&fetches, req->flags & RUN_NET ? (struct egress *)&image : NULL,
                  1, (struct peer *)&image, &req->limits);
    run_start(&cell, req);
    while (run_step(&ns) == RUN_WAITS && !broken[0]) {
        listen_to_worker();
        send_answers();
        if (ns && channel_wait(answers.len || fetches.open ? 1000000 : ns))
            fetch_receive();
    }
    run_finish(&r);
    listen_to_worker();
    fetches_end(&fetches);
    return r;
}

static struct msg_result run_text(const char *source)
{
    struct msg_run req = request(source);
    return run(&req);
}

/* The program's value must be this JSON. */
static void gives(const char *source, const char *json)
{
    CHECK_INT(cell_reset(&cell), 0);
    struct msg_result r = run_text(source);
    if (broken[0])
        TEST_FAIL("broken: %s", broken);
    if (r.reason != REASON_COMPLETED || !str_is(r.value, json))
        TEST_FAIL("%s: %.*s %.*s", reason_text(r.reason), (int)r.value.len,
                  r.value.at, (int)r.error_printed.len, r.error_printed.at);
}

#define URL "'http://example.com"
#define ERROR_OF ".catch(e => [e.name, e.message, e.cause?.code, e.cause?.message])"

/* ---- tests ------------------------------------------------------------------------ */

TEST(an_answer_reaches_the_program)
{
    start(CELL_TRACKED);
    gives("const r = await fetch(" URL "/a'); [r.status, r.statusText, r.ok, r.url,"
          " r.redirected, r.type, r.headers.get('content-type'),"
          " r.headers.getSetCookie(), r.headers.get('x-odd'), await r.text(), r.bodyUsed]",
          "[200,\"Fine\",true,\"http://example.com/last\",true,\"basic\","
          "\"text/plain\",[\"a=1\",\"b=2\"],\"\xc3\xa9\",\"hello\",true]");
    CHECK_INT(requests, 1);
}

TEST(a_script_waits_for_an_answer_that_it_does_not_await)
{
    start(CELL_TRACKED);
    gives("fetch(" URL "/a').then(r => r.text()).then(t => __return(t)); 1", "\"hello\"");
}

TEST(the_request_goes_out_as_it_was_made)
{
    start(CELL_TRACKED);
    gives("await (await fetch(" URL "/echo#x', { method: 'post', body: 'b\\u00e9',"
          " headers: { 'X-A': 'v\\u00e9', accept: 'a/b' }, redirect: 'manual' })).text()"
          ".then(t => t.split('\\n'))",
          "[\"POST|b\xc3\xa9|accept\",\"a/b\",\"content-type\",\"text/plain;charset=UTF-8\","
          "\"x-a\",\"v\xef\xbf\xbd\",\"|2\"]");
}

TEST(every_kind_of_body_is_sent)
{
    start(CELL_TRACKED);
    gives("const send = async (body) => (await (await fetch(" URL "/echo',"
          " { method: 'PUT', body })).text()).split('|')[1];"
          "const s = new ReadableStream({ start(c) { c.enqueue(new Uint8Array([115]));"
          " c.enqueue('t'); c.close(); } });"
          "[await send('a'), await send(new Uint8Array([98])), await send(new Blob(['c'])),"
          " await send(new URLSearchParams({ d: 1 })), await send(s),"
          " await send(new ArrayBuffer(0)), await send(null)]",
          "[\"a\",\"b\",\"c\",\"d=1\",\"st\",\"\",\"\"]");
}

TEST(a_large_answer_comes_in_its_window)
{
    start(CELL_TRACKED);
    gives("const r = await fetch(" URL "/big'); let n = 0, most = 0;"
          "for await (const c of r.body) { n += c.length; most = Math.max(most, c.length); }"
          "[n, most <= 65536]", "[3145728,true]");
    gives("(await (await fetch(" URL "/big')).arrayBuffer()).byteLength", "3145728");
}

TEST(an_answer_that_nobody_reads_does_not_keep_the_run)
{
    start(CELL_TRACKED);
    gives("(await fetch(" URL "/big')).status", "200");
}

TEST(a_clone_reads_the_same)
{
    start(CELL_TRACKED);
    gives("const r = await fetch(" URL "/a'), c = r.clone();"
          "[await r.text(), await c.text(), c.url, c.redirected]",
          "[\"hello\",\"hello\",\"http://example.com/last\",true]");
}

TEST(a_failure_says_what_node_would)
{
    start(CELL_TRACKED);
    gives("await fetch(" URL "/fail')" ERROR_OF,
          "[\"TypeError\",\"fetch failed\",\"ENOTFOUND\",\"ENOTFOUND: no host x\"]");
    gives("const r = await fetch(" URL "/cut'); await r.text()" ERROR_OF,
          "[\"TypeError\",\"terminated\",\"ECONNRESET\",\"ECONNRESET: the connection broke\"]");
    gives("await fetch(" URL "/malformed')" ERROR_OF,
          "[\"TypeError\",\"fetch failed\",\"EIO\",\"EIO: a malformed answer\"]");
}

TEST(no_body_where_there_can_be_none)
{
    start(CELL_TRACKED);
    gives("const a = await fetch(" URL "/none'), b = await fetch(" URL "/a', { method: 'HEAD' });"
          "[a.body, await a.text(), b.body, await b.text()]", "[null,\"\",null,\"\"]");
}

TEST(an_abort_rejects_and_is_passed_on)
{
    start(CELL_TRACKED);
    gives("const c = new AbortController(); setTimeout(() => c.abort(), 5);"
          "await fetch(" URL "/silent', { signal: c.signal })" ERROR_OF,
          "[\"AbortError\",\"This operation was aborted\",{\"$undefined\":true},"
          "{\"$undefined\":true}]");
    CHECK_INT(aborts, 1);
    gives("await fetch(" URL "/silent', { signal: AbortSignal.timeout(5) }).catch(e => e.name)",
          "\"TimeoutError\"");
    CHECK_INT(aborts, 2);
    gives("await fetch(" URL "/silent', { signal: AbortSignal.abort('no') }).catch(e => e)",
          "\"no\"");
    CHECK_INT(aborts, 2);
}

TEST(an_abort_cuts_a_body)
{
    start(CELL_TRACKED);
    gives("const c = new AbortController(), r = await fetch(" URL "/big', { signal: c.signal });"
          "const reader = r.body.getReader(); await reader.read(); c.abort();"
          "await reader.read().catch(e => e.name)", "\"AbortError\"");
    CHECK_INT(aborts, 1);
    gives("const r = await fetch(" URL "/big'); await r.body.cancel(); r.bodyUsed", "true");
    CHECK_INT(aborts, 2);
}

TEST(a_thousand_calls_go_out_64_at_a_time)
{
    start(CELL_TRACKED);
    gives("const all = await Promise.all(Array.from({ length: 1000 }, (_, i) =>"
          " fetch(" URL "/' + i).then(r => r.text()))); all.filter(t => t === 'hello').length",
          "1000");
    CHECK_INT(requests, 1000);
    CHECK_INT(most_open, MAX_FETCHES);
}

TEST(unread_answers_do_not_block_the_next_for_ever)
{
    start(CELL_TRACKED);
    gives("const kept = []; let e; try { for (;;) kept.push(await fetch(" URL "/big')); }"
          " catch (error) { e = error; } [kept.length, e.cause.code]", "[64,\"EMFILE\"]");
}

TEST(a_busy_program_gets_its_answers_too)
{
    start(CELL_TRACKED);
    gives("let text; fetch(" URL "/a').then(r => r.text()).then(t => { text = t; });"
          "await new Promise(r => setTimeout(r, 2));"
          "while (!text) await new Promise(r => setTimeout(r, 0)); text", "\"hello\"");
}

TEST(waiting_for_an_answer_costs_wall_time_only)
{
    start(CELL_TRACKED);
    struct msg_run req = request("await fetch(" URL "/silent')");
    req.limits.wall_time_ms = 150;
    req.limits.cpu_time_ms = 100;
    struct msg_result r = run(&req);
    CHECK_INT(r.reason, REASON_WALL_TIME_LIMIT);
}

TEST(an_own_clock_waits_for_the_network)
{
    start(CELL_TRACKED);
    struct msg_run req = request("const t = Date.now(); const r = await fetch(" URL "/a',"
        " { signal: AbortSignal.timeout(60000) }); const text = await r.text();"
        "await new Promise(r => setTimeout(r, 5000)); [text, Date.now() - t < 6000]");
    req.flags |= RUN_CLOCKED;
    struct msg_result r = run(&req);
    CHECK(str_is(r.value, "[\"hello\",true]"));
}

TEST(a_run_without_a_network_is_told_so)
{
    start(CELL_TRACKED);
    struct msg_run req = request("await fetch('https://example.com/a?b')" ERROR_OF);
    req.flags = 0;
    struct msg_result r = run(&req);
    CHECK(str_is(r.value, "[\"TypeError\",\"fetch failed\",\"EACCES\",\"EACCES: permission "
                          "denied, tcp://example.com:443: blocked by network.http policy\"]"));
    CHECK_INT(requests, 0);
    CHECK_TEXT(denied, "net.fetch tcp://example.com:443");
}

TEST(secrets_are_names_for_what_a_guest_never_sees)
{
    start(CELL_TRACKED);
    struct msg_run req = request("try { 'use strict'; secrets.A = 1 } catch {}"
                                 "[secrets.A, Object.isFrozen(secrets)]");
    req.secrets = STR("{\"A\":\"glovebox-secret:A\"}");
    struct msg_result r = run(&req);
    CHECK(str_is(r.value, "[\"glovebox-secret:A\",true]"));
    gives("typeof secrets", "\"undefined\"");
}

/* ---- one run and the next ------------------------------------------------------------ */

/* Without a reset between them, as a session runs them. */
static void gives_next(const char *source, const char *json)
{
    struct msg_run req = request(source);
    req.flags |= RUN_KEEP;
    struct msg_result r = run(&req);
    if (r.reason != REASON_COMPLETED || !str_is(r.value, json))
        TEST_FAIL("%s: %.*s %.*s", reason_text(r.reason), (int)r.value.len,
                  r.value.at, (int)r.error_printed.len, r.error_printed.at);
}

TEST(a_session_gives_up_the_calls_of_the_evaluation_before)
{
    start(CELL_PLAIN);
    gives_next("globalThis.p = { v: fetch(" URL "/silent') };"
               "fetch(" URL "/silent').then(x => x); 1", "1");
    gives_next("2", "2");
    gives_next("(await fetch(" URL "/a')).status", "200");
    gives_next("await p.v" ERROR_OF, "[\"TypeError\",\"fetch failed\",\"ECANCELED\","
               "\"ECANCELED: the run that sent this request is over\"]");
    gives_next("await (await fetch(" URL "/a')).text()", "\"hello\"");
}

TEST(answers_to_calls_that_are_over_are_dropped)
{
    start(CELL_TRACKED);
    struct msg_run req = request("1");
    fetch_start(&req);
    AUTO_BUF b;
    buf_init(&b, 1 << 20);
    put_fetch_end(&b, &(struct msg_fetch_end){ 1 });
    fetch_keep(MSG_FETCH_END, (struct str){ b.at + FRAME_HEAD_BYTES,
                                            b.len - FRAME_HEAD_BYTES });
    CHECK(!fetch_answered() && !fetch_open());
    CHECK(fetch_is_answer(MSG_FETCH_FAIL) && !fetch_is_answer(MSG_LOADED));
}

/* ---- a worker that was taken over ------------------------------------------------------ */

static struct err wrong;

static void supervise(int network)
{
    buf_init(&answers, 64 << 20);
    fetches_begin(&fetches, network ? (struct egress *)&image : NULL, 1,
                  (struct peer *)&image, &run_limits_default);
}

static int ask(uint32_t call, struct str body)
{
    struct msg_fetch m = { .call = call, .method = STR("POST"), .body = body,
                           .url = STR("http://example.com/silent") };
    return fetch_asked(&fetches, &m, &wrong);
}

TEST(a_request_without_a_network_breaks_the_protocol)
{
    supervise(0);
    CHECK_INT(ask(1, STR("")), -EPROTO);
    CHECK_INT(requests, 0);
}

TEST(no_more_than_64_calls_and_each_number_once_at_a_time)
{
    supervise(1);
    CHECK_INT(ask(7, STR("")), 0);
    CHECK_INT(ask(7, STR("")), -EPROTO);
    for (uint32_t i = 100; i < 100 + MAX_FETCHES - 1; i++)
        CHECK_INT(ask(i, STR("")), 0);
    CHECK_INT(ask(99, STR("")), -EPROTO);
    CHECK_INT(requests, MAX_FETCHES);
}

TEST(unknown_calls_are_nobodys)
{
    supervise(1);
    CHECK_INT(ask(1, STR("")), 0);
    CHECK_INT(fetch_aborted(&fetches, &(struct msg_fetch_abort){ 2 }, &wrong), 0);
    CHECK_INT(fetch_granted(&fetches, &(struct msg_fetch_more){ 2, UINT32_MAX }, &wrong), 0);
    CHECK_INT(fetch_aborted(&fetches, &(struct msg_fetch_abort){ 1 }, &wrong), 0);
    CHECK_INT(fetch_aborted(&fetches, &(struct msg_fetch_abort){ 1 }, &wrong), 0);
    CHECK_INT(fetch_granted(&fetches, &(struct msg_fetch_more){ 1, 9 }, &wrong), 0);
    CHECK_INT(fetch_done(&fetches, &(struct egress_end){ 1, 77, 0 }, &wrong), 0);
    CHECK_INT(aborts, 1);
    CHECK_INT(answers.len, 0);
}

TEST(a_window_cannot_be_widened)
{
    supervise(1);
    CHECK_INT(ask(1, STR("")), 0);
    struct egress_data d = { 1, fetches.place[0].number, STR("12345") };
    CHECK_INT(fetch_granted(&fetches, &(struct msg_fetch_more){ 1, 1 }, &wrong), -EPROTO);
    jobs[0].credit -= 5;
    CHECK_INT(fetch_data(&fetches, &d, &wrong), 0);
    CHECK_INT(fetch_granted(&fetches, &(struct msg_fetch_more){ 1, 5 }, &wrong), 0);
    CHECK_INT(fetch_granted(&fetches, &(struct msg_fetch_more){ 1, UINT32_MAX }, &wrong),
              -EPROTO);
}

TEST(bodies_count_against_the_limit_of_the_run)
{
    static char much[16 << 20];
    supervise(1);
    uint32_t i = 0;
    for (uint64_t left = run_limits_default.egress_bytes; left >= sizeof much;
         left -= sizeof much) {
        CHECK_INT(ask(++i, (struct str){ much, sizeof much }), 0);
        CHECK_INT(fetch_aborted(&fetches, &(struct msg_fetch_abort){ i }, &wrong), 0);
    }
    unsigned before = requests;
    CHECK_INT(ask(++i, (struct str){ much, sizeof much }), 0);
    CHECK(requests == before && answers.len > 0);
}

/* The egress process reads what servers send: it is not believed either. */
TEST(more_data_than_asked_for_ends_the_call)
{
    static char much[MAX_CHUNK_BYTES];
    supervise(1);
    CHECK_INT(ask(1, STR("")), 0);
    for (int i = 0; i < 5; i++) {
        struct egress_data d = { 1, 1, { much, sizeof much } };
        CHECK_INT(fetch_data(&fetches, &d, &wrong), 0);
    }
    CHECK_INT(aborts, 1);
    CHECK(answers.len < (size_t)5 * MAX_CHUNK_BYTES && fetches.open == 0);
}

TEST(nothing_is_said_after_the_end_of_a_run)
{
    supervise(1);
    CHECK_INT(ask(1, STR("")), 0);
    CHECK_INT(fetches_end(&fetches), 1);
    CHECK_INT(fetch_data(&fetches, &(struct egress_data){ 1, 1, STR("late") }, &wrong), 0);
    CHECK_INT(fetch_done(&fetches, &(struct egress_end){ 1, 1, 4 }, &wrong), 0);
    CHECK_INT(answers.len, 0);
    CHECK_INT(fetches_end(&fetches), 0);
}
