/* tests/unit/test_egress.c -- fetch, by the real process and real servers, all
 * on loopback.  SPDX-License-Identifier: MIT */
#include "tests/escape/egress/world.h"

#include <fcntl.h>
#include <zlib.h>

enum { RUN = 7 };

static uint64_t calls;

/* Asks and does not wait. */
static void ask(struct egress_fetch m, const char *url)
{
    if (!m.run)
        m.run = RUN;
    if (!m.call)
        m.call = ++calls;
    if (!m.credit)
        m.credit = 64 << 10;
    if (!m.method.len)
        m.method = STR("GET");
    m.url = str_of(url);
    CHECK_INT(egress_fetch(world.x, &m), 0);
}

__attribute__((format(printf, 2, 3)))
static void get(struct egress_fetch m, const char *url, ...)
{
    char text[2048];
    va_list ap;
    va_start(ap, url);
    vsnprintf(text, sizeof text, url, ap);
    va_end(ap);
    forget();
    ask(m, text);
    UNTIL(world.ended || world.failed);
}

static void attach(uint64_t max_bytes)
{
    CHECK_INT(egress_attach(world.x, RUN, max_bytes, NULL, 0), 0);
}

static const char *body(void)
{
    buf_add(&world.body, "", 1);
    world.body.len--;
    return world.body.at;
}

/* ---- life ------------------------------------------------------------------- */

TEST(it_starts_and_ends)
{
    begin("allow a");
    UNTIL(world.online);
    egress_free(world.x);
}

TEST(bad_rules_are_refused_before_anything_starts)
{
    struct egress *x = NULL;
    struct err e = { 0 };
    CHECK_INT(egress_start(&(struct egress_spec){ .policy = STR("alow a") }, &x,
                           &e), -EINVAL);
    CHECK(strstr(e.msg, "allow or deny"));
    struct egress_secret s = { STR("K"), STR("v\n"), STR("a") };
    CHECK_INT(egress_start(&(struct egress_spec){ .secret = &s, .secrets = 1 },
                           &x, &e), -EINVAL);
    CHECK(x == NULL);
}

TEST(a_bad_name_server_takes_it_offline_with_a_reason)
{
    begin_spec(&(struct egress_spec){ .nameserver = STR("not-an-address") });
    UNTIL(world.gone);
    CHECK(strstr(world.why, "name server"));
    CHECK_INT(egress_attach(world.x, 1, 1, NULL, 0), -EPIPE);
    egress_free(world.x);
}

static pid_t child_of_mine(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char text[256] = "";
    if (fd < 0 || read(fd, text, sizeof text - 1) <= 0)
        SKIP("no list of children in /proc");
    close(fd);
    const char *last = strrchr(text, ' ');
    while (last > text && last[-1] != ' ')
        last--;
    return (pid_t)strtol(last, NULL, 10);
}

TEST(when_it_dies_everything_has_an_end)
{
    uint16_t port = http_server();
    begin("allow 127.0.0.1:%d", port);
    pid_t pid = child_of_mine();
    attach(1 << 20);
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%d/never", port);
    ask((struct egress_fetch){ 0 }, url);
    UNTIL(seen->connections);
    kill(pid, SIGTERM);
    UNTIL(world.gone);
    CHECK_INT(world.failed, 1);
    CHECK_INT(world.code, FETCH_GONE);
    CHECK(strstr(world.message, "SIGTERM"));
    CHECK_INT(world.usage.last, 1);
    CHECK_INT(world.usage.run, RUN);
    CHECK_INT(egress_fetch(world.x, &(struct egress_fetch){ .run = RUN }), -EPIPE);
    egress_free(world.x);
}

/* Its environment, its descriptors, its user and its rights. */
TEST(it_keeps_nothing_it_does_not_need)
{
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("GB_TEST_SECRET", "environment", 1);
    int extra = open("/dev/null", O_RDONLY);    /* not close-on-exec */
    begin("allow a");
    UNTIL(world.online);
    char path[64], text[4096] = "";
    snprintf(path, sizeof path, "/proc/%d/status", (int)child_of_mine());
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0 && read(fd, text, sizeof text - 1) > 0);
    CHECK(strstr(text, "NoNewPrivs:\t1"));
    CHECK(strstr(text, "CapEff:\t0000000000000000"));
    if (!getenv("GB_SANITIZED"))
        CHECK(strstr(text, "Seccomp:\t2"));
    if (geteuid() == 0)
        CHECK(!strstr(text, "Uid:\t0\t"));
    close(fd);
    close(extra);
    egress_free(world.x);
}

