/*
 * tests/e2e/cli/hostile.c -- a worker that an attacker has taken over.
 *
 * Says a correct hello, then does what the source of the run names. Built by
 * 11-hostile.sh and put in the real worker's place by GLOVEBOX_LIBEXEC.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/io.h"
#include "jail/jail.h"
#include "jail/seccomp.h"
#include "wire/image.h"
#include "wire/messages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

enum { CHANNEL = 3, IMAGE = 4 };

static struct module_source room[MAX_MODULES];
static char body[MAX_RUN_BYTES];
static struct msg_run run;

static void flush(struct buf *b)
{
    if (io_write_all(CHANNEL, b->at, b->len) < 0)
        _exit(0);
    buf_clear(b);
}

static void say_hello(struct buf *b)
{
    struct image_head h;
    if (pread(IMAGE, &h, sizeof h, 0) != sizeof h)
        _exit(9);
    struct msg_hello m = {
        .version = WIRE_VERSION, .walls = ~0u & (BIT(15) - 1), .cells = 1,
        .engine = STR("hostile"),
        .engine_id = { h.engine_id, strnlen(h.engine_id, sizeof h.engine_id) },
    };
    put_hello(b, &m);
    flush(b);
}

static struct msg_result good(void)
{
    return (struct msg_result){ .id = run.id, .reason = REASON_COMPLETED,
                                .limit = LIMIT_NONE, .value = STR("1") };
}

/* ---- what it can do ------------------------------------------------------- */

static void be_good(struct buf *b)
{
    struct msg_result m = good();
    put_result(b, &m);
}

static void garbage(struct buf *b)
{
    buf_adds(b, "this is not a frame at all");
}

static void unknown_type(struct buf *b)
{
    frame_end(b, frame_begin(b, 77));
}

static void our_type(struct buf *b)
{
    frame_end(b, frame_begin(b, MSG_RUN));
}

static void hello_again(struct buf *b)
{
    say_hello(b);
}

static void wrong_phase(struct buf *b)
{
    struct msg_image m = { .last = 1, .bytes = STR("x") };
    put_image(b, &m);
}

static void announces_too_much(struct buf *b)
{
    size_t at = frame_begin(b, MSG_RESULT);
    frame_end(b, at);
    uint64_t huge = (uint64_t)1 << 60;
    memcpy(b->at + at + 8, &huge, sizeof huge);
}

static void cut_off(struct buf *b)
{
    size_t at = frame_begin(b, MSG_RESULT);
    put_u64(b, run.id);
    frame_end(b, at);
}

static void bad_value(struct buf *b)
{
    struct msg_result m = good();
    m.value = STR("{\"a\":1},\"ok\":true,{");
    put_result(b, &m);
}

static void other_run(struct buf *b)
{
    struct msg_result m = good();
    m.id += 1;
    put_result(b, &m);
}

static void claims_cancelled(struct buf *b)
{
    struct msg_result m = good();
    m.reason = REASON_CANCELLED;
    put_result(b, &m);
}

static void floods(struct buf *b)
{
    static char text[MAX_CHUNK_BYTES];
    memset(text, 'x', sizeof text);
    struct msg_output m = { .stream = 1, .bytes = { text, sizeof text } };
    for (int i = 0; i < 100; i++) {
        put_output(b, &m);
        flush(b);
    }
    be_good(b);
}

static void asks_for_files(struct buf *b)
{
    struct msg_load m = { .base = STR("a.js"), .name = STR("/etc/passwd") };
    put_load(b, &m);
}

static void result_twice(struct buf *b)
{
    be_good(b);
    be_good(b);
}

static void hangs_up(struct buf *b)
{
    (void)b;
    close(CHANNEL);
    for (;;)
        pause();
}

static void is_silent(struct buf *b)
{
    (void)b;
    for (;;)
        ;
}

static void crashes(struct buf *b)
{
    (void)b;
    *(volatile int *)8 = 1;
}

static void exits(struct buf *b)
{
    (void)b;
    _exit(3);
}

static void last_words(struct buf *b)
{
    struct msg_fatal m = { STR("out of\033]0;x\a cells") };
    put_fatal(b, &m);
    flush(b);
    _exit(4);
}

static void forbidden_call(struct buf *b)
{
    static const struct syscall_rule rules[] = { { SYS_exit_group, "", 0, 0, 0 } };
    (void)b;
    seccomp_seal(rules, 1, NULL);
    syscall(SYS_getpid);
}

static const struct deed {
    const char *name;
    void (*act)(struct buf *);
} deeds[] = {
#define DEED(name) { #name, name }
    DEED(be_good), DEED(garbage), DEED(unknown_type), DEED(our_type),
    DEED(hello_again), DEED(wrong_phase), DEED(announces_too_much),
    DEED(cut_off), DEED(bad_value), DEED(other_run), DEED(claims_cancelled),
    DEED(floods), DEED(asks_for_files), DEED(result_twice), DEED(hangs_up),
    DEED(is_silent), DEED(crashes), DEED(exits), DEED(last_words),
    DEED(forbidden_call),
#undef DEED
};

int main(void)
{
    unsigned char head_bytes[FRAME_HEAD_BYTES];
    struct frame_head head;
    AUTO_BUF out;
    buf_init(&out, 128 << 20);
    say_hello(&out);
    while (io_read_full(CHANNEL, head_bytes, sizeof head_bytes) == sizeof head_bytes) {
        if (frame_head_read(head_bytes, &head) < 0 || head.len > sizeof body ||
            io_read_full(CHANNEL, body, head.len) != (ssize_t)head.len ||
            get_run((struct str){ body, head.len }, room, MAX_MODULES, &run) < 0)
            _exit(8);
        for (size_t i = 0; i < COUNT(deeds); i++)
            if (str_is(run.source, deeds[i].name))
                deeds[i].act(&out);
        flush(&out);
    }
    return 0;
}
