/*
 * tests/escape/js/turncoat.c -- a worker that was taken over.
 *
 * Started by the supervisor in the place of glovebox-worker, inside the real
 * jail. It knows the protocol and breaks it in one way each time: the way is
 * written into the copy of this program that is run (turncoat.py), because
 * nothing else reaches a process in a jail.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/jail.h"
#include "jail/seccomp.h"
#include "wire/image.h"
#include "wire/messages.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Overwritten in the file by turncoat.py. */
static volatile char way[64] = "@@WAY@@";

static struct image_head image;
static struct buf out, in;
static struct msg_run run;
static struct module_source modules[MAX_MODULES];

static int is(const char *name)
{
    char copy[sizeof way];
    for (size_t i = 0; i < sizeof way; i++)
        copy[i] = way[i];
    return strcmp(copy, name) == 0;
}

static void send_raw(const void *at, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = write(JAIL_CHANNEL_FD, (const char *)at + done, len - done);
        if (n <= 0)
            _exit(9);
        done += (size_t)n;
    }
}

static void flush(void)
{
    send_raw(out.at, out.len);
    buf_clear(&out);
}

/* The first process of a pid namespace is deaf to its own raise(), but not to
 * a fault. */
static void crash(void)
{
    __builtin_trap();
}

static _Noreturn void hang(void)
{
    for (;;)
        pause();
}

/* The next run, or 0 when an image is asked for instead. */
static int receive_run(void)
{
    unsigned char raw[FRAME_HEAD_BYTES];
    struct frame_head head;
    for (size_t done = 0; done < sizeof raw;) {
        ssize_t n = read(JAIL_CHANNEL_FD, raw + done, sizeof raw - done);
        if (n <= 0)
            _exit(0);
        done += (size_t)n;
    }
    if (frame_head_read(raw, &head) < 0 ||
        (head.type != MSG_RUN && head.type != MSG_DUMP))
        _exit(8);
    buf_clear(&in);
    char *room = buf_reserve(&in, head.len);
    if (!room)
        _exit(8);
    for (size_t done = 0; done < head.len;) {
        ssize_t n = read(JAIL_CHANNEL_FD, room + done, head.len - done);
        if (n <= 0)
            _exit(0);
        done += (size_t)n;
    }
    in.len = head.len;
    if (head.type == MSG_DUMP)
        return 0;
    if (get_run(buf_str(&in), modules, COUNT(modules), &run) < 0)
        _exit(8);
    return 1;
}

static struct msg_hello hello(void)
{
    return (struct msg_hello){
        .version = WIRE_VERSION, .cells = 1, .engine = STR("turncoat"),
        .walls = WALL_SFI | WALL_SECCOMP | WALL_NNP | WALL_FDS | WALL_DUMPABLE,
        .engine_id = { image.engine_id,
                       strnlen(image.engine_id, sizeof image.engine_id) },
    };
}

static struct msg_result result(void)
{
    return (struct msg_result){
        .id = run.id, .reason = REASON_COMPLETED, .limit = LIMIT_NONE,
        .value = STR("42"), .wall_ns = 1000000, .cpu_ns = 1000,
    };
}

static void say(const struct msg_result *r)
{
    put_result(&out, r);
    flush();
}

/* A frame whose head says one thing and whose body another. */
static void frame(uint32_t magic, uint32_t type, uint64_t len, const void *body,
                  size_t body_len)
{
    buf_clear(&out);
    put_u32(&out, magic);
    put_u32(&out, type);
    put_u64(&out, len);
    buf_add(&out, body, body_len);
    flush();
}

static struct msg_fetch request(uint32_t call)
{
    return (struct msg_fetch){ .call = call, .method = STR("GET"),
                               .url = STR("http://example.com/"),
                               .headers = STR("accept\nx\n") };
}

static void fetch_one(uint32_t call)
{
    struct msg_fetch m = request(call);
    put_fetch(&out, &m);
    flush();
}

/* ---- before hello ------------------------------------------------------- */