/* ---- answers ---------------------------------------------------------------- */

TEST(a_request_is_answered)
{
    uint16_t port = http_server();
    begin("allow 127.0.0.1:%d", port);
    attach(1 << 20);
    get((struct egress_fetch){ 0 }, "http://127.0.0.1:%d/hello?x=1#y", port);
    CHECK_TEXT(body(), "hello");
    CHECK_INT(world.status, 200);
    CHECK(strstr(world.headers, "x-plain\nyes\n"));
    CHECK(strstr(world.url, "/hello?x=1"));
    CHECK(!strstr(world.url, "#"));
    CHECK(said("allow net.fetch GET http://127.0.0.1:"));
    CHECK(!said("x=1"));    /* a query may be private */

    get((struct egress_fetch){ 0 }, "http://127.0.0.1:%d/chunked", port);
    CHECK_TEXT(body(), "abcde");
    CHECK(!strstr(world.headers, "x\ny\n"));
    get((struct egress_fetch){ 0 }, "http://127.0.0.1:%d/early", port);
    CHECK_INT(world.status, 204);
    get((struct egress_fetch){ .method = STR("HEAD") },
        "http://127.0.0.1:%d/hello", port);
    CHECK_INT(world.body.len, 0);
    get((struct egress_fetch){ 0 }, "http://127.0.0.1:%d/cut", port);
    CHECK_INT(world.code, FETCH_NETWORK);
    egress_detach(world.x, RUN);
    UNTIL(world.usage.last);
    CHECK_INT(world.usage.requests, 5);
    if (world.usage.received < 200 || world.usage.sent < 200)
        TEST_FAIL("%d sent, %d received", (int)world.usage.sent,
                  (int)world.usage.received);
    egress_free(world.x);
}

TEST(headers_and_bodies_go_out_as_given_but_not_those_of_the_connection)
{
    uint16_t port = http_server();
    begin("allow 127.0.0.1:%d", port);
    attach(1 << 20);
    get((struct egress_fetch){
            .method = STR("POST"), .has_body = 1, .body = STR("{\"a\":1}"),
            .headers = STR("Content-Type\napplication/json\nX-Mine\n1\nX-Empty\n\n"
                           "Host\nevil.example\nConnection\nclose\n"
                           "Transfer-Encoding\nchunked\nContent-Length\n3\n"
                           "Proxy-Authorization\nx\nExpect\n100-continue\n") },
        "http://127.0.0.1:%d/echo", port);
    const char *sent = body();
    CHECK(strstr(sent, "POST /echo HTTP/1.1\r\n"));
    CHECK(strstr(sent, "\r\n\r\n{\"a\":1}"));
    CHECK(strstr(sent, "Content-Type: application/json\r\n"));
    CHECK(strstr(sent, "X-Mine: 1\r\n"));
    CHECK(strcasestr(sent, "X-Empty:"));
    CHECK(strstr(sent, "Content-Length: 7\r\n"));
    CHECK(strstr(sent, "Host: 127.0.0.1:"));
    CHECK(!strstr(sent, "evil.example"));
    CHECK(!strcasestr(sent, "chunked"));
    CHECK(!strcasestr(sent, "proxy-auth"));
    CHECK(!strcasestr(sent, "expect"));
    get((struct egress_fetch){ .method = STR("POST") },
        "http://127.0.0.1:%d/echo", port);
    CHECK(strstr(body(), "Content-Length: 0\r\n"));
    CHECK(!strcasestr(body(), "content-type"));
    egress_free(world.x);
}

