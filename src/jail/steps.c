/*
 * jail/steps.c -- the small steps of a child: descriptors, signals, limits.
 *
 * spawn.c has their order, inside.h what they may call.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/inside.h"
#include "jail/calls.h"
#include "jail/seal.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

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
    FILTER_ROOM = 16,
};

/* The child cannot see its own outer pid, which ids.c makes an id of. It reads
 * before anything can fail: closing a socket with unread bytes would reset the
 * connection and lose the report. */
int step_meet(struct inside *in)
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
    static const int nothing[3] = { -1, -1, -1 };
    const int *std = in->spec->rooms ? in->spec->rooms->stdio : nothing;
    const struct { int from, to, flags; } moves[] = {
        { std[0],               0,               0         },
        { std[1],               1,               0         },
        { std[2],               2,               0         },
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
        if (away[i] < 0) {
            if (moves[i].to > 2 || (in->plan & WALL_FDS))
                close(moves[i].to);
        } else if (dup3(away[i], moves[i].to, moves[i].flags) < 0) {
            return -errno;
        }
    }
    return 0;
}

int step_fds(struct inside *in)
{
    int r = place_fds(in);
    if (r < 0)
        return r;
    in->exec_fd = EXEC_FD;
    in->report_fd = REPORT_FD;
    if (!(in->plan & WALL_FDS))
        return 0;
    return syscall(SYS_close_range, REPORT_FD + 1, ~0u, 0) < 0 ? -errno : 0;
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

int step_apart(struct inside *in)
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

int step_hostname(struct inside *in)
{
    const struct jail_rooms *rooms = in->spec->rooms;
    const char *name = rooms && rooms->hostname ? rooms->hostname : "glovebox";
    return sethostname(name, strlen(name)) < 0 ? -errno : 0;
}

/*
 * RLIMIT_NPROC counts all processes of a user. Where the user is the caller,
 * without a user namespace, the count is not ours to limit; the seal of the
 * program brings the limit to 0 before any guest code in every case.
 */
int step_limits(struct inside *in)
{
    const struct jail_limits *lim = &in->spec->limits;
    const struct jail_rooms *rooms = in->spec->rooms;
    const int can_limit = rooms || !(JAIL_BUILD_LACKS & WALL_RLIMITS);
    const int own_count = in->caller_uid == 0 ? (in->plan & WALL_UID) != 0
                                              : (in->plan & WALL_USERNS) != 0;
    const struct { int what, use; uint64_t value; } want[] = {
        { RLIMIT_DATA,     can_limit, lim->data_bytes  },
        { RLIMIT_STACK,    1,         lim->stack_bytes },
        { RLIMIT_CORE,     1,         rooms ? 1 : 0    },
        { RLIMIT_FSIZE,    !rooms,    0                },
        { RLIMIT_NOFILE,   1,         rooms ? rooms->open_files : MAX_FILES },
        { RLIMIT_NPROC,    own_count, rooms ? rooms->processes : MAX_PROCESSES },
        { RLIMIT_MEMLOCK,  1,         0                },
        { RLIMIT_MSGQUEUE, 1,         0                },
        { RLIMIT_RTPRIO,   1,         0                },
    };

    for (size_t i = 0; i < COUNT(want); i++) {
        int r = want[i].use ? seal_limit(want[i].what, want[i].value) : 0;
        if (r < 0)
            return r;
    }
    return 0;
}

int step_no_new_privs(struct inside *in)
{
    (void)in;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
}

/*
 * A change of ids clears the wish to die with the parent, so this comes last.
 * The parent may have died just before; then its end of the socket is closed.
 * (getppid() is no help: across a pid namespace it is always 0.)
 */
int step_parent(struct inside *in)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
        return -errno;
    struct pollfd parent = { .fd = in->report_fd };
    if (poll(&parent, 1, 0) < 0)
        return -errno;
    return parent.revents & POLLHUP ? -ESRCH : 0;
}

int step_filter(struct inside *in)
{
    (void)in;
    struct sock_filter code[FILTER_ROOM];
    int len = calls_zygote_filter(code, COUNT(code));
    if (len < 0)
        return len;
    struct sock_fprog prog = { .len = (unsigned short)len, .filter = code };
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) < 0
        ? -errno : 0;
}