static void bytes_before(void)
{
    static const char junk[64] = "HTTP/1.1 200 OK\r\n\r\n";
    struct msg_hello h = hello();

    if (is("hello-never"))
        hang();
    if (is("hello-exit"))
        _exit(0);
    if (is("hello-crash"))
        crash();
    if (is("hello-closes")) {
        close(JAIL_CHANNEL_FD);
        hang();
    }
    if (is("hello-version"))
        h.version = 77;
    if (is("hello-engine"))
        h.engine_id = STR("0123456789012345678901234567890123456789");
    if (is("hello-no-walls"))
        h.walls = 0;
    if (is("hello-junk"))
        send_raw(junk, sizeof junk);
    if (is("hello-empty-body"))
        frame(FRAME_MAGIC, MSG_HELLO, 0, "", 0);
    if (is("hello-truncated"))
        frame(FRAME_MAGIC, MSG_HELLO, 7, "\1\0\0\0\1\0\0", 7);
    if (is("hello-huge"))
        frame(FRAME_MAGIC, MSG_HELLO, 4097, junk, sizeof junk);
    if (is("hello-endless"))
        frame(FRAME_MAGIC, MSG_HELLO, UINT64_MAX, junk, sizeof junk);
    if (is("hello-negative"))
        frame(FRAME_MAGIC, MSG_HELLO, (uint64_t)-16, junk, sizeof junk);
    if (is("hello-magic"))
        frame(0x31584246, MSG_HELLO, 0, "", 0);
    if (is("type-0"))
        frame(FRAME_MAGIC, 0, 0, "", 0);
    if (is("type-7"))
        frame(FRAME_MAGIC, 7, 0, "", 0);
    if (is("type-max"))
        frame(FRAME_MAGIC, UINT32_MAX, 0, "", 0);
    if (is("type-of-ours"))
        frame(FRAME_MAGIC, MSG_RUN, 0, "", 0);
    if (is("result-before-hello")) {
        struct msg_result r = result();
        say(&r);
    }
    if (is("output-before-hello")) {
        put_output(&out, &(struct msg_output){ 1, STR("early") });
        flush();
    }
    if (is("fetch-before-hello"))
        fetch_one(1);
    if (is("fatal-before-hello")) {
        put_fatal(&out, &(struct msg_fatal){ STR("\x1b[2Jno wall \xff stands") });
        flush();
        _exit(2);
    }
    if (is("hello-half")) {
        put_hello(&out, &h);
        send_raw(out.at, out.len / 2);
        _exit(0);
    }
    if (is("hello-odd-text"))
        h.engine = STR("\x1b]0;x\x07\xff\xfe\"}\n");
    put_hello(&out, &h);
    if (is("hello-twice"))
        put_hello(&out, &h);
    if (is("hello-trailing")) {
        out.at[8]++;    /* one byte more in the body than its fields */
        buf_add(&out, "x", 1);
    }
    flush();
}

/* ---- as a result -------------------------------------------------------- */

static struct { const char *way; int reason; } const reasons[] = {
    { "reason-0", 0 },     { "reason-cancelled", REASON_CANCELLED },
    { "reason-255", 255 }, { "reason-lost", REASON_LOST },
    { "reason-syscall", REASON_SYSCALL_DENIED },
    { "reason-approval", REASON_APPROVAL_PENDING },
};

static struct { const char *way, *json; } const values[] = {
    { "json-open",      "{\"a\":1" },      { "json-two",       "1 2" },
    { "json-comma",     "[1,]" },          { "json-nan",       "NaN" },
    { "json-utf8",      "\"\xff\"" },      { "json-overlong",  "\"\xc0\xaf\"" },
    { "json-surrogate", "\"\xed\xa0\x80\"" }, { "json-control", "\"\n\"" },
    { "json-break-out", "1,\"ok\":true,\"x\":2" },
};

