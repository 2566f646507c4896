/*
 * jail/spawn.c -- from clone() to exec: the order in which rights are given up.
 *
 *   supervisor                        child
 *   jail_start()
 *     block signals, clone() ───────▶ born in its namespaces, with a copy of
 *     send the child's pid ─────────▶ the supervisor's memory; takes the steps
 *     read the report socket          below, in order, system calls only
 *       a report  ◀────────────────── a step failed: which, and the errno
 *       end of file ◀──────────────── exec closed the socket (close-on-exec)
 *
 * End of file also comes when the child is killed on its way; the two look the
 * same from here, so nobody counts it as started until it says hello.
 *
 * Two ways in. Started by root, the namespaces are made by root's own right and
 * the child then becomes a user of its own (ids.c). Started by a user, a user
 * namespace comes first and gives the right to make the others. Which walls are
 * wanted is the plan; a child builds exactly its plan or reports, and never
 * decides to go on with less. Only jail_start() shortens a plan, and only for
 * refusals that are the host's nature (no such feature, not permitted), never
 * for a lack of memory or of free ids.
 *
 * The memory between clone() and exec is the supervisor's, so the child is not
 * dumpable. Exec makes it dumpable again: the program's own seal sets that.
 *
 * clone() and not clone3(): container runtimes answer ENOSYS to the latter,
 * because their filters cannot look into its argument.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

enum {
    EXEC_FD   = JAIL_IMAGE_FD + 1,    /* both are closed by exec */
    REPORT_FD = JAIL_IMAGE_FD + 2,
    AWAY_FD   = 16,                   /* above every fixed number */
    MAX_FILES = 16,
    /* The program, and one child in which it proves its seal. */
    MAX_PROCESSES = 2,
    SIGNALS = 64,
};

/* The child cannot see its own outer pid, which ids.c makes an id of. It reads
 * before anything can fail: closing a socket with unread bytes would reset the
 * connection and lose the report. */
static int step_meet(struct inside *in)
{
    ssize_t n = read(in->report_fd, &in->outer_pid, sizeof in->outer_pid);
    if (n < 0)
        return -errno;
    return n == sizeof in->outer_pid ? 0 : -ESRCH;    /* supervisor is gone */
}

/* Where a descriptor goes. A source may be the target of another, so all are
 * copied out of the way before any is put in place. */
static int place_fds(const struct inside *in)
{
    const struct { int from, to, flags; } moves[] = {
        { in->spec->channel_fd, JAIL_CHANNEL_FD, 0         },
        { in->spec->image_fd,   JAIL_IMAGE_FD,   0         },
        { in->exec_fd,          EXEC_FD,         O_CLOEXEC },
        { in->report_fd,        REPORT_FD,       O_CLOEXEC },
    };
    int away[COUNT(moves)];

    for (size_t i = 0; i < COUNT(moves); i++) {
        away[i] = moves[i].from;
        if (moves[i].from < 0)
            continue;
        away[i] = fcntl(moves[i].from, F_DUPFD_CLOEXEC, AWAY_FD);
        if (away[i] < 0)
            return -errno;
    }
    for (size_t i = 0; i < COUNT(moves); i++) {
        if (away[i] < 0)
            close(moves[i].to);
        else if (dup3(away[i], moves[i].to, moves[i].flags) < 0)
            return -errno;
    }
    return 0;
}

static int step_fds(struct inside *in)
{
    int r = place_fds(in);
    if (r < 0)
        return r;
    in->exec_fd = EXEC_FD;
    in->report_fd = REPORT_FD;
    if (!(in->plan & WALL_FDS))
        return 0;
    if (syscall(SYS_close_range, 0, JAIL_CHANNEL_FD - 1, 0) < 0 ||
        syscall(SYS_close_range, REPORT_FD + 1, ~0u, 0) < 0)
        return -errno;
    return 0;
}

/* Handlers of the supervisor would run its code in here; ignored signals
 * would stay ignored through exec. Signals were blocked before clone(). */
static int reset_signals(void)
{
    static const uint64_t dfl[8];    /* struct kernel_sigaction, all zero */
    uint64_t none = 0;

    for (int sig = 1; sig <= SIGNALS; sig++)
        if (sig != SIGKILL && sig != SIGSTOP &&
            syscall(SYS_rt_sigaction, sig, dfl, NULL, sizeof none) < 0)
            return -errno;
    if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none) < 0)
        return -errno;
    return 0;
}

static int step_apart(struct inside *in)
{
    (void)in;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
        return -errno;
    if (setsid() < 0)    /* no terminal to push characters into (TIOCSTI) */
        return -errno;
#ifndef GB_SANITIZED
    /* Someone debugging may have turned off address randomisation. */
    if (personality(PER_LINUX) < 0)
        return -errno;
#endif
    umask(077);
    if (chdir("/") < 0)
        return -errno;
    return reset_signals();
}

