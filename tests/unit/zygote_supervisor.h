/*
 * tests/unit/zygote_supervisor.h -- the supervisor's side of a zygote, for tests.
 *
 * house() starts one in a furnished jail; run() has it fork, and is told how
 * it ended. Where a supervisor would carry on, a test fails.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "zygote/inside.h"
#include "tests/test.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* ---- a house for it ------------------------------------------------------------------ */

enum { REPORTS_KEPT = 256 };

struct house {
    struct jail *jail;
    int      control;
    uint64_t next_id;
    struct zygote_report kept[REPORTS_KEPT];    /* not yet asked for */
    size_t   kepts;
    struct zygote_report ready;
};

/* This program, and the product: build/release/tests/unit_zygote, and one
 * folder up: build/release/guest. */
static const char *own_path(void)
{
    static char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    CHECK(n > 0);
    return path;
}

static const char *cold_path(void)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", own_path());
    for (int up = 0; up < 2; up++)
        *strrchr(path, '/') = 0;
    size_t len = strlen(path);
    snprintf(path + len, sizeof path - len, "/guest/python/glovebox-cold");
    return path;
}

/* A folder that an operator lent for writing. All tests share it; it goes when
 * the last is done, however that one ended. */
static char lent[] = "/tmp/gb-test-zygote-XXXXXX";
static pid_t lent_by;

__attribute__((constructor)) static void lent_make(void)
{
    lent_by = getpid();
    if (!mkdtemp(lent) || chmod(lent, 0777) < 0)
        abort();
}

__attribute__((destructor)) static void lent_remove(void)
{
    if (getpid() == lent_by)
        rmdir(lent);
}

/* Of no interest here, and sanitizers reserve terabytes. */
#define HOUSE_DATA_BYTES ((uint64_t)1 << 50)
static uint64_t house_processes = 8192;

static void house_start(struct house *h, int control, const char *const argv[])
{
    static const char *const no_env[] = { NULL };
    const struct jail_item item[] = {
        { ROOM_BIND,   0, "/usr", "/usr" },
        { ROOM_LINK,   0, "/bin", "usr/bin" },
        { ROOM_LINK,   0, "/lib", "usr/lib" },
        { ROOM_LINK,   0, "/lib64", "usr/lib64" },
        { ROOM_DEVICE, 0, "/dev/null", "/dev/null" },
        { ROOM_DEVICE, 0, "/dev/zero", "/dev/zero" },
        { ROOM_DEVICE, 0, "/dev/urandom", "/dev/urandom" },
        { ROOM_DIR,    0, "/dev/shm", NULL },
        { ROOM_DIR,    0, "/tmp", NULL },
        { ROOM_DIR,    0, "/workspace", NULL },
        { ROOM_DIR,    0, "/etc", NULL },
        { ROOM_BIND,   ROOM_WRITABLE | ROOM_NOEXEC, "/lent", lent },
        { ROOM_FILE,   0, GUEST_WRITABLE, "/lent\n" },
        { ROOM_BIND,   0, "/glovebox/test", own_path() },
        { ROOM_BIND,   0, "/glovebox/cold", cold_path() },
        { ROOM_PROC,   0, "/proc", NULL },
    };
    const struct jail_rooms rooms = {
        .item = item, .items = COUNT(item), .program = argv[0],
        .envp = no_env, .stdio = { 0, 1, 2 }, .processes = house_processes,
        .open_files = 8192,
    };
    const struct jail_spec spec = {
        .argv = argv, .exec_fd = -1, .channel_fd = control, .image_fd = -1,
        .limits = { HOUSE_DATA_BYTES, 8 * MIB }, .rooms = &rooms,
    };
    struct err e = { 0 };
    if (jail_start(&spec, &h->jail, &e) < 0)
        TEST_FAIL("%s", e.msg);
    if (!(jail_walls(h->jail) & WALL_USERNS))
        SKIP("no user namespaces here");
}

/* ---- what a supervisor does -------------------------------------------------------- */

