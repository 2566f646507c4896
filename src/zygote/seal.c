/*
 * zygote/seal.c -- from fork to the guest's first line: the order in which a
 * run gives up what the zygote has.
 *
 * A fork begins with the rights of the zygote: all capabilities, but only over
 * the zygote's own user namespace. It spends them on namespaces, mounts and
 * sockets of its own, then steps into a user namespace that owns none of them.
 * From there on it could not undo a wall if it were asked to.
 *
 * A step that fails ends the start; the supervisor is told which one. A wall
 * that the kernel does not have is left out and not claimed, and what must
 * stand is the supervisor's to say.
 *
 * SPDX-License-Identifier: MIT
 */
#include "zygote/inside.h"
#include "jail/seal.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>

int seal_keep(int fd)
{
    AUTO_FD low = fd;
    if (fd < 0)
        return -errno;
    int high = fcntl(low, F_DUPFD_CLOEXEC, KEEP_FD);
    return high < 0 ? -errno : high;
}

/* A session of its own: no terminal, and no process group with the zygote. */
static int step_session(struct seal *s)
{
    (void)s;
    umask(022);
    return setsid() < 0 ? -errno : 0;
}

/* First, so that all that follows is counted. */
static int step_cgroups(struct seal *s)
{
    for (size_t i = 0; i < s->cgroups; i++) {
        AUTO_FD fd = CGROUP_FD + (int)i;
        if (write(fd, "0", 1) < 0)
            return -errno;
    }
    return s->cgroups > 0 ? 0 : SEAL_ABSENT;
}

static const struct { unsigned wall; int flag; } namespaces[] = {
    { WALL_MOUNTNS, CLONE_NEWNS  },
    { WALL_NETNS,   CLONE_NEWNET },
    { WALL_IPCNS,   CLONE_NEWIPC },
};

static int step_namespaces(struct seal *s)
{
    int flags = 0;
    unsigned walls = 0;
    s->net_ready = net_enter_spare(seal_wants(s, WALL_NETNS));
    if (s->net_ready < 0)
        return s->net_ready;
    for (size_t i = 0; i < COUNT(namespaces); i++) {
        if (!seal_wants(s, namespaces[i].wall))
            continue;
        if (namespaces[i].flag != CLONE_NEWNET || !s->net_ready)
            flags |= namespaces[i].flag;
        walls |= namespaces[i].wall;
    }
    if (unshare(flags) < 0)
        return -errno;
    s->walls |= walls;
    return 0;
}

static int step_capabilities(struct seal *s)
{
    (void)s;
    return seal_capabilities();
}

static int step_no_new_privs(struct seal *s)
{
    (void)s;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
}

/*
 * After all changes of ids and capabilities: they clear this wish. Pid 1 has
 * it too, and takes everybody along; a fork without pid 1 needs its own. The
 * zygote may have died just before.
 */
static int step_parent(struct seal *s)
{
    (void)s;
    AUTO_FD zygote = ZYGOTE_PIDFD;
    struct pollfd p = { .fd = zygote, .events = POLLIN };
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || poll(&p, 1, 0) < 0)
        return -errno;
    return p.revents ? -ESRCH : 0;
}

/*
 * The zygote is not dumpable so that nobody reads it; the run may look at
 * itself (/proc/self/fd). Handlers stay as the runtime set them, and may run
 * from here on.
 */
static int step_open_up(struct seal *s)
{
    (void)s;
    sigset_t none;
    sigemptyset(&none);
    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0 ||
        sigprocmask(SIG_SETMASK, &none, NULL) < 0)
        return -errno;
    return 0;
}

/*
 * What a fork does, in order; a step with a wall claims it. The order is the
 * argument:
 *   - files and sockets are made with the capabilities that the user namespace
 *     takes away, and belong to the namespaces made before it;
 *   - the map of ids needs capabilities, Landlock forbids mounts;
 *   - limits bind us, too: they come when nothing but the filter is left;
 *   - the filter is last, as it forbids most of the above.
 */
static const struct step {
    const char *name;
    unsigned    wall;
    int       (*run)(struct seal *);
} steps[] = {
    { "leave the session",   0,             step_session      },
    { "join cgroups",        WALL_CGROUP,   step_cgroups      },
    { "namespaces",          0,             step_namespaces   },
    { "files",               0,             tree_build        },
    { "loopback",            WALL_NETNS,    net_up            },
    { "egress sockets",      WALL_NETNS,    net_egress        },
    { "user namespace",      WALL_USERNS,   limits_ids        },
    { "processors",          0,             limits_processors },
    { "capabilities",        WALL_UID,      step_capabilities },
    { "no_new_privs",        WALL_NNP,      step_no_new_privs },
    { "landlock",            WALL_LANDLOCK, paths_confine     },
    { "limits",              WALL_RLIMITS,  limits_set        },
    { "die with the zygote", 0,             step_parent       },
    { "open up",             0,             step_open_up      },
    { "seccomp",             WALL_SECCOMP,  filter_install    },
};

int seal_run(struct seal *s, const char **out_step)
{
    s->work = s->listener = -1;
    s->sockets = 0;
    for (size_t i = 0; i < COUNT(steps); i++) {
        if (!seal_wants(s, steps[i].wall))
            continue;
        int r = steps[i].run(s);
        if (r < 0) {
            *out_step = steps[i].name;
            return r;
        }
        if (r != SEAL_ABSENT)
            s->walls |= steps[i].wall;
    }
    return 0;
}