static int step_hostname(struct inside *in)
{
    (void)in;
    struct str name = STR("glovebox");
    return sethostname(name.at, name.len) < 0 ? -errno : 0;
}

static int set_limit(int what, uint64_t want)
{
    struct rlimit now;
    if (getrlimit(what, &now) < 0)
        return -errno;
    rlim_t v = want < now.rlim_max ? want : now.rlim_max;
    struct rlimit lim = { v, v };
    return setrlimit(what, &lim) < 0 ? -errno : 0;
}

/*
 * RLIMIT_NPROC counts all processes of a user. Where the user is the caller,
 * without a user namespace, the count is not ours to limit; the seal of the
 * program brings the limit to 0 before any guest code in every case.
 */
static int step_limits(struct inside *in)
{
    const struct jail_limits *lim = &in->spec->limits;
    const int own_count = in->caller_uid == 0 ? (in->plan & WALL_UID) != 0
                                              : (in->plan & WALL_USERNS) != 0;
    const struct { int what, use; uint64_t value; } want[] = {
#ifndef GB_SANITIZED
        { RLIMIT_DATA,     1,         lim->data_bytes  },
#endif
        { RLIMIT_STACK,    1,         lim->stack_bytes },
        { RLIMIT_CORE,     1,         0                },
        { RLIMIT_FSIZE,    1,         0                },
        { RLIMIT_NOFILE,   1,         MAX_FILES        },
        { RLIMIT_NPROC,    own_count, MAX_PROCESSES    },
        { RLIMIT_MEMLOCK,  1,         0                },
        { RLIMIT_MSGQUEUE, 1,         0                },
        { RLIMIT_RTPRIO,   1,         0                },
    };

    for (size_t i = 0; i < COUNT(want); i++) {
        int r = want[i].use ? set_limit(want[i].what, want[i].value) : 0;
        if (r < 0)
            return r;
    }
    return 0;
}

static int step_no_new_privs(struct inside *in)
{
    (void)in;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
}

/*
 * A change of ids clears the wish to die with the parent, so this comes last.
 * The parent may have died just before; then its end of the socket is closed.
 * (getppid() is no help: across a pid namespace it is always 0.)
 */
static int step_parent(struct inside *in)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
        return -errno;
    struct pollfd parent = { .fd = in->report_fd };
    if (poll(&parent, 1, 0) < 0)
        return -errno;
    return parent.revents & POLLHUP ? -ESRCH : 0;
}

/*
 * What the child does, in order; a step with a wall is taken if the plan has
 * that wall. The order is the argument: the map gives the rights that the
 * mounts need, `identity` gives them up, Landlock wants no_new_privs and
 * forbids mounts.
 */
static const struct step {
    const char *name;
    unsigned    wall;
    int       (*run)(struct inside *);
} steps[] = {
    { "meet the supervisor",     0,             step_meet         },
    { "place descriptors",       0,             step_fds          },
    { "map ids",                 WALL_USERNS,   step_map          },
    { "leave the session",       0,             step_apart        },
    { "empty root",              WALL_MOUNTNS,  step_root         },
    { "host name",               WALL_UTSNS,    step_hostname     },
    { "limits",                  WALL_RLIMITS,  step_limits       },
    { "identity",                WALL_UID,      step_ids          },
    { "no_new_privs",            WALL_NNP,      step_no_new_privs },
    { "landlock",                WALL_LANDLOCK, step_landlock     },
    { "die with the supervisor", 0,             step_parent       },
};

struct report { uint32_t step; int32_t error; };

static _Noreturn void child(struct inside *in)
{
    static char *const no_env[] = { NULL };
    struct report rep = { .step = COUNT(steps) };    /* i.e. exec itself */

    for (uint32_t i = 0; i < COUNT(steps); i++) {
        if (steps[i].wall && !(in->plan & steps[i].wall))
            continue;
        int r = steps[i].run(in);
        if (r < 0) {
            rep = (struct report){ .step = i, .error = -r };
            goto fail;
        }
    }
    syscall(SYS_execveat, in->exec_fd, "", in->spec->argv, no_env,
            AT_EMPTY_PATH);
    rep.error = errno;
fail:
    (void)!write(in->report_fd, &rep, sizeof rep);
    _exit(126);
}

static const struct { unsigned wall; uint64_t flag; } namespaces[] = {
    { WALL_USERNS,   CLONE_NEWUSER   },
    { WALL_PIDNS,    CLONE_NEWPID    },
    { WALL_MOUNTNS,  CLONE_NEWNS     },
    { WALL_NETNS,    CLONE_NEWNET    },
    { WALL_IPCNS,    CLONE_NEWIPC    },
    { WALL_UTSNS,    CLONE_NEWUTS    },
    { WALL_CGROUPNS, CLONE_NEWCGROUP },
};

