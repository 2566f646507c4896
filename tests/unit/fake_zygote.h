/*
 * tests/unit/fake_zygote.h -- a zygote that is no runtime: it speaks the
 * protocol of wire/guest.h, forks, seals nothing, and its "programs" are words.
 *
 *   value JSON      send a result, exit 0         exit N       exit with N
 *   value-exit N    a value, then exit N          print TEXT   to stdout
 *   error TEXT      an exception, exit 1          flood        stdout, for ever
 *   signal N        die of it                     spin         burn cpu
 *   write FILE      "hello" into FILE             sleep        wait
 *   cat             stdin becomes the value       bytes        not a frame
 *   claim N         a result with reason N        call N       system call N
 *   last            two results                   kill-zygote  its parent
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/io.h"
#include "env/forks.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { FAKE_RUNS = 64 };

/* How the next zygote is to behave; it inherits this. */
static struct {
    uint32_t walls;            /* that its forks claim */
    int      no_descriptors, fail_forks, mute, die_warming;
    int      call;             /* nr: forks hand calls of it to their notifier */
    char     folder[32];       /* where their work directories are */
} fake = { .walls = ~0u };

static int fake_started;       /* zygotes */

static int fake_remove(const char *path, const struct stat *st, int kind,
                       struct FTW *where)
{
    (void)st;
    (void)kind;
    (void)where;
    return remove(path);
}

static void fake_open(void)
{
    snprintf(fake.folder, sizeof fake.folder, "/tmp/gb-fake-XXXXXX");
    if (!mkdtemp(fake.folder))
        abort();
}

static void fake_close(void)
{
    nftw(fake.folder, fake_remove, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- packets ------------------------------------------------------------------ */

static void fake_send(int fd, const void *at, size_t len, const int *fds, size_t n)
{
    char control[CMSG_SPACE(8 * sizeof(int))] = { 0 };
    struct iovec part = { (void *)at, len };
    struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
    if (n) {
        m.msg_control = control;
        m.msg_controllen = CMSG_SPACE(n * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(n * sizeof(int));
        memcpy(CMSG_DATA(c), fds, n * sizeof(int));
    }
    if (sendmsg(fd, &m, MSG_NOSIGNAL) < 0)
        _exit(0);
}

static void fake_report(int control, uint32_t op, uint64_t id, int status,
                        const int *fds, size_t n)
{
    struct zygote_report r = { .magic = ZYGOTE_MAGIC, .op = op, .id = id,
                               .status = status, .error = EPERM, .step = "fake" };
    fake_send(control, &r, sizeof r, fds, n);
}

static int fake_receive(int control, struct zygote_fork *out, int fds[8])
{
    char room[CMSG_SPACE(8 * sizeof(int))];
    struct iovec part = { out, sizeof *out };
    struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = room,
                        .msg_controllen = sizeof room };
    ssize_t n = recvmsg(control, &m, MSG_CMSG_CLOEXEC);
    if (n != sizeof *out)
        return -1;
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    int count = c ? (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int)) : 0;
    memcpy(fds, CMSG_DATA(c), (size_t)count * sizeof(int));
    return count;
}

/* ---- a run -------------------------------------------------------------------- */

static void fake_say(int channel, const struct buf *b)
{
    io_write_all(channel, b->at, b->len);
}

static void fake_result(int channel, enum reason reason, const char *value,
                        const char *error)
{
    struct buf b;
    buf_init(&b, 1 << 24);
    put_result(&b, &(struct msg_result){
        .reason = (uint8_t)reason, .limit = LIMIT_NONE, .value = str_of(value),
        .error_name = str_of(error ? "Error" : NULL), .error_message = str_of(error) });
    fake_say(channel, &b);
}

/* The filter that hands one call to its notifier; -1 without one. */
static int fake_listener(int nr)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof code / sizeof *code, code };
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                        SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static void fake_seal(int channel)
{
    char folder[64];
    struct buf b;
    int fds[2];
    size_t n = 1;
    snprintf(folder, sizeof folder, "%s/%d", fake.folder, (int)getpid());
    if (mkdir(folder, 0700) < 0 || chdir(folder) < 0)
        _exit(99);
    fds[0] = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fake.call)
        fds[n++] = fake_listener(fake.call);
    buf_init(&b, 256);
    put_sealed(&b, &(struct msg_sealed){ .walls = fake.walls, .listener = n > 1 });
    fake_send(channel, b.at, b.len, fds, fake.no_descriptors ? 0 : n);
    for (size_t i = 0; i < n; i++)
        close(fds[i]);
}

static struct str fake_program(int channel)
{
    unsigned char head[FRAME_HEAD_BYTES];
    struct frame_head h;
    struct msg_program p;
    if (io_read_full(channel, head, sizeof head) != sizeof head ||
        frame_head_read(head, &h) < 0)
        _exit(0);
    char *body = calloc(1, h.len + 1);
    if (io_read_full(channel, body, h.len) != (ssize_t)h.len ||
        get_program((struct str){ body, h.len }, &p) < 0)
        _exit(98);
    char *source = calloc(1, p.source.len + 1);
    memcpy(source, p.source.at, p.source.len);
    return (struct str){ source, p.source.len };
}

