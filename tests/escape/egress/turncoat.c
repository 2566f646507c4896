/*
 * tests/escape/egress/turncoat.c -- an egress process that was taken over, and
 * what its supervisor believes of it: nothing.
 *
 * The program starts itself in the place of glovebox-egress. The supervisor's
 * `hosts` tell it which lie to tell after it has read its configuration.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tests/escape/egress/world.h"

#include <sys/stat.h>

enum { RUN = 5, CALL = 9 };

/* ---- the turncoat --------------------------------------------------------------- */

#define FRAME(name, ...) put_egress_##name(b, &(struct egress_##name){ __VA_ARGS__ })

static void online(struct buf *b)
{
    FRAME(online, .version = EGRESS_VERSION, .curl = STR("0"));
}

static void head(struct buf *b)
{
    FRAME(head, .run = RUN, .call = CALL, .status = 200);
}

static void lie_nothing(struct buf *b) { online(b); }
static void lie_early_head(struct buf *b) { head(b); }
static void lie_online_twice(struct buf *b) { online(b), online(b); }
static void lie_version(struct buf *b) { FRAME(online, .version = 99); }
static void lie_stranger(struct buf *b)
{
    online(b);
    FRAME(decision, .run = RUN + 1);
}
static void lie_strange_call(struct buf *b)
{
    online(b);
    FRAME(fail, .run = RUN, .call = CALL + 1, .code = FETCH_DENIED);
}
static void lie_data_first(struct buf *b)
{
    online(b);
    FRAME(data, .run = RUN, .call = CALL, .bytes = STR("x"));
}
static void lie_end_first(struct buf *b)
{
    online(b);
    FRAME(end, .run = RUN, .call = CALL);
}
static void lie_two_heads(struct buf *b) { online(b), head(b), head(b); }
static void lie_no_credit(struct buf *b)
{
    online(b), head(b);
    FRAME(data, .run = RUN, .call = CALL, .bytes = STR("0123456789A"));
}
static void lie_two_ends(struct buf *b)
{
    online(b), head(b);
    FRAME(end, .run = RUN, .call = CALL);
    FRAME(end, .run = RUN, .call = CALL);
}
static void lie_last(struct buf *b)
{
    online(b);
    FRAME(usage, .run = RUN, .last = 1);
}
static void lie_garbage(struct buf *b)
{
    online(b);
    buf_adds(b, "GET / HTTP/1.1\r\n\r\n");
}
static void lie_type(struct buf *b)
{
    online(b);
    frame_end(b, frame_begin(b, EGRESS_CONFIG));
}
static void lie_huge(struct buf *b)
{
    online(b);
    put_u32(b, FRAME_MAGIC);
    put_u32(b, EGRESS_DATA);
    put_u64(b, UINT64_MAX);
}
static void lie_short(struct buf *b)
{
    online(b);
    size_t at = frame_begin(b, EGRESS_END);
    put_u64(b, RUN);
    frame_end(b, at);
}
static void lie_headers(struct buf *b)
{
    online(b);
    size_t at = frame_begin(b, EGRESS_HEAD);
    put_u64(b, RUN);
    put_u64(b, CALL);
    put_u32(b, 200);
    put_u8(b, 0);
    put_str(b, STR("OK"));
    put_str(b, STR("http://a/"));
    put_str(b, STR("x\na\rb\n"));
    frame_end(b, at);
}
static void lie_silence(struct buf *b)
{
    online(b);
    FRAME(offline, .text = STR("enough\x1b[2J"));
}

#define LIES(X)                                                           \
    X(early_head) X(online_twice) X(version) X(stranger) X(strange_call)  \
    X(data_first) X(end_first) X(two_heads) X(no_credit) X(two_ends)      \
    X(last) X(garbage) X(type) X(huge) X(short) X(headers)

static const struct { const char *name; void (*tell)(struct buf *b); } lies[] = {
#define X(name) { #name, lie_##name },
    X(nothing) LIES(X) X(silence)
#undef X
};

/* Before main(), if this is what we were started as. */
__attribute__((constructor)) static void turn_coat(void)
{
    static char in[1 << 16];
    if (strcmp(program_invocation_short_name, "glovebox-egress") != 0)
        return;
    ssize_t n = recv(EGRESS_FD, in, sizeof in, 0);
    struct egress_secret room[EGRESS_MAX_SECRETS];
    struct egress_config m;
    struct frame_head h;
    if (n < FRAME_HEAD_BYTES ||
        frame_head_read((unsigned char *)in, &h) < 0 ||
        get_egress_config((struct str){ in + FRAME_HEAD_BYTES, (size_t)h.len },
                          room, &m) < 0)
        _exit(1);
    AUTO_BUF b;
    buf_init(&b, 1 << 20);
    for (size_t i = 0; i < COUNT(lies); i++)
        if (str_is(m.hosts, lies[i].name))
            lies[i].tell(&b);
    /* The supervisor attaches and asks before it listens: let it. */
    poll(NULL, 0, 50);
    send(EGRESS_FD, b.at, b.len, MSG_NOSIGNAL);
    if (str_is(m.hosts, "silence"))
        _exit(3);
    for (;;)
        pause();
}

/* ---- its supervisor ------------------------------------------------------------------ */

static void begin_lie(const char *lie)
{
    static char dir[] = "/tmp/turncoat-XXXXXX", link[64], self[4096];
    CHECK(mkdtemp(dir) != NULL);
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    CHECK(n > 0);
    snprintf(link, sizeof link, "%s/glovebox-egress", dir);
    CHECK(symlink(self, link) == 0);
    setenv("GB_OUT", dir, 1);
    begin_spec(&(struct egress_spec){ .hosts = str_of(lie) });
    unlink(link);
    rmdir(dir);
    CHECK_INT(egress_attach(world.x, RUN, 1, NULL, 0), 0);
    CHECK_INT(egress_fetch(world.x, &(struct egress_fetch){
                  .run = RUN, .call = CALL, .method = STR("GET"),
                  .url = STR("http://a/"), .credit = 10 }), 0);
}

TEST(control_an_honest_word_is_believed)
{
    begin_lie("nothing");
    UNTIL(world.online);
    CHECK(!world.gone && !world.failed && egress_usable(world.x));
    egress_free(world.x);
}

/* A lie ends it; the fetch and the run have their ends, once. */
#define X(name)                                                           \
    TEST(lie_of_##name)                                                   \
    {                                                                     \
        begin_lie(#name);                                                 \
        UNTIL(world.gone);                                                \
        CHECK(strstr(world.why, "may not send"));                         \
        CHECK_INT(world.failed + world.ended, 1);                         \
        CHECK_INT(world.usage.last, 1);                                   \
        CHECK_INT(egress_fd(world.x), -1);                                \
        CHECK_INT(egress_interest(world.x), 0);                           \
        egress_free(world.x);                                             \
    }
LIES(X)
#undef X

TEST(its_last_words_are_shown_without_their_tricks)
{
    begin_lie("silence");
    UNTIL(world.gone);
    CHECK_TEXT(world.why, "the egress process cannot serve: enough?[2J");
    egress_free(world.x);
}