TEST(bad_requests_never_leave)
{
    uint16_t port = http_server();
    begin("allow *:*\nallow 127.0.0.1:*");
    attach(1 << 20);
    static const struct { const char *method, *url; unsigned code; } rows[] = {
        { "CONNECT", "http://127.0.0.1/", FETCH_BAD_REQUEST },
        { "TRACE", "http://127.0.0.1/", FETCH_BAD_REQUEST },
        { "GET /x HTTP/1.1\r\nX:", "http://127.0.0.1/", FETCH_BAD_REQUEST },
        { "get", "http://127.0.0.1/", FETCH_BAD_REQUEST },
        { "GET", "http://a@127.0.0.1/", FETCH_BAD_URL },
        { "GET", "file:///etc/passwd", FETCH_BAD_URL },
        { "GET", "http://127.0.0.1/\r\nX: y", FETCH_BAD_URL },
        { "GET", "http://2130706433/", FETCH_BAD_URL },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        get((struct egress_fetch){ .method = str_of(rows[i].method) }, "%s",
            rows[i].url);
        if (world.code != rows[i].code)
            TEST_FAIL("row %zu: %u %s", i, world.code, world.message);
    }
    get((struct egress_fetch){ .has_body = 1, .body = STR("x") },
        "http://127.0.0.1:%d/", port);
    CHECK_INT(world.code, FETCH_BAD_REQUEST);
    struct egress_fetch bad = { .run = RUN, .call = 999, .method = STR("GET"),
                                .url = STR("http://127.0.0.1/"),
                                .headers = STR("X\na\r\nY: b\n") };
    CHECK_INT(egress_fetch(world.x, &bad), -EINVAL);
    CHECK_INT(seen->connections, 0);
    egress_free(world.x);
}

/* ---- policy ----------------------------------------------------------------- */

TEST(what_no_rule_allows_is_denied_and_told)
{
    uint16_t port = http_server();
    begin("allow 127.0.0.1:%d methods=GET path=/hello**", port);
    attach(1 << 20);
    get((struct egress_fetch){ 0 }, "http://127.0.0.1:%d/hello", port);
    CHECK_INT(world.status, 200);
    int before = seen->connections;

    get((struct egress_fetch){ .method = STR("PUT") },
        "http://127.0.0.1:%d/hello", port);
    CHECK_INT(world.code, FETCH_DENIED);
    get((struct egress_fetch){ 0 }, "http://127.0.0.1:%d/echo", port);
    CHECK_INT(world.code, FETCH_DENIED);
    get((struct egress_fetch){ 0 }, "http://127.0.0.1:%d/hello/../echo", port);
    CHECK_INT(world.code, FETCH_DENIED);
    get((struct egress_fetch){ 0 }, "http://evil.example/");
    CHECK_INT(world.code, FETCH_DENIED);
    CHECK(said("deny net.fetch GET http://evil.example/ [default]"));
    get((struct egress_fetch){ 0 }, "http://169.254.169.254/latest/meta-data/");
    CHECK_INT(world.code, FETCH_DENIED);
    CHECK_INT(seen->connections, before);
    egress_detach(world.x, RUN);
    UNTIL(world.usage.last);
    CHECK_INT(world.usage.denied, 5);
    egress_free(world.x);
}

TEST(private_addresses_are_denied_whatever_name_leads_there)
{
    uint16_t port = http_server();
    char rules[256];
    snprintf(rules, sizeof rules, "allow *:%d\nallow 127.0.0.2:%d", port, port);
    begin_spec(&(struct egress_spec){
        .policy = str_of(rules),
        .hosts = STR("127.0.0.1 evil.example\n10.0.0.1 ten.example\n"
                     "::ffff:127.0.0.1 mapped.example\n127.0.0.2 good.example\n"
                     "127.0.0.1 both.example\n127.0.0.2 both.example\n") });
    attach(1 << 20);
    static const char *const bad[] = { "evil.example", "ten.example",
                                       "mapped.example", "localhost",
                                       "127.0.0.1", "[::1]" };
    for (size_t i = 0; i < COUNT(bad); i++) {
        get((struct egress_fetch){ 0 }, "http://%s:%d/hello", bad[i], port);
        if (world.code != FETCH_DENIED || !said("deny net.fetch"))
            TEST_FAIL("%s: %u %s", bad[i], world.code, world.message);
    }
    CHECK_INT(seen->connections, 0);
    get((struct egress_fetch){ 0 }, "http://good.example:%d/hello", port);
    CHECK_INT(world.status, 200);
    CHECK(said("127.0.0.2"));
    get((struct egress_fetch){ 0 }, "http://both.example:%d/hello", port);
    CHECK_INT(world.status, 200);    /* by the address that may be had */
    egress_free(world.x);
}