/* The field at this distance from the start of the body gets this byte. */
static void patched_result(size_t at, uint8_t v)
{
    struct msg_result r = result();
    put_result(&out, &r);
    out.at[FRAME_HEAD_BYTES + at] = (char)v;
    flush();
}

static void large_value(size_t len)
{
    AUTO_BUF b;
    buf_init(&b, (size_t)128 << 20);
    char *room = buf_reserve(&b, len + 2);
    if (!room)
        _exit(7);
    memset(room, 'x', len + 2);
    room[0] = room[len + 1] = '"';
    b.len = len + 2;
    struct msg_result r = result();
    r.value = buf_str(&b);
    say(&r);
}

static void deep_value(size_t depth)
{
    AUTO_BUF b;
    buf_init(&b, 1 << 20);
    for (size_t i = 0; i < depth; i++)
        buf_add(&b, "[", 1);
    for (size_t i = 0; i < depth; i++)
        buf_add(&b, "]", 1);
    struct msg_result r = result();
    r.value = buf_str(&b);
    say(&r);
}

static int as_result(void)
{
    struct msg_result r = result();
    for (size_t i = 0; i < COUNT(reasons); i++)
        if (is(reasons[i].way)) {
            patched_result(8, (uint8_t)reasons[i].reason);
            return 1;
        }
    for (size_t i = 0; i < COUNT(values); i++)
        if (is(values[i].way)) {
            r.value = str_of(values[i].json);
            say(&r);
            return 1;
        }
    if (is("result-of-another-run")) {
        r.id ^= 1;
        say(&r);
    } else if (is("result-limit")) {
        patched_result(9, LIMIT_NONE + 1);
    } else if (is("result-exports")) {
        r.exports = STR("[1,2");
        say(&r);
    } else if (is("result-large")) {
        large_value(1 << 20);
    } else if (is("result-largest")) {
        large_value((size_t)60 << 20);
    } else if (is("result-deep")) {
        deep_value(200000);
    } else if (is("result-too-long")) {
        frame(FRAME_MAGIC, MSG_RESULT, ((uint64_t)68 << 20) + 1, "", 0);
        hang();
    } else if (is("result-promised")) {
        frame(FRAME_MAGIC, MSG_RESULT, 68 << 20, "x", 1);
        hang();
    } else if (is("result-lies")) {
        r.wall_ns = r.cpu_ns = r.memory_peak_bytes = UINT64_MAX;
        r.stdout_bytes = r.stderr_bytes = UINT64_MAX;
        r.line = r.column = UINT32_MAX;
        r.file = STR("/etc/\x1b[31mpasswd\xff");
        r.detail = STR("\x1b[2J\"}{");
        say(&r);
    } else if (is("result-failed-lies")) {
        r.reason = REASON_MEMORY_LIMIT;
        r.limit = LIMIT_memory_bytes;
        r.observed = UINT64_MAX;
        r.error_name = STR("\xff\xfe");
        r.error_message = STR("\"},\"ok\":true,{\"");
        r.error_stack = STR("\0\0\0");
        r.error_printed = STR("\x1b[2Jprinted");
        say(&r);
    } else {
        return 0;
    }
    return 1;
}

/* ---- during a run ------------------------------------------------------- */

static void flood(int stream, int endless)
{
    static char text[60000];
    memset(text, 'f', sizeof text);
    for (int i = 0; endless || i < 200; i++) {
        put_output(&out, &(struct msg_output){ 1, { text, sizeof text } });
        out.at[FRAME_HEAD_BYTES] = (char)stream;
        flush();
    }
}

static void load_flood(int count)
{
    for (int i = 0; count < 0 || i < count; i++) {
        put_load(&out, &(struct msg_load){ STR("main.js"), STR("lib.js") });
        flush();
    }
}

static void load_one(struct str name)
{
    char answer[4096];
    put_load(&out, &(struct msg_load){ STR("main.js"), name });
    flush();
    ssize_t n = read(JAIL_CHANNEL_FD, answer, sizeof answer);
    /* head, ok, length: what came back goes out as the value */
    struct msg_result r = result();
    r.value = n > 16 && answer[16] ? STR("\"given\"") : STR("\"refused\"");
    say(&r);
}

