/*
 * zygote/serve.c -- requests in, forks out; and what becomes of them.
 *
 *   supervisor                 zygote                          run
 *   ZYGOTE_FORK ─────────────▶ hooks->before
 *                              unshare(CLONE_NEWPID)
 *                              clone pid 1 (init.c), fork() ──▶ hooks->child
 *                              setns() back                    descriptors
 *              ◀─ FORKED ───── hooks->parent                   seal.c
 *              ◀───────────────────────────────── MSG_SEALED ─ channel.c
 *                                                              hooks->sealed,
 *                                                              returns
 *                              the first process ends ◀─────── exit
 *                              kill pid 1, wait for it
 *              ◀─ EXITED ─────
 *
 * Pid 1 is reported dead by the kernel only when nothing is left in its
 * namespace, and that needs the first process reaped before: so an end has two
 * waits, the second on pid 1, and both are events of the one loop. A run that
 * is slow to die holds up nobody.
 *
 * The memory here is copied into every fork. Nothing in it is secret, and the
 * numbers of other runs are wiped all the same.
 *
 * SPDX-License-Identifier: MIT
 */
#include "zygote/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

enum { FIRST_ROOM = 64, STATUS_BYTES = 8192,
       SPARE_TRIES = 3 /* to make a network ahead, before we give up on it */ };

struct live {
    uint64_t id;
    pid_t    first, init;      /* init 0: a control run without one */
    void    *stack;            /* of init */
    int      ending;           /* first is reaped; watched is init */
    int      status;
    uint64_t cpu_us, max_rss_kb;
};

static struct {
    const struct zygote_hooks *hooks;
    struct live   *live;       /* live[i] is watched by poll[i + 1] */
    struct pollfd *poll;       /* poll[0] is the control socket */
    size_t         lives, room;
    int            pidns;      /* our own, to come back to */
    int            self;       /* a pidfd, for forks to see us die */
    uint64_t       base_bytes;
} z;

/* ---- reports ---------------------------------------------------------------- */

static _Noreturn void leave(int code)
{
    for (size_t i = 0; i < z.lives; i++)
        kill(z.live[i].init ? z.live[i].init : z.live[i].first, SIGKILL);
    _exit(code);
}

static void report(struct zygote_report *r)
{
    if (packet_send(r, NULL, 0) < 0)
        leave(0);
}

static void report_failure(uint64_t id, const char *step, int error)
{
    struct zygote_report r = { .op = ZYGOTE_FAILED, .id = id, .error = error };
    snprintf(r.step, sizeof r.step, "%s", step);
    report(&r);
}

static _Noreturn void fail(const char *step, int error)
{
    report_failure(0, step, error);
    leave(SEAL_EXIT);
}

/* ---- live runs ---------------------------------------------------------------- */

static int open_pidfd(pid_t pid)
{
    long fd = syscall(SYS_pidfd_open, pid, 0);    /* is born close-on-exec */
    return fd < 0 ? -errno : (int)fd;
}

/* Before a fork, so that nothing after it can fail for want of memory. */
static int make_room(void)
{
    if (z.lives < z.room)
        return 0;
    size_t room = z.room ? z.room * 2 : FIRST_ROOM;
    struct live *live = realloc(z.live, room * sizeof *live);
    if (!live)
        return -ENOMEM;
    z.live = live;
    struct pollfd *watched = realloc(z.poll, (room + 1) * sizeof *watched);
    if (!watched)
        return -ENOMEM;
    z.poll = watched;
    z.room = room;
    return 0;
}

static void watch(size_t i, int fd)
{
    z.poll[i + 1] = (struct pollfd){ .fd = fd, .events = POLLIN };
}

