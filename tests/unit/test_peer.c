/*
 * tests/unit/test_peer.c -- env/peer.h with a real worker in a real jail: its
 * requests, the answers, and what comes too late.
 *
 * Uses the worker and image of this build: GB_OUT names the folder.
 *
 * SPDX-License-Identifier: MIT
 */
#include "env/clock.h"
#include "env/peer.h"
#include "tests/test.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>

static struct peer *peer;
static struct {
    int      hello, results, broken, requests, aborts, grants, denied, exited;
    uint32_t call;
    char     url[256], value[256], why[400];
} seen;
static int answers_at_once = 1;

static void keep(char *out, size_t room, struct str s)
{
    size_t n = s.len < room - 1 ? s.len : room - 1;
    if (n)
        memcpy(out, s.at, n);
    out[n] = 0;
}

static void on_hello(void *user) { (void)user; seen.hello++; }

static void answer(uint32_t call, const char *text)
{
    struct msg_fetch_head head = { .call = call, .status = 200,
                                   .url = STR("http://example.com/") };
    CHECK_INT(peer_send_fetch_head(peer, &head), 0);
    CHECK_INT(peer_send_fetch_data(peer, &(struct msg_fetch_data){ call, str_of(text) }), 0);
    CHECK_INT(peer_send_fetch_end(peer, &(struct msg_fetch_end){ call }), 0);
}

static void on_fetch(void *user, const struct msg_fetch *m)
{
    (void)user;
    seen.requests++;
    seen.call = m->call;
    keep(seen.url, sizeof seen.url, m->url);
    if (answers_at_once)
        answer(m->call, seen.url);
}

static void on_abort(void *user, const struct msg_fetch_abort *m)
{
    (void)user, (void)m;
    seen.aborts++;
}

static void on_more(void *user, const struct msg_fetch_more *m)
{
    (void)user, (void)m;
    seen.grants++;
}

static void on_denied(void *user, const struct msg_fetch_denied *m)
{
    (void)user;
    seen.denied++;
    keep(seen.url, sizeof seen.url, m->url);
}

static void on_result(void *user, const struct msg_result *m)
{
    (void)user;
    seen.results++;
    keep(seen.value, sizeof seen.value, m->value);
}

static void on_broken(void *user, const char *why)
{
    (void)user;
    seen.broken++;
    keep(seen.why, sizeof seen.why, str_of(why));
}

static void on_gone(void *user, int wait_status)
{
    (void)user, (void)wait_status;
    seen.exited++;
}

static const struct peer_events events = {
    .hello = on_hello, .fetch = on_fetch, .fetch_abort = on_abort,
    .fetch_more = on_more, .fetch_denied = on_denied, .result = on_result,
    .broken = on_broken, .exit = on_gone,
};