static void filtered(void)
{
    static const struct syscall_rule rules[] = {
        { SYS_read, "", 0, 0, 0 }, { SYS_write, "", 0, 0, 0 },
    };
    if (seccomp_seal(rules, COUNT(rules), NULL) < 0)
        _exit(6);
    syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY);
}

static void child_stays(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGTERM, SIG_IGN);
        setsid();
        hang();
    }
    _exit(pid > 0 ? 4 : 5);
}

/* A good request, one byte of which is changed on its way. */
static void patched_fetch(char from, char to)
{
    struct msg_fetch m = request(1);
    put_fetch(&out, &m);
    char *at = memchr(out.at + FRAME_HEAD_BYTES, from, out.len - FRAME_HEAD_BYTES);
    if (!at)
        _exit(7);
    *at = to;
    flush();
}

static void fetch_ways(void)
{
    if (is("fetch-no-network"))
        fetch_one(1);
    if (is("fetch-flood"))
        for (uint32_t i = 0;; i++)
            fetch_one(i);
    if (is("fetch-long"))
        frame(FRAME_MAGIC, MSG_FETCH, MAX_FETCH_BODY + (256 << 10) + 1, "", 0);
    if (is("fetch-empty"))
        frame(FRAME_MAGIC, MSG_FETCH, 0, "", 0);
    if (is("fetch-method"))
        patched_fetch('G', ' ');
    if (is("fetch-url"))
        patched_fetch('/', '\n');
    if (is("fetch-header"))
        patched_fetch('x', '\r');
    if (is("fetch-unknown-call"))
        for (uint32_t i = 0; i < 100000; i++) {
            put_fetch_abort(&out, &(struct msg_fetch_abort){ i });
            put_fetch_more(&out, &(struct msg_fetch_more){ i, UINT32_MAX });
            flush();
        }
    if (is("fetch-answers-itself")) {
        put_fetch_end(&out, &(struct msg_fetch_end){ 1 });
        flush();
    }
    if (is("fetch-denied-flood"))
        for (int i = 0; i < 20000; i++) {
            char url[64];
            int n = snprintf(url, sizeof url, "http://%d.example.com/", i);
            put_fetch_denied(&out, &(struct msg_fetch_denied){ { url, (size_t)n } });
            flush();
        }
}

static const struct { const char *way; struct str name; } loads[] = {
    { "load-climbs",   { "../secret.js", 12 } },
    { "load-absolute", { "/etc/passwd", 11 } },
    { "load-nul",      { "lib.js\0x", 8 } },
    { "load-dots",     { "a/../../secret.js", 17 } },
    { "load-link",     { "link.js", 7 } },
    { "load-fifo",     { "fifo.js", 7 } },
    { "load-folder",   { ".", 1 } },
    { "load-honest",   { "lib.js", 6 } },
};

/* Ways to end, or not to. */
static void leave(void)
{
    if (is("exit-0"))
        _exit(0);
    if (is("exit-7"))
        _exit(7);
    if (is("segv"))
        crash();
    if (is("abort"))
        abort();
    if (is("killed"))
        syscall(SYS_exit_group, 137);
    if (is("hang"))
        hang();
    if (is("syscall"))
        filtered();
    if (is("child-stays"))
        child_stays();
    if (is("closes")) {
        close(JAIL_CHANNEL_FD);
        hang();
    }
    if (is("shuts-down")) {
        shutdown(JAIL_CHANNEL_FD, SHUT_WR);
        hang();
    }
    if (is("fatal-hangs")) {
        put_fatal(&out, &(struct msg_fatal){ STR("I am dying") });
        flush();
        hang();
    }
    if (is("fatal-exits")) {
        put_fatal(&out, &(struct msg_fatal){ STR("the reset failed") });
        flush();
        _exit(2);
    }
}