TEST(a_name_that_changes_its_mind_is_judged_again)
{
    static const char *const answers[] = { "127.0.0.1", "127.0.0.2", "127.0.0.1" };
    uint16_t port = http_server(), dns = name_server(answers, 3);
    char rules[256], server[64];
    snprintf(rules, sizeof rules, "allow rebind.example:%d\nallow 127.0.0.1:%d",
             port, port);
    snprintf(server, sizeof server, "127.0.0.1:%d", dns);
    begin_spec(&(struct egress_spec){ .policy = str_of(rules),
                                      .nameserver = str_of(server) });
    attach(1 << 20);
    get((struct egress_fetch){ 0 }, "http://rebind.example:%d/hello", port);
    CHECK_INT(world.status, 200);
    int before = seen->connections;
    get((struct egress_fetch){ 0 }, "http://rebind.example:%d/hello", port);
    CHECK_INT(world.code, FETCH_DENIED);
    CHECK(said("[a loopback address] 127.0.0.2"));
    CHECK_INT(seen->connections, before);
    CHECK_INT(seen->questions, 2);
    get((struct egress_fetch){ 0 }, "http://rebind.example:%d/hello", port);
    CHECK_INT(world.status, 200);
    egress_free(world.x);
}

TEST(names_that_nobody_knows_fail)
{
    uint16_t dns = name_server(NULL, 0);
    char server[64];
    snprintf(server, sizeof server, "127.0.0.1:%d", dns);
    begin_spec(&(struct egress_spec){ .policy = STR("allow *"),
                                      .nameserver = str_of(server) });
    attach(1 << 20);
    get((struct egress_fetch){ 0 }, "http://nobody.example/");
    CHECK_INT(world.code, FETCH_RESOLVE);
    CHECK(strstr(world.message, "there is no host nobody.example"));
    egress_free(world.x);
}

/* ---- redirects -------------------------------------------------------------- */

TEST(redirects_are_followed_and_judged_hop_by_hop)
{
    uint16_t port = http_server(), other = http_server();
    char rules[256];
    snprintf(rules, sizeof rules, "allow 127.0.0.1:%d\nallow ok.example:%d\n"
             "allow evil.example:%d", port, port, other);
    begin_spec(&(struct egress_spec){
        .policy = str_of(rules),
        .hosts = STR("127.0.0.1 ok.example evil.example\n") });
    attach(1 << 20);
    get((struct egress_fetch){ 0 }, "http://127.0.0.1:%d/to?/hello", port);
    CHECK_TEXT(body(), "hello");
    CHECK_INT(world.redirected, 1);
    CHECK(strstr(world.url, "/hello"));

    int before = seen->connections;
    get((struct egress_fetch){ 0 }, "http://127.0.0.1:%d/to?http://evil.example:%d/",
        port, other);    /* its address is not opened on that port */
    CHECK_INT(world.code, FETCH_DENIED);
    get((struct egress_fetch){ 0 }, "http://127.0.0.1:%d/to?http://10.0.0.1/", port);
    CHECK_INT(world.code, FETCH_DENIED);
    get((struct egress_fetch){ 0 }, "http://127.0.0.1:%d/to?file:///etc/passwd",
        port);
    CHECK_INT(world.code, FETCH_REDIRECT);
    get((struct egress_fetch){ 0 }, "http://127.0.0.1:%d/round", port);
    CHECK_INT(world.code, FETCH_REDIRECT);
    CHECK(seen->connections <= before + 5);
    get((struct egress_fetch){ .redirect = REDIRECT_ERROR },
        "http://127.0.0.1:%d/to?/hello", port);
    CHECK_INT(world.code, FETCH_REDIRECT);
    get((struct egress_fetch){ .redirect = REDIRECT_MANUAL },
        "http://127.0.0.1:%d/to?/hello", port);
    CHECK_INT(world.status, 302);
    CHECK(strstr(world.headers, "location\n/hello\n"));
    CHECK_TEXT(body(), "moved");
    egress_free(world.x);
}