static int open_file(const char *name)
{
    char path[512];
    const char *out = getenv("GB_OUT");
    snprintf(path, sizeof path, "%s/%s", out ? out : "build/release", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    return fd;
}

/* Turn the loop until *count is at least n. */
static void until(const int *count, int n)
{
    while (*count < n && !seen.broken && !seen.exited) {
        struct pollfd p[2] = {
            { .fd = peer_fd(peer), .events = peer_interest(peer) },
            { .fd = peer_pidfd(peer), .events = POLLIN },
        };
        CHECK(poll(p, 2, 10000) > 0);
        if (p[0].revents & (POLLIN | POLLHUP))
            peer_readable(peer);
        if (p[0].revents & POLLOUT)
            peer_writable(peer);
        if (p[1].revents & POLLIN)
            peer_exited(peer);
    }
    if (seen.broken || seen.exited)
        TEST_FAIL("broken %d, exited %d: %s", seen.broken, seen.exited, seen.why);
}

static void start(void)
{
    struct err e = { 0 };
    struct peer_spec spec = {
        .worker_fd = open_file("glovebox-worker"), .image_fd = open_file("base.image"),
        .memory_bytes = run_limits_default.memory_bytes, .cells = 1,
    };
    if (peer_start(&spec, &peer, &e) < 0)
        TEST_FAIL("%s", e.msg);
    peer_listen(peer, &events, NULL);
    until(&seen.hello, 1);
}

static void run(const char *source, unsigned flags)
{
    struct msg_run m = { .id = 1, .limits = run_limits_default, .mode = MODE_AUTO,
                         .name = STR("t.js"), .source = str_of(source),
                         .flags = flags };
    CHECK_INT(peer_send_run(peer, &m), 0);
}

static void gives(const char *source, unsigned flags, const char *json)
{
    int before = seen.results;
    run(source, flags);
    until(&seen.results, before + 1);
    CHECK_TEXT(seen.value, json);
}

TEST(a_sealed_worker_fetches_through_its_channel)
{
    start();
    gives("await (await fetch('http://example.com/a')).text()", RUN_NET,
          "\"http://example.com/a\"");
    gives("(await Promise.all([1, 2, 3].map(async n =>"
          " (await fetch('http://example.com/' + n)).text()))).map(t => +t.at(-1))",
          RUN_NET, "[1,2,3]");
    CHECK_INT(seen.requests, 4);
    peer_free(peer);
}

TEST(a_run_without_a_network_sends_no_request)
{
    start();
    gives("await fetch('http://example.com/a').catch(e => e.cause.code)", 0,
          "\"EACCES\"");
    CHECK(seen.requests == 0 && seen.denied == 1);
    CHECK_TEXT(seen.url, "http://example.com/a");
    gives("for (let i = 0; i < 100; i++) await fetch('http://example.com/a').catch(() => {}); 1",
          0, "1");
    CHECK(seen.denied <= 1 + 32);
    peer_free(peer);
}

/* The call of the second run has the number of the first one's: an answer that
 * was on its way must not be taken for its own. */
TEST(an_answer_to_the_run_before_is_not_taken_for_one_of_this_run)
{
    start();
    answers_at_once = 0;
    run("fetch('http://example.com/old').then(r => r.text());"
        "setTimeout(() => { throw 8 }, 1)", RUN_NET);
    until(&seen.requests, 1);
    uint32_t call = seen.call;
    answer(call, "stale");           /* while it runs, or just not any more */
    until(&seen.results, 1);
    CHECK_INT(peer_send_fetch_end(peer, &(struct msg_fetch_end){ call }), -EINVAL);
    run("await (await fetch('http://example.com/new')).text()", RUN_NET);
    until(&seen.requests, 2);
    CHECK_INT(seen.call, call);
    answer(seen.call, "fresh");
    until(&seen.results, 2);
    CHECK_TEXT(seen.value, "\"fresh\"");
    peer_free(peer);
}

/* The same, with answers that an idle worker reads: its result was sent right
 * behind the request. */
TEST(an_idle_worker_drops_answers)
{
    start();
    for (int i = 0; i < 20; i++) {
        int before = seen.results;
        run("fetch('http://example.com/old').then(r => r.text()); throw 8", RUN_NET);
        until(&seen.results, before + 1);
        gives("await (await fetch('http://example.com/new')).text()", RUN_NET,
              "\"http://example.com/new\"");
    }
    CHECK_INT(seen.requests, 40);
    peer_free(peer);
}

TEST(answers_arrive_in_any_order)
{
    start();
    answers_at_once = 0;
    run("const p = fetch('http://example.com/a').then(r => r.text());"
        "const early = await Promise.race([p, new Promise(r => setTimeout(r, 1, 'timer'))]);"
        "[early, await p]", RUN_NET);
    until(&seen.requests, 1);
    answer(99, "to nobody");
    answer(seen.call, "x");
    CHECK_INT(peer_send_fetch_fail(peer, &(struct msg_fetch_fail){ seen.call,
        STR("EIO"), STR("after the end"), STR("") }), 0);
    until(&seen.results, 1);
    CHECK(strstr(seen.value, "\"x\"]"));
    peer_free(peer);
}

TEST(a_large_body_passes_the_channel_both_ways)
{
    start();
    gives("const r = await fetch('http://example.com/a', { method: 'POST',"
          " body: new Uint8Array(15e6) }); (await r.text()).length", RUN_NET, "20");
    peer_free(peer);
}