static void fake_cat(int channel)
{
    static char text[1 << 21], json[1 << 21];
    ssize_t n = io_read_full(0, text, sizeof text - 1);
    snprintf(json, sizeof json, "%zd", n);
    fake_result(channel, REASON_COMPLETED, json, NULL);
    _exit(0);
}

static void fake_run(int channel, const char *source)
{
    char word[32] = "";
    sscanf(source, "%31s", word);
    const char *rest = source + strlen(word) + (source[strlen(word)] != '\0');
    int n = (int)strtol(rest, NULL, 10);
#define IS(name) (strcmp(word, name) == 0)
    if (IS("value"))
        fake_result(channel, REASON_COMPLETED, rest, NULL);
    if (IS("value-exit"))
        fake_result(channel, REASON_COMPLETED, "1", NULL);
    if (IS("claim"))
        fake_result(channel, (enum reason)n, NULL, NULL);
    if (IS("error")) {
        fake_result(channel, REASON_EXCEPTION, NULL, rest);
        _exit(1);
    }
    if (IS("last")) {
        fake_result(channel, REASON_EXCEPTION, NULL, "first");
        fake_result(channel, REASON_COMPLETED, "2", NULL);
    }
    if (IS("exit") || IS("value-exit"))
        _exit(n);
    if (IS("print"))
        io_write_all(1, rest, strlen(rest));
    while (IS("flood"))
        if (io_write_all(1, "0123456789abcdef", 16) < 0)
            _exit(1);
    if (IS("signal")) {
        signal(n, SIG_DFL);    /* a sanitizer has handlers */
        kill(getpid(), n);
    }
    for (volatile unsigned long i = 0; IS("spin"); i++)
        ;
    while (IS("sleep"))
        pause();
    if (IS("write")) {
        int fd = open(rest, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        io_write_all(fd, "hello", 5);
    }
    if (IS("cat"))
        fake_cat(channel);
    if (IS("bytes"))
        io_write_all(channel, "this is not a frame at all", 26);
    while (IS("bytes"))
        pause();
    if (IS("call"))
        _exit(syscall(n, 0, 0, 0, 0) < 0 && errno == EPERM ? 0 : 5);
    if (IS("kill-zygote")) {
        kill(getppid(), SIGKILL);
        pause();
    }
    _exit(0);
#undef IS
}

/* ---- the zygote ---------------------------------------------------------------- */

struct fake_life { uint64_t id; pid_t pid; };

static void fake_reap(int control, struct fake_life *life, struct pollfd *p)
{
    int status;
    waitpid(life->pid, &status, 0);
    close(p->fd);
    p->fd = -1;
    fake_report(control, ZYGOTE_EXITED, life->id, status, NULL, 0);
}

static void fake_fork(int control, struct fake_life *life, struct pollfd *p)
{
    struct zygote_fork f;
    int fds[8];
    int n = fake_receive(control, &f, fds);
    if (n < FORK_FDS)
        _exit(0);
    if (fake.fail_forks) {
        fake_report(control, ZYGOTE_FAILED, f.id, 0, NULL, 0);
    } else {
        pid_t pid = fork();
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
            for (int i = 0; i < 3; i++)
                dup2(fds[i], i);
            int channel = fds[FORK_CHANNEL];
            fake_seal(channel);
            fake_run(channel, fake_program(channel).at);
        }
        int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
        const int both[2] = { pidfd, pidfd };
        *life = (struct fake_life){ f.id, pid };
        *p = (struct pollfd){ pidfd, POLLIN, 0 };
        fake_report(control, ZYGOTE_FORKED, f.id, 0, both, 2);
    }
    for (int i = 0; i < n; i++)
        close(fds[i]);
}

static void fake_serve(int control)
{
    struct fake_life life[FAKE_RUNS];
    struct pollfd p[FAKE_RUNS + 1];
    p[FAKE_RUNS] = (struct pollfd){ control, POLLIN, 0 };
    for (int i = 0; i < FAKE_RUNS; i++)
        p[i].fd = -1;
    if (fake.die_warming)
        _exit(9);
    if (!fake.mute)
        fake_report(control, ZYGOTE_READY, 0, 0, NULL, 0);
    for (;;) {
        poll(p, FAKE_RUNS + 1, -1);
        for (int i = 0; i < FAKE_RUNS; i++)
            if (p[i].fd >= 0 && (p[i].revents & POLLIN))
                fake_reap(control, &life[i], &p[i]);
        for (int i = 0; (p[FAKE_RUNS].revents) && i < FAKE_RUNS; i++)
            if (p[i].fd < 0) {
                fake_fork(control, &life[i], &p[i]);
                break;
            }
    }
}

static int fake_start(void *user, const struct guest_image *image,
                      struct zygote **out, struct err *e)
{
    int pair[2];
    (void)user;
    (void)image;
    fake_started++;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return err_sys(e, "socketpair");
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        close(pair[0]);
        fake_serve(pair[1]);
    }
    close(pair[1]);
    return zygote_over(pair[0], out, e);
}