static uint64_t microseconds(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

static void reap(pid_t pid, struct live *out)
{
    struct rusage use = { 0 };
    int status = SIGKILL;    /* as good a word as any if somebody else knows */
    while (wait4(pid, &status, __WALL, &use) < 0 && errno == EINTR)
        ;
    if (!out)
        return;
    out->status = status;
    out->cpu_us = microseconds(use.ru_utime) + microseconds(use.ru_stime);
    out->max_rss_kb = (uint64_t)use.ru_maxrss;
}

static void run_gone(size_t i)
{
    struct live *l = &z.live[i];
    struct zygote_report r = {
        .op = ZYGOTE_EXITED, .id = l->id, .status = l->status,
        .cpu_us = l->cpu_us, .max_rss_kb = l->max_rss_kb,
    };
    close(z.poll[i + 1].fd);
    init_stack_free(l->stack);
    z.lives--;
    z.live[i] = z.live[z.lives];
    z.poll[i + 1] = z.poll[z.lives + 1];
    report(&r);
}

/* What run i is watched by has become readable: a process has ended. */
static void run_event(size_t i)
{
    struct live *l = &z.live[i];
    if (!l->ending) {
        reap(l->first, l);
        l->ending = 1;
        if (l->init) {
            kill(l->init, SIGKILL);
            int fd = open_pidfd(l->init);
            if (fd >= 0) {
                close(z.poll[i + 1].fd);
                watch(i, fd);
                return;
            }
        }
    }
    if (l->init)
        reap(l->init, NULL);
    run_gone(i);
}

/* ---- a fork, seen from the zygote ------------------------------------------------ */

static void call_hook(void (*hook)(void *))
{
    if (hook)
        hook(z.hooks->user);
}

/* A run that nobody can be told of, as far as there is one. */
static void put_down(struct live *l)
{
    pid_t top = l->init ? l->init : l->first;
    if (top)
        kill(top, SIGKILL);
    if (l->first)
        reap(l->first, NULL);
    if (l->init)
        reap(l->init, NULL);
    init_stack_free(l->stack);
}

/*
 * Pid 1 and the first process of a new pid namespace. Returns 0 in the
 * zygote, 1 in the run, or -errno. Failing to come back to our own namespace
 * would put the next run into this one: better no zygote.
 */
static int make_processes(const struct zygote_fork *f, struct live *out,
                          const char **step)
{
    const int own_pids = !(f->leave_out & WALL_PIDNS);
    *step = "pid namespace";
    if (own_pids && unshare(CLONE_NEWPID) < 0)
        return -errno;

    int r = 0;
    if (own_pids) {
        *step = "pid 1";
        r = init_start(z.self, &out->stack);
        out->init = r > 0 ? r : 0;
    }
    if (r >= 0) {
        *step = "fork";
        out->first = fork();
        if (out->first == 0)
            return 1;
        r = out->first < 0 ? -errno : 0;
        out->first = out->first > 0 ? out->first : 0;
    }
    if (own_pids && setns(z.pidns, CLONE_NEWPID) < 0)
        fail("return to the pid namespace", errno);
    return r;
}

static int tell(struct live *l, const char **step)
{
    *step = "pidfd";
    AUTO_FD first = open_pidfd(l->first);
    AUTO_FD init = open_pidfd(l->init ? l->init : l->first);
    if (first < 0 || init < 0)
        return first < 0 ? first : init;

    struct zygote_report r = { .op = ZYGOTE_FORKED, .id = l->id };
    const int both[] = { init, first };
    *step = "report";
    int e = packet_send(&r, both, COUNT(both));
    if (e < 0)
        return e;
    z.live[z.lives] = *l;
    watch(z.lives++, fd_take(&first));
    return 0;
}

/* Returns 1 in the run. Signals are blocked while there are two of us in one
 * memory: a handler of the runtime must not run on pid 1's stack. */
static int fork_run(const struct zygote_fork *f, const char **step)
{
    struct live l = { .id = f->id };
    sigset_t all, before;

    *step = "prepare";
    int r = make_room();
    if (r == 0)
        r = filter_prepare(f);
    if (r < 0)
        return r;
    if (prctl(PR_SET_DUMPABLE, (f->leave_out & WALL_DUMPABLE) != 0, 0, 0, 0) < 0)
        return -errno;
    call_hook(z.hooks->before);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    r = make_processes(f, &l, step);
    if (r == 1)
        return 1;
    sigprocmask(SIG_SETMASK, &before, NULL);
    net_drop_spare();
    call_hook(z.hooks->parent);
    if (r == 0)
        r = tell(&l, step);
    if (r < 0)
        put_down(&l);
    return r;
}

/* ---- a fork, seen from inside ------------------------------------------------------ */

/*
 * Everything of the zygote's loop goes; then each descriptor of the request to
 * its place. A source may lie where another one goes, so all are copied out of
 * the way first.
 */
static int place_descriptors(struct request *q)
{
    int from[COUNT(q->fd) + 1], to[COUNT(q->fd) + 1];
    const size_t n = q->fds + 1;

    for (size_t i = 0; i < q->fds; i++) {
        from[i] = q->fd[i];
        to[i] = i < FORK_CHANNEL  ? (int)i
              : i == FORK_CHANNEL ? GUEST_CHANNEL_FD
                                  : CGROUP_FD + (int)(i - FORK_FDS);
    }
    from[n - 1] = z.self;
    to[n - 1] = ZYGOTE_PIDFD;

    if (!(q->fork.leave_out & WALL_FDS)) {
        close(ZYGOTE_CONTROL_FD);
        close(z.pidns);
        for (size_t i = 0; i < z.lives; i++)
            close(z.poll[i + 1].fd);
    }
    for (size_t i = 0; i < n; i++) {
        from[i] = seal_keep(from[i]);
        if (from[i] < 0)
            return from[i];
    }
    for (size_t i = 0; i < n; i++) {
        if (dup3(from[i], to[i], i < FORK_CHANNEL ? 0 : O_CLOEXEC) < 0)
            return -errno;
        close(from[i]);
    }
    return 0;
}

/* Nothing that an ordinary process would be started with is open but this. */
static int close_others(void)
{
    if (syscall(SYS_close_range, 3, GUEST_CHANNEL_FD - 1, 0) < 0 ||
        syscall(SYS_close_range, KEEP_FD, ~0u, 0) < 0)
        return -errno;
    return 0;
}

static int take_descriptors(struct request *q, struct seal *s)
{
    int r = place_descriptors(q);
    if (r < 0)
        return r;
    s->cgroups = q->fds - FORK_FDS;
    if (q->fork.leave_out & WALL_FDS)
        return 0;
    if (z.hooks->cold)
        r = close_others();
    if (r == 0)
        s->walls |= WALL_FDS;
    return r;
}

static void become_run(struct request *q, struct zygote_child *out)
{
    static const unsigned by_zygote = WALL_PIDNS | WALL_DUMPABLE;
    const char *step = "descriptors";
    struct seal s = {
        .f = &q->fork, .base_bytes = z.base_bytes,
        .walls = by_zygote & ~q->fork.leave_out,
    };
    call_hook(z.hooks->child);
    int r = take_descriptors(q, &s);
    if (z.lives > 0) {
        memset(z.live, 0, z.lives * sizeof *z.live);
        memset(z.poll, 0, (z.lives + 1) * sizeof *z.poll);
    }
    if (r == 0)
        r = seal_run(&s, &step);
    if (r < 0)
        channel_fatal(step, -r);
    if (channel_sealed(&s) < 0)
        _exit(SEAL_EXIT);
    *out = (struct zygote_child){ q->fork.id, q->fork.flags, s.walls };
    call_hook(z.hooks->sealed);
}

/* ---- the loop ------------------------------------------------------------------------ */

/* VmData: what RLIMIT_DATA counts. */
static uint64_t private_bytes(void)
{
    char text[STATUS_BYTES];
    AUTO_FD fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        fail("open /proc/self/status", errno);
    ssize_t n = read(fd, text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    const char *at = strstr(text, "VmData:");
    if (!at)
        fail("VmData", ENODATA);
    return strtoull(at + strlen("VmData:"), NULL, 10) * KIB;
}

static void prepare(const struct zygote_hooks *hooks)
{
    z.hooks = hooks;
    z.pidns = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
    if (z.pidns < 0)
        fail("open the pid namespace", errno);
    z.self = open_pidfd(getpid());
    if (z.self < 0)
        fail("pidfd", -z.self);
    if (make_room() < 0)
        fail("memory", ENOMEM);
    watch((size_t)-1, ZYGOTE_CONTROL_FD);
    const char *step;
    int r = paths_prepare(&step);
    if (r < 0)
        fail(step, -r);

    /* Ignored, children would vanish before we hear how they ended. */
    struct sigaction sa;
    if (sigaction(SIGCHLD, NULL, &sa) == 0 && sa.sa_handler == SIG_IGN)
        signal(SIGCHLD, SIG_DFL);
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
        fail("dumpable", errno);
    /* A cold fork still is one of us until it becomes the runtime. */
    z.base_bytes = private_bytes();
    if (hooks->cold && z.base_bytes < hooks->cold_bytes)
        z.base_bytes = hooks->cold_bytes;
}

/* Returns 1 in a run. */
static int serve_request(struct request *q)
{
    const char *step = "request";
    int r = packet_receive(q);
    if (r == -ENOTCONN)
        leave(0);
    if (r == -EAGAIN)
        return 0;
    if (r == 0)
        r = fork_run(&q->fork, &step);
    if (r == 1)
        return 1;
    packet_close(q);
    if (r < 0)
        report_failure(q->fork.id, step, -r);
    return 0;
}

void zygote_serve(const struct zygote_hooks *hooks, struct zygote_child *out)
{
    static struct request q;    /* the run needs it after the fork */
    int tries = SPARE_TRIES;
    prepare(hooks);

    struct zygote_report ready = {
        .op = ZYGOTE_READY, .base_kb = z.base_bytes / KIB,
    };
    snprintf(ready.step, sizeof ready.step, "%s",
             hooks->version ? hooks->version : "");
    report(&ready);

    for (;;) {
        int idle = !hooks->cold && tries > 0 && !net_is_spare();
        int n = poll(z.poll, z.lives + 1, idle ? 0 : -1);
        if (n == 0) {
            int r = net_make_spare();
            if (r == -ENOTRECOVERABLE)
                fail("return to the network namespace", -r);
            tries -= r < 0;
        }
        if (n <= 0)
            continue;
        /* Backwards: one that is gone is replaced by one that was seen. */
        for (size_t i = z.lives; i-- > 0;)
            if (z.poll[i + 1].revents)
                run_event(i);
        if (z.poll[0].revents && serve_request(&q))
            break;
    }
    become_run(&q, out);
}