pid_t spawn_fork(unsigned plan, int *out_pidfd)
{
    uint64_t flags = SIGCHLD | (out_pidfd ? CLONE_PIDFD : 0);
    for (size_t i = 0; i < COUNT(namespaces); i++)
        if (plan & namespaces[i].wall)
            flags |= namespaces[i].flag;
    return (pid_t)syscall(SYS_clone, flags, NULL, out_pidfd, NULL, NULL);
}

/* Does this errno say what the host is, rather than how it is just now? */
static int is_refusal(int error)
{
    return error == EPERM || error == EACCES || error == EINVAL ||
           error == ENOSYS || error == EOPNOTSUPP;
}

/* The usual way to forbid namespaces is a limit of 0 of them: ENOSPC. */
static int is_clone_refusal(int error)
{
    return is_refusal(error) || error == ENOSPC || error == EUSERS;
}

/*
 * clone() does not say which namespace it refused: try to do without each one
 * in turn, then without any, but never without a required one.
 */
static pid_t clone_what_we_can(unsigned required, unsigned *plan,
                               int *out_pidfd)
{
    unsigned drop[COUNT(namespaces) + 1] = { 0 };
    for (size_t i = 1; i < COUNT(namespaces); i++)    /* user_ns is no choice */
        drop[i] = namespaces[i].wall;
    drop[COUNT(namespaces)] = WALLS_BY_CLONE;

    pid_t pid = spawn_fork(*plan, out_pidfd);
    for (size_t i = 1; i < COUNT(drop); i++) {
        unsigned less = *plan & ~drop[i];
        if (pid >= 0 || !is_clone_refusal(errno))
            break;
        if (less == *plan || (*plan & drop[i] & required))
            continue;
        pid = spawn_fork(less, out_pidfd);
        if (pid >= 0)
            *plan = less;
    }
    return pid;
}

/* The child starts with every signal blocked and our handlers still set. */
static pid_t clone_quietly(unsigned required, unsigned *plan, int *out_pidfd)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = clone_what_we_can(required, plan, out_pidfd);
    if (pid != 0) {
        int saved = errno;
        sigprocmask(SIG_SETMASK, &before, NULL);
        errno = saved;
    }
    return pid;
}

static int await_exec(int fd, unsigned *out_refused, struct err *e)
{
    struct report rep;
    ssize_t n;
    do
        n = read(fd, &rep, sizeof rep);
    while (n < 0 && errno == EINTR);

    if (n == 0)
        return 0;
    if (n < 0)
        return err_sys(e, "jail: waiting for the jailed process");
    if (n != sizeof rep || rep.step > COUNT(steps) || rep.error <= 0)
        return err_set(e, -EPROTO, "jail: garbled start report");
    if (rep.step == COUNT(steps)) {
        errno = rep.error;
        return err_sys(e, "jail: exec");
    }
    const struct step *s = &steps[rep.step];
    if (is_refusal(rep.error))
        *out_refused = s->wall;
    errno = rep.error;
    return err_sys(e, "jail: %s", s->name);
}

static void put_down(pid_t pid, int pidfd)
{
    if (syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0) < 0)
        kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

int spawn_jailed(const struct jail_spec *spec, unsigned *plan, pid_t *out_pid,
                 int *out_pidfd, unsigned *out_refused, struct err *e)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return err_sys(e, "jail: socketpair");
    AUTO_FD ours = pair[0];
    AUTO_FD theirs = pair[1];
    struct inside in = {
        .spec = spec, .caller_uid = geteuid(), .caller_gid = getegid(),
        .report_fd = theirs, .exec_fd = spec->exec_fd,
    };

    AUTO_FD pidfd = -1;
    int new_fd = -1;
    in.plan = *plan;
    *out_refused = 0;
    pid_t pid = clone_quietly(spec->required, &in.plan, &new_fd);
    if (pid < 0) {
        if (is_clone_refusal(errno))
            *out_refused = in.plan & WALLS_BY_CLONE;
        return err_sys(e, "jail: clone");
    }
    if (pid == 0) {
        close(ours);
        child(&in);
    }
    pidfd = new_fd;
    close(fd_take(&theirs));

    int r = send(ours, &pid, sizeof pid, MSG_NOSIGNAL) < 0
        ? err_sys(e, "jail: tell the child its number")
        : await_exec(ours, out_refused, e);
    if (r < 0) {
        put_down(pid, pidfd);
        return r;
    }
    *plan = in.plan;
    *out_pid = pid;
    *out_pidfd = fd_take(&pidfd);
    return 0;
}