TEST(another_origin_is_not_told_what_the_first_was)
{
    uint16_t port = http_server();
    char rules[256];
    snprintf(rules, sizeof rules, "allow 127.0.0.1:%d\nallow ok.example:%d", port,
             port);
    begin_spec(&(struct egress_spec){ .policy = str_of(rules),
                                      .hosts = STR("127.0.0.1 ok.example\n") });
    attach(1 << 20);
    struct egress_fetch m = {
        .method = STR("POST"), .has_body = 1, .body = STR("data"),
        .headers = STR("authorization\nBearer x\nCookie\na=b\nX-Mine\n1\n"
                       "Content-Type\ntext/plain\n") };
    get(m, "http://127.0.0.1:%d/to307?http://ok.example:%d/echo", port, port);
    CHECK(strstr(body(), "POST /echo"));
    CHECK(strstr(body(), "\r\n\r\ndata"));
    CHECK(strstr(body(), "X-Mine: 1"));
    CHECK(strstr(body(), "Host: ok.example"));
    CHECK(!strcasestr(body(), "authorization"));
    CHECK(!strcasestr(body(), "cookie"));

    get(m, "http://127.0.0.1:%d/to307?/echo", port);
    CHECK(strcasestr(body(), "authorization: Bearer x"));
    get(m, "http://127.0.0.1:%d/to303?/echo", port);
    CHECK(strstr(body(), "GET /echo"));
    CHECK(!strcasestr(body(), "content-type"));
    CHECK(!strstr(body(), "data"));
    m.method = STR("PUT");
    get(m, "http://127.0.0.1:%d/to?/echo", port);
    CHECK(strstr(body(), "PUT /echo"));
    egress_free(world.x);
}

/* ---- secrets ---------------------------------------------------------------- */

static void begin_with_secrets(uint16_t port)
{
    static const struct egress_secret secret[] = {
        { STR("KEY"), STR("s3cr3t-value"), STR("127.0.0.1") },
        { STR("DEEP"), STR("d33p"), STR("*.ok.example") },
    };
    static char rules[256];
    snprintf(rules, sizeof rules, "allow *:%d\nallow 127.0.0.1:%d", port, port);
    begin_spec(&(struct egress_spec){
        .policy = str_of(rules), .secret = secret, .secrets = 2,
        .hosts = STR("127.0.0.1 ok.example a.ok.example\n") });
    attach(16 << 20);
}

TEST(a_secret_goes_to_its_host_and_to_no_other)
{
    uint16_t port = http_server();
    begin_with_secrets(port);
    struct egress_fetch m = {
        .headers = STR("Authorization\nBearer glovebox-secret:KEY!\n") };
    get(m, "http://127.0.0.1:%d/echo", port);
    CHECK(strstr(seen->request, "Authorization: Bearer s3cr3t-value!\r\n"));
    CHECK(strstr(body(), "Authorization: Bearer ************!\r\n"));
    CHECK(!strstr(body(), "s3cr3t-value"));

    int before = seen->connections;
    get(m, "http://ok.example:%d/echo", port);
    CHECK_INT(world.code, FETCH_DENIED);
    CHECK(strstr(world.message, "secret KEY is bound to 127.0.0.1"));
    CHECK(said("deny net.secret"));
    m.headers = STR("X\nglovebox-secret:DEEP\n");
    get(m, "http://a.ok.example:%d/echo", port);
    CHECK_INT(world.code, FETCH_DENIED);
    CHECK(strstr(world.message, "https only"));
    m.headers = STR("X\nglovebox-secret:NONE\n");
    get(m, "http://127.0.0.1:%d/echo", port);
    CHECK_INT(world.code, FETCH_DENIED);
    CHECK_INT(seen->connections, before);

    /* in the URL, a header's name or the body it is just a text */
    m.headers = STR("X\ny\n");
    m.method = STR("POST"), m.has_body = 1, m.body = STR("glovebox-secret:KEY");
    get(m, "http://127.0.0.1:%d/echo", port);
    CHECK(strstr(body(), "\r\n\r\nglovebox-secret:KEY"));
    CHECK(!strstr(world.decisions, "s3cr3t"));
    egress_free(world.x);
}

