/*
 * zygote/limits.c -- who a run is, and how much it may have.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/seal.h"
#include "zygote/inside.h"
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>

enum {
    /* A number, not a count: what the runtime itself has open lies below. The
     * channel, above, was opened before and stays. */
    FILES_LEAST = 64,
    SIGNALS_MAX = 1024,        /* queued; timers take one each */
    CPU_GRACE_SECONDS = 2,
    /* 0 does not stop a host whose core_pattern is a pipe from starting its
     * program, as root, for a guest that crashes; 1 does, and no file is as
     * short as that. */
    CORE_NONE = 1,
    COUNTED_MORE = 16,         /* processes; the cgroup is to say no first */
};
#define COUNTED_SLACK (512 * MIB)
#define STACK_MAX     (8 * MIB)
#define LOCKED_MAX    (64 * KIB)

/* ---- who ---------------------------------------------------------------------- */

/*
 * What a user may have is counted for all runs of a zygote, and for the caller
 * who is no root: one run could take everybody's watches. A user namespace has
 * limits of its own for the same things; with none for namespaces beneath it,
 * the filter is not the only one to refuse them.
 */
static const struct { const char *file, *most; } shares[] = {
    { "/proc/sys/user/max_inotify_instances", "16"   },
    { "/proc/sys/user/max_inotify_watches",   "8192" },
    { "/proc/sys/user/max_user_namespaces",   "0"    },
    { "/proc/sys/user/max_mnt_namespaces",    "0"    },
    { "/proc/sys/user/max_net_namespaces",    "0"    },
};

static int set_shares(void)
{
    for (size_t i = 0; i < COUNT(shares); i++) {
        int r = seal_write(shares[i].file, str_of(shares[i].most));
        if (r < 0 && r != -ENOENT)    /* a kernel without this count */
            return r;
    }
    return 0;
}

/*
 * An ordinary user, who is the zygote's root outside. The namespace owns
 * nothing, and is what the kernel counts processes by: a run's limit is its
 * own. The files of a process that is not dumpable are not its to write.
 */
int limits_ids(struct seal *s)
{
    (void)s;
    char map[32];
    snprintf(map, sizeof map, "%d 0 1", GUEST_ID);
    if (unshare(CLONE_NEWUSER) < 0 || prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
        return -errno;
    int r = seal_write("/proc/self/setgroups", str_of("deny"));
    if (r == 0)
        r = seal_write("/proc/self/gid_map", str_of(map));
    if (r == 0)
        r = seal_write("/proc/self/uid_map", str_of(map));
    if (r == 0 && (getuid() != GUEST_ID || getgid() != GUEST_ID))
        r = -EPERM;
    return r == 0 ? set_shares() : r;
}

/* ---- where ---------------------------------------------------------------------- */

unsigned limits_cpus(const struct seal *s)
{
    cpu_set_t allowed;
    unsigned n = 1;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        n = (unsigned)CPU_COUNT(&allowed);
    if (s->f->limits.cpus < n)
        n = (unsigned)s->f->limits.cpus;
    return n > 0 ? n : 1;
}

/* As many as the run may use, beginning at another one for each run. */
int limits_processors(struct seal *s)
{
    cpu_set_t allowed, mine;
    unsigned want = limits_cpus(s);
    if (sched_getaffinity(0, sizeof allowed, &allowed) < 0)
        return -errno;
    unsigned all = (unsigned)CPU_COUNT(&allowed);
    if (want >= all)
        return 0;

    unsigned first = (unsigned)(s->f->id % all), seen = 0;
    CPU_ZERO(&mine);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed))
            continue;
        if ((seen + all - first) % all < want)
            CPU_SET(cpu, &mine);
        seen++;
    }
    return sched_setaffinity(0, sizeof mine, &mine) < 0 ? -errno : 0;
}

/* ---- how much --------------------------------------------------------------------- */

/*
 * Memory: the zygote's pages are in the fork's account from the start. Where
 * a cgroup counts, that is what should run out first, as it sees everything;
 * this limit then only stops one process from asking for far more (a thread of
 * Node.js 26 with a heap of its own maps 64 MB that it hardly uses). The same
 * goes for processes: only a cgroup remembers that it refused one.
 *
 * Address space is not limited: V8 reserves terabytes it never touches.
 */
int limits_set(struct seal *s)
{
    const struct run_limits *l = &s->f->limits;
    const uint64_t slack = s->f->flags & FORK_COUNTED ? COUNTED_SLACK : 0;
    const uint64_t files = l->open_files > FILES_LEAST ? l->open_files
                                                       : FILES_LEAST;
    const struct { int what; uint64_t value; } want[] = {
        { RLIMIT_DATA,       s->base_bytes + l->memory_bytes + slack },
        { RLIMIT_NPROC,      l->processes + (slack ? COUNTED_MORE : 0) },
        { RLIMIT_NOFILE,     files },
        { RLIMIT_FSIZE,      l->file_bytes },
        { RLIMIT_CPU,        (l->cpu_time_ms + 999) / 1000 + CPU_GRACE_SECONDS },
        { RLIMIT_STACK,      STACK_MAX },
        { RLIMIT_MEMLOCK,    LOCKED_MAX },
        { RLIMIT_SIGPENDING, SIGNALS_MAX },
        { RLIMIT_MSGQUEUE,   0 },
        { RLIMIT_CORE,       CORE_NONE },
        { RLIMIT_RTPRIO,     0 },
        { RLIMIT_NICE,       0 },
    };
    for (size_t i = 0; i < COUNT(want); i++) {
        int r = seal_limit(want[i].what, want[i].value);
        if (r < 0)
            return r;
    }
    return 0;
}