static size_t receive(int fd, void *to, size_t len, int *fds, size_t *count)
{
    union {
        char           room[CMSG_SPACE(32 * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec body = { to, len };
    struct msghdr m = { .msg_iov = &body, .msg_iovlen = 1,
                        .msg_control = control.room,
                        .msg_controllen = sizeof control.room };
    ssize_t n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
    CHECK(n >= 0 && !(m.msg_flags & MSG_CTRUNC));
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    *count = c ? (c->cmsg_len - CMSG_LEN(0)) / sizeof(int) : 0;
    if (c)
        memcpy(fds, CMSG_DATA(c), *count * sizeof(int));
    return (size_t)n;
}

struct run {
    uint64_t id;
    int in, out, channel;              /* our ends */
    int init, first;                   /* pidfds */
    int fd[SEALED_FDS_MAX];
    size_t fds;
    struct msg_sealed sealed;
    struct zygote_report end;
    char text[4096];                   /* what it wrote */
};

/* The next report of this run. Descriptors are only expected of FORKED. */
static struct zygote_report await(struct house *h, uint64_t id, struct run *r)
{
    for (size_t i = 0; i < h->kepts; i++)
        if (h->kept[i].id == id) {
            struct zygote_report found = h->kept[i];
            memmove(&h->kept[i], &h->kept[i + 1],
                    (--h->kepts - i) * sizeof found);
            return found;
        }
    for (;;) {
        struct zygote_report got;
        int fds[32];
        size_t n;
        CHECK(receive(h->control, &got, sizeof got, fds, &n) == sizeof got);
        CHECK(got.magic == ZYGOTE_MAGIC);
        CHECK(n == (got.op == ZYGOTE_FORKED ? 2u : 0u));
        if (got.op == ZYGOTE_FORKED) {
            CHECK(r && got.id == id);
            r->init = fds[0];
            r->first = fds[1];
        }
        if (got.id == id)
            return got;
        CHECK(h->kepts < REPORTS_KEPT);
        h->kept[h->kepts++] = got;
    }
}

static void house_open(struct house *h, const char *const argv[])
{
    int pair[2], fds[32];
    size_t n;
    memset(h, 0, sizeof *h);
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
    house_start(h, pair[1], argv);
    close(pair[1]);
    h->control = pair[0];
    CHECK(receive(h->control, &h->ready, sizeof h->ready, fds, &n) ==
          sizeof h->ready);
    CHECK(h->ready.op == ZYGOTE_READY);
}

static struct house *house(void)
{
    static const char *const argv[] = { "/glovebox/test", "--zygote", NULL };
    static struct house h;
    house_open(&h, argv);
    CHECK_TEXT(h.ready.step, "test 1");
    CHECK(h.ready.base_kb > 0);
    return &h;
}

static struct house *cold_house(const char *program)
{
    const char *const argv[] = { "/glovebox/cold", "--", program, NULL };
    static struct house h;
    house_open(&h, argv);
    return &h;
}

static struct zygote_fork request(struct house *h)
{
    return (struct zygote_fork){
        .magic = ZYGOTE_MAGIC, .op = ZYGOTE_FORK, .id = ++h->next_id,
        .limits = run_limits_default,
    };
}

static void send_request(struct house *h, const void *q, size_t len,
                         const int *fd, size_t fds)
{
    union {
        char           room[CMSG_SPACE(32 * sizeof(int))];
        struct cmsghdr align;
    } control = { { 0 } };
    struct iovec body = { (void *)(uintptr_t)q, len };
    struct msghdr m = { .msg_iov = &body, .msg_iovlen = 1 };
    packet_attach(&m, control.room, fd, fds);
    CHECK(sendmsg(h->control, &m, MSG_NOSIGNAL) == (ssize_t)len);
}

/* Pipes and a channel; out gets ours, theirs are to be sent and closed. */
static void make_ends(struct run *r, int theirs[FORK_FDS])
{
    int in[2], out[2], channel[2];
    CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) == 0);
    r->in = in[1];
    r->out = out[0];
    r->channel = channel[0];
    theirs[FORK_STDIN] = in[0];
    theirs[FORK_STDOUT] = out[1];
    theirs[FORK_STDERR] = fcntl(out[1], F_DUPFD_CLOEXEC, 0);
    theirs[FORK_CHANNEL] = channel[1];
}

static void start(struct house *h, const struct zygote_fork *q, struct run *r,
                  const int *more, size_t mores)
{
    int theirs[FORK_FDS + FORK_CGROUPS_MAX];
    memset(r, 0, sizeof *r);
    r->id = q->id;
    make_ends(r, theirs);
    for (size_t i = 0; i < mores; i++)
        theirs[FORK_FDS + i] = more[i];
    send_request(h, q, sizeof *q, theirs, FORK_FDS + mores);
    for (size_t i = 0; i < FORK_FDS; i++)
        close(theirs[i]);
    struct zygote_report got = await(h, q->id, r);
    if (got.op != ZYGOTE_FORKED)
        TEST_FAIL("no fork: %s: %s", got.step, strerror(got.error));
}

static struct frame_head frame(struct run *r, struct buf *body)
{
    unsigned char raw[FRAME_HEAD_BYTES];
    struct frame_head head;
    CHECK(receive(r->channel, raw, sizeof raw, r->fd, &r->fds) == sizeof raw);
    CHECK(frame_head_read(raw, &head) == 0);
    CHECK(message_from_guest(head.type) &&
          head.len <= message_from_guest(head.type)->max_body);
    buf_init(body, head.len);
    char *room = buf_reserve(body, head.len);
    CHECK(room && recv(r->channel, room, head.len, MSG_WAITALL) ==
                      (ssize_t)head.len);
    body->len = head.len;
    return head;
}

static void await_seal(struct run *r)
{
    AUTO_BUF body = { 0 };
    struct msg_fatal why;
    struct frame_head head = frame(r, &body);
    if (head.type == MSG_FATAL && get_fatal(buf_str(&body), &why) == 0)
        TEST_FAIL("not sealed: %.*s", (int)why.text.len, why.text.at);
    CHECK(head.type == MSG_SEALED && get_sealed(buf_str(&body), &r->sealed) == 0);
    CHECK(r->fds == 1u + r->sealed.listener + r->sealed.sockets);
}

static void send_program(struct run *r, const char *name)
{
    AUTO_BUF b;
    buf_init(&b, 4096);
    put_program(&b, &(struct msg_program){ STR("{}"), str_of(name) });
    CHECK(write(r->channel, b.at, b.len) == (ssize_t)b.len);
}

static void read_text(struct run *r)
{
    size_t len = strlen(r->text);
    ssize_t n = read(r->out, r->text + len, sizeof r->text - 1 - len);
    CHECK(n > 0);
}

/* Until the end of its output, and of the run. */
static void finish(struct house *h, struct run *r)
{
    size_t len = strlen(r->text);
    for (ssize_t n; (n = read(r->out, r->text + len,
                              sizeof r->text - 1 - len)) > 0;)
        len += (size_t)n;
    r->end = await(h, r->id, NULL);
    CHECK(r->end.op == ZYGOTE_EXITED);
    struct pollfd p = { .fd = r->init, .events = POLLIN };
    CHECK(poll(&p, 1, 0) == 1);
    const int ours[] = { r->in, r->out, r->channel, r->init, r->first };
    for (size_t i = 0; i < COUNT(ours); i++)
        close(ours[i]);
    for (size_t i = 0; i < r->fds; i++)
        close(r->fd[i]);
}

static struct run run_with(struct house *h, const struct zygote_fork *q,
                           const char *program)
{
    struct run r;
    start(h, q, &r, NULL, 0);
    await_seal(&r);
    send_program(&r, program);
    finish(h, &r);
    return r;
}

static struct run run(struct house *h, const char *program)
{
    struct zygote_fork q = request(h);
    return run_with(h, &q, program);
}

static void expect(const struct run *r, const char *text)
{
    if (!strstr(r->text, text))
        TEST_FAIL("\"%s\" does not hold \"%s\" (status %#x)", r->text, text,
                  (unsigned)r->end.status);
}

static void kill_run(const struct run *r)
{
    CHECK(syscall(SYS_pidfd_send_signal, r->init, SIGKILL, NULL, 0) == 0);
}