TEST(a_redirect_takes_no_secret_along)
{
    uint16_t port = http_server();
    begin_with_secrets(port);
    get((struct egress_fetch){ .headers = STR("X-Key\nglovebox-secret:KEY\n") },
        "http://127.0.0.1:%d/to?http://ok.example:%d/echo", port, port);
    CHECK(strstr(body(), "Host: ok.example"));
    CHECK(!strstr(body(), "X-Key"));
    CHECK(!strstr(seen->request, "s3cr3t"));
    egress_free(world.x);
}

static int secret_in_pieces(int fd, const char *path)
{
    if (strcmp(path, "/pieces") != 0)
        return 0;
    say(fd, "HTTP/1.1 200 OK\r\nX-Echo: s3cr3t-value\r\nContent-Length: 26\r\n\r\n"
            "[s3cr");
    struct timespec t = { .tv_nsec = 100000000 };
    nanosleep(&t, NULL);
    say(fd, "3t-value][s3cr3t-valu");
    return 1;
}

TEST(a_secret_that_comes_back_in_pieces_is_struck_out)
{
    more_paths = secret_in_pieces;
    uint16_t port = http_server();
    begin_with_secrets(port);
    get((struct egress_fetch){ .headers = STR("X-Key\nglovebox-secret:KEY\n") },
        "http://127.0.0.1:%d/pieces", port);
    CHECK_TEXT(body(), "[************][s3cr3t-valu");
    CHECK(strstr(world.headers, "x-echo\n************\n"));
    egress_free(world.x);
}

/* ---- limits ----------------------------------------------------------------- */

TEST(a_body_comes_no_faster_than_it_is_taken)
{
    uint16_t port = http_server();
    begin("allow 127.0.0.1:%d", port);
    attach(64 << 20);
    world.hold = 1;
    forget();
    char url[128];
    snprintf(url, sizeof url, "http://127.0.0.1:%d/bytes?8000000", port);
    ask((struct egress_fetch){ .call = 1, .credit = 100000 }, url);
    UNTIL(world.body.len == 100000);
    for (int i = 0; i < 5; i++)
        turn(50);
    CHECK_INT(world.body.len, 100000);
    CHECK(!world.ended);
    CHECK_INT(egress_more(world.x, RUN, 1, 50000), 0);
    UNTIL(world.body.len == 150000);
    world.hold = 0;
    CHECK_INT(egress_more(world.x, RUN, 1, 100000), 0);
    UNTIL(world.ended);
    CHECK_INT(world.body.len, 8000000);
    egress_free(world.x);
}

TEST(limits_of_size_and_time_hold)
{
    uint16_t port = http_server();
    begin("allow 127.0.0.1:%d", port);
    attach(3 << 20);
    get((struct egress_fetch){ .max_bytes = 10000 },
        "http://127.0.0.1:%d/bytes?10001", port);
    CHECK_INT(world.code, FETCH_TOO_LARGE);
    get((struct egress_fetch){ .max_bytes = 10000 },
        "http://127.0.0.1:%d/bytes?10000", port);
    CHECK_INT(world.ended, 1);
    get((struct egress_fetch){ .timeout_ms = 300 }, "http://127.0.0.1:%d/never",
        port);
    CHECK_INT(world.code, FETCH_TIMEOUT);
    get((struct egress_fetch){ 0 }, "http://127.0.0.1:%d/bytes?4000000", port);
    CHECK_INT(world.code, FETCH_LIMIT);
    CHECK(said("deny net.limit max_egress_bytes"));
    get((struct egress_fetch){ 0 }, "http://127.0.0.1:%d/hello", port);
    CHECK_INT(world.code, FETCH_LIMIT);
    egress_detach(world.x, RUN);
    UNTIL(world.usage.last);
    CHECK_INT(world.usage.over, 1);
    CHECK(world.usage.received < (3 << 20) + (256 << 10));
    egress_free(world.x);
}

static size_t packed_zeros(size_t total, int window, unsigned char *out,
                           size_t room)
{
    static unsigned char zeros[65536];
    z_stream z = { .next_out = out, .avail_out = (unsigned)room };
    CHECK_INT(deflateInit2(&z, 9, Z_DEFLATED, window, 9, Z_DEFAULT_STRATEGY), Z_OK);
    for (size_t left = total; left;) {
        size_t n = left < sizeof zeros ? left : sizeof zeros;
        z.next_in = zeros;
        z.avail_in = (unsigned)n;
        left -= n;
        deflate(&z, left ? Z_NO_FLUSH : Z_FINISH);
    }
    size_t n = room - z.avail_out;
    deflateEnd(&z);
    return n;
}

