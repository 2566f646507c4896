/*
 * tests/escape/inmate.h -- put tests/escape/probe.c into a jail and hear what
 * it says. The program is $GB_PROBE, or `probe` beside the test itself.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "jail/jail.h"
#include "tests/test.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>

enum {
    ORDINARY_UID = 54321,
    DATA_BYTES   = 32 << 20,
    TOO_MUCH     = 48 << 20,
    STACK_BYTES  = 8 << 20,
};

/* Things of ours that an inmate could reach if a wall were gone. */
static struct {
    pid_t pid;
    int   port;
    int   shm;
} world;

struct inmate {
    struct jail *jail;
    int          fd;           /* our end of its channel */
    char         said[4096];
    int          status;
};

static inline int open_probe(void)
{
    char self[PATH_MAX] = "", path[PATH_MAX + 8];
    const char *given = getenv("GB_PROBE");
    CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    *strrchr(self, '/') = 0;
    snprintf(path, sizeof path, "%s/probe", self);
    int fd = open(given ? given : path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        SKIP("no probe program: set GB_PROBE");
    return fd;
}

/* Opened before a test gives up root: the path may be root's alone. */
static int probe_fd = -1;

static inline int start_inmate(struct inmate *in, const char *verb,
                               const char *name, unsigned leave_out,
                               unsigned required, struct err *e)
{
    char pid[16], port[16], shm[16], bytes[24];
    snprintf(pid, sizeof pid, "%d", (int)world.pid);
    snprintf(port, sizeof port, "%d", world.port);
    snprintf(shm, sizeof shm, "%d", world.shm);
    snprintf(bytes, sizeof bytes, "%d", TOO_MUCH);
    const char *argv[] = { "probe", verb, name, pid, port, shm, bytes, NULL };

    if (probe_fd < 0)
        probe_fd = open_probe();
    int pair[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    struct jail_spec spec = {
        .argv = argv, .exec_fd = probe_fd, .channel_fd = pair[1],
        .image_fd = -1, .leave_out = leave_out, .required = required,
        .limits = { DATA_BYTES, STACK_BYTES },
    };
    memset(in, 0, sizeof *in);
    int r = jail_start(&spec, &in->jail, e);
    close(pair[1]);
    in->fd = pair[0];
    if (r < 0)
        close(pair[0]);
    return r;
}

/* Wait until it has said this much, or ended. */
static inline void hear(struct inmate *in, const char *until)
{
    size_t len = strlen(in->said);
    ssize_t n = 1;
    while (n > 0 && len < sizeof in->said - 1 &&
           !(until && strstr(in->said, until))) {
        n = read(in->fd, in->said + len, sizeof in->said - len - 1);
        len += n > 0 ? (size_t)n : 0;
        in->said[len] = 0;
    }
}

static inline void end_inmate(struct inmate *in)
{
    struct pollfd p = { .fd = jail_pidfd(in->jail), .events = POLLIN };
    CHECK(poll(&p, 1, -1) == 1);
    CHECK(jail_reap(in->jail, &in->status) == 1);
    jail_free(in->jail);
    in->jail = NULL;
    close(in->fd);
}

/* Run to the end. Returns the walls it had. */
static inline unsigned run_inmate(struct inmate *in, const char *verb,
                                  const char *name, unsigned leave_out)
{
    struct err e = { 0 };
    if (start_inmate(in, verb, name, leave_out, 0, &e) < 0)
        TEST_FAIL("jail_start: %s", e.msg);
    unsigned walls = jail_walls(in->jail);
    hear(in, NULL);
    end_inmate(in);
    return walls;
}

/* What it said of one attempt. */
static inline long said(const struct inmate *in, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = in->said; (at = strstr(at, name)); at++)
        if ((at == in->said || at[-1] == '\n') && at[n] == ' ')
            return strtol(at + n, NULL, 10);
    TEST_FAIL("nothing was said of %s; status %#x; heard: %s", name,
              (unsigned)in->status, in->said);
}

static inline void become_ordinary(void)
{
    if (geteuid() != 0)
        return;
    if (probe_fd < 0)
        probe_fd = open_probe();
    CHECK(setgroups(0, NULL) == 0);
    CHECK(setresgid(ORDINARY_UID, ORDINARY_UID, ORDINARY_UID) == 0);
    CHECK(setresuid(ORDINARY_UID, ORDINARY_UID, ORDINARY_UID) == 0);
}

static inline int listen_on(int family, const void *name, socklen_t len)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(fd, name, len) == 0 && listen(fd, 64) == 0);
    return fd;
}

static inline void make_world(void)
{
    static const gid_t groups[] = { 1, 2 };
    if (geteuid() == 0)
        CHECK(setgroups(COUNT(groups), groups) == 0);
    world.pid = getpid();
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);    /* a worthwhile target */

    struct sockaddr_in tcp = { .sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof tcp;
    int fd = listen_on(AF_INET, &tcp, len);
    CHECK(getsockname(fd, (struct sockaddr *)&tcp, &len) == 0);
    world.port = ntohs(tcp.sin_port);

    struct sockaddr_un un = { .sun_family = AF_UNIX };
    int n = snprintf(un.sun_path + 1, sizeof un.sun_path - 1,
                     "glovebox-test-%d", (int)world.pid);
    listen_on(AF_UNIX, &un, (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
                                        1 + (size_t)n));

    world.shm = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0666);
    CHECK(world.shm >= 0 && shmat(world.shm, NULL, 0) != (void *)-1);
    CHECK(shmctl(world.shm, IPC_RMID, NULL) == 0);    /* lives while attached */
    setenv("SECRET", "of the supervisor", 1);
    signal(SIGPIPE, SIG_IGN);
    CHECK(dup2(0, 50) == 50);    /* a descriptor someone forgot */
}