static void misbehave(void)
{
    struct msg_result r = result();
    for (size_t i = 0; i < COUNT(loads); i++)
        if (is(loads[i].way))
            load_one(loads[i].name);
    if (as_result())
        return;
    leave();
    fetch_ways();
    if (is("half-a-result")) {
        put_result(&out, &r);
        send_raw(out.at, out.len - 3);
        _exit(0);
    }
    if (is("stream-0"))
        flood(0, 0);
    if (is("stream-3"))
        flood(3, 0);
    if (is("output-flood"))
        flood(1, 0);
    if (is("output-endless"))
        flood(2, 1);
    if (is("output-long"))
        frame(FRAME_MAGIC, MSG_OUTPUT, MAX_CHUNK_BYTES + 65, "", 0);
    if (is("image-in-run")) {
        put_image(&out, &(struct msg_image){ 1, STR("x") });
        flush();
    }
    if (is("hello-in-run")) {
        struct msg_hello h = hello();
        put_hello(&out, &h);
        flush();
    }
    if (is("load-no-root"))
        load_flood(1);
    if (is("load-flood"))
        load_flood(-1);
    if (is("fatal-flood"))
        for (;;) {
            put_fatal(&out, &(struct msg_fatal){ STR("again") });
            flush();
        }
    if (is("trickle"))
        for (;;) {
            send_raw("G", 1);
            hang();
        }
    say(&r);
    if (is("result-twice"))
        say(&r);
    if (is("fetch-after"))
        fetch_one(1);
    if (is("output-after")) {
        put_output(&out, &(struct msg_output){ 1, STR("late") });
        flush();
    }
}

/* ---- as an image --------------------------------------------------------- */

static void send_chunk(const void *at, size_t len, int last)
{
    put_image(&out, &(struct msg_image){ (uint8_t)last, { at, len } });
    flush();
}

/* The image this worker was given, with a head of its choice. */
static void send_image(const struct image_head *head, uint64_t memory, int last)
{
    static unsigned char chunk[64 << 10];
    memcpy(chunk, head, sizeof *head);
    send_chunk(chunk, IMAGE_DATA_OFFSET, 0);
    for (uint64_t at = 0; at < memory; at += sizeof chunk) {
        memset(chunk, 0, sizeof chunk);
        (void)!pread(JAIL_IMAGE_FD, chunk, sizeof chunk,
                     (off_t)(IMAGE_DATA_OFFSET + at));
        send_chunk(chunk, sizeof chunk, 0);
    }
    if (last)
        send_chunk("", 0, 1);
}

static void give_image(void)
{
    struct image_head head = image;
    uint64_t memory = image.memory_bytes;
    if (is("image-endless"))
        for (;;)
            send_image(&head, memory, 0);
    if (is("image-empty"))
        send_chunk("", 0, 1);
    if (is("image-hangs"))
        hang();
    if (is("image-exits"))
        _exit(0);
    if (is("image-long-chunk"))
        frame(FRAME_MAGIC, MSG_IMAGE, IMAGE_CHUNK_BYTES + 65, "", 0);
    if (is("image-result")) {
        struct msg_result r = result();
        say(&r);
    }
    if (is("image-magic"))
        head.magic[0] = 'X';
    if (is("image-engine"))
        head.engine_id[0] ^= 1;
    if (is("image-hot"))
        head.hot_pages = UINT32_MAX;
    if (is("image-size"))
        head.memory_bytes = UINT64_MAX - 65535;
    if (is("image-short"))
        memory /= 2;
    if (is("image-flags"))
        head.flags = UINT32_MAX;
    send_image(&head, memory, 1);
    _exit(0);
}

int main(void)
{
    buf_init(&out, (size_t)160 << 20);
    buf_init(&in, (size_t)160 << 20);
    if (pread(JAIL_IMAGE_FD, &image, sizeof image, 0) != sizeof image)
        return 3;
    bytes_before();
    while (receive_run())
        misbehave();
    give_image();
}