static int packed(int fd, const char *path)
{
    static unsigned char out[1 << 20];
    static const struct { const char *path, *coding; int window; } rows[] = {
        { "/gzip?", "gzip", 31 }, { "/zlib?", "deflate", 15 },
        { "/raw?", "deflate", -15 }, { "/cutgzip?", "gzip", 31 },
        { "/odd?", "br", 31 },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t n = strlen(rows[i].path);
        if (strncmp(path, rows[i].path, n) != 0)
            continue;
        size_t len = packed_zeros(strtoul(path + n, NULL, 10), rows[i].window,
                                  out, sizeof out);
        char more[64];
        snprintf(more, sizeof more, "Content-Encoding: %s\r\n", rows[i].coding);
        answer(fd, more, (char *)out, i == 3 ? len / 2 : len);
        return 1;
    }
    return 0;
}

TEST(packed_answers_are_unpacked_up_to_the_limit)
{
    more_paths = packed;
    uint16_t port = http_server();
    begin("allow 127.0.0.1:%d", port);
    attach(64 << 20);
    static const char *const paths[] = { "gzip", "zlib", "raw" };
    for (size_t i = 0; i < COUNT(paths); i++) {
        get((struct egress_fetch){ 0 }, "http://127.0.0.1:%d/%s?3000000", port,
            paths[i]);
        CHECK_INT(world.ended, 1);
        CHECK_INT(world.body.len, 3000000);
    }
    get((struct egress_fetch){ .max_bytes = 1 << 20 },
        "http://127.0.0.1:%d/gzip?500000000", port);
    CHECK_INT(world.code, FETCH_TOO_LARGE);
    CHECK(world.body.len <= 1 << 20);
    get((struct egress_fetch){ 0 }, "http://127.0.0.1:%d/cutgzip?3000000", port);
    CHECK_INT(world.code, FETCH_NETWORK);
    get((struct egress_fetch){ 0 }, "http://127.0.0.1:%d/odd?30", port);
    CHECK_INT(world.code, FETCH_NETWORK);
    egress_free(world.x);
}

TEST(requests_can_be_aborted_and_the_process_goes_on)
{
    uint16_t port = http_server();
    begin("allow 127.0.0.1:%d", port);
    attach(64 << 20);
    char url[128];
    snprintf(url, sizeof url, "http://127.0.0.1:%d/never", port);
    forget();
    ask((struct egress_fetch){ .call = 1 }, url);
    CHECK_INT(egress_fetch(world.x, &(struct egress_fetch){ .run = RUN, .call = 1 }),
              -EEXIST);
    UNTIL(seen->connections == 1);
    CHECK_INT(egress_abort(world.x, RUN, 1), 0);
    UNTIL(world.failed);
    CHECK_INT(world.code, FETCH_ABORTED);
    CHECK_INT(egress_abort(world.x, RUN, 1), -ENOENT);
    get((struct egress_fetch){ 0 }, "http://127.0.0.1:%d/hello", port);
    CHECK_INT(world.status, 200);

    forget();    /* a run that ends takes its requests along */
    ask((struct egress_fetch){ .call = 50 }, url);
    CHECK_INT(egress_detach(world.x, RUN), 0);
    UNTIL(world.usage.last);
    CHECK_INT(world.failed, 1);
    CHECK_INT(egress_detach(world.x, RUN), -ENOENT);
    CHECK_INT(egress_fetch(world.x, &(struct egress_fetch){ .run = RUN }), -ENOENT);
    egress_free(world.x);
}

TEST(many_at_once_and_no_more_than_that)
{
    uint16_t port = http_server();
    begin("allow 127.0.0.1:%d", port);
    attach(64 << 20);
    char url[128];
    snprintf(url, sizeof url, "http://127.0.0.1:%d/bytes?100000", port);
    forget();
    for (int i = 0; i < 50; i++)
        ask((struct egress_fetch){ 0 }, url);
    UNTIL(world.ended == 50);
    CHECK_INT(world.body.len, 5000000);
    forget();
    snprintf(url, sizeof url, "http://127.0.0.1:%d/never", port);
    for (int i = 0; i < MAX_FETCHES + 1; i++)
        ask((struct egress_fetch){ 0 }, url);
    UNTIL(world.failed);
    CHECK_INT(world.code, FETCH_BAD_REQUEST);
    egress_free(world.x);
}

TEST(runs_are_kept_apart)
{
    uint16_t port = http_server();
    begin("allow 127.0.0.1:%d", port);
    attach(100);
    CHECK_INT(egress_attach(world.x, RUN, 1, NULL, 0), -EEXIST);
    CHECK_INT(egress_attach(world.x, 8, 1 << 20, NULL, 0), 0);
    get((struct egress_fetch){ 0 }, "http://127.0.0.1:%d/hello", port);
    CHECK_INT(world.code, FETCH_LIMIT);
    get((struct egress_fetch){ .run = 8 }, "http://127.0.0.1:%d/hello", port);
    CHECK_INT(world.status, 200);
    egress_free(world.x);
}

/* ---- TLS -------------------------------------------------------------------- */

static int run_openssl(const char *const *argv, int wait_for)
{
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(null, 0), dup2(null, 1), dup2(null, 2);
        execvp("openssl", (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    int st = 0;
    if (wait_for)
        waitpid(pid, &st, 0);
    return st;
}

static void wait_for_port(uint16_t port)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < 100; i++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        int r = connect(fd, (struct sockaddr *)&a, sizeof a);
        close(fd);
        if (r == 0)
            return;
        poll(NULL, 0, 50);
    }
    TEST_FAIL("the TLS server does not listen");
}

TEST(certificates_are_checked)
{
    char dir[] = "/tmp/egress-test-XXXXXX", key[64], cert[64], accept[32];
    CHECK(mkdtemp(dir) != NULL);
    snprintf(key, sizeof key, "%s/key", dir);
    snprintf(cert, sizeof cert, "%s/cert", dir);
    const char *make[] = { "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
        "/CN=tls.example", "-addext", "subjectAltName=DNS:tls.example",
        "-keyout", key, "-out", cert, NULL };
    if (run_openssl(make, 1) != 0)
        SKIP("no openssl to make a certificate with");
    uint16_t port = 0;
    close(bound_socket(SOCK_STREAM, "127.0.0.1", &port));
    snprintf(accept, sizeof accept, "127.0.0.1:%d", port);
    const char *server[] = { "openssl", "s_server", "-accept", accept, "-cert",
                             cert, "-key", key, "-www", "-quiet", NULL };
    run_openssl(server, 0);
    wait_for_port(port);

    static char pem[8192], rules[256];
    int fd = open(cert, O_RDONLY | O_CLOEXEC);
    ssize_t n = read(fd, pem, sizeof pem);
    close(fd);
    CHECK(n > 0);
    unlink(key), unlink(cert), rmdir(dir);
    snprintf(rules, sizeof rules, "allow *:%d\nallow 127.0.0.1:%d", port, port);
    struct egress_secret secret = { STR("KEY"), STR("v4lue"), STR("tls.example") };
    struct egress_spec spec = {
        .policy = str_of(rules), .secret = &secret, .secrets = 1,
        .hosts = STR("127.0.0.1 tls.example other.example\n"),
        .ca_pem = { pem, (size_t)n } };
    begin_spec(&spec);
    attach(1 << 20);
    get((struct egress_fetch){ .headers = STR("X\nglovebox-secret:KEY\n") },
        "https://tls.example:%d/", port);
    if (world.status != 200)
        TEST_FAIL("%s", world.message);
    get((struct egress_fetch){ 0 }, "https://other.example:%d/", port);
    CHECK_INT(world.code, FETCH_TLS);    /* not its name */
    egress_free(world.x);

    world.x = NULL, world.online = 0;
    spec.ca_pem = STR("");
    begin_spec(&spec);
    attach(1 << 20);
    get((struct egress_fetch){ 0 }, "https://tls.example:%d/", port);
    CHECK_INT(world.code, FETCH_TLS);    /* nobody vouches for it */
    egress_free(world.x);
}
