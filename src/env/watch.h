/*
 * env/watch.h -- what the processes of a run use, seen through /proc.
 *
 * For hosts without a cgroup for it, and for processor time where a cgroup
 * does not count that. A sample walks from the run's pid 1, to which orphans
 * go, and from its first process; both are known by their pidfds. A process
 * that lives for less than the time between two samples is not seen: rlimits
 * bound each of them, and the wall clock all.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/base.h"
#include <sys/types.h>

enum {
    WATCH_EVERY_MS = 25,
    WATCH_MAX      = 8192,    /* processes that a sample looks at */
};

struct watch_seen;
struct watch {
    pid_t              init, run;
    struct watch_seen *seen;           /* what each had used when last seen */
    size_t             count, room;
    uint64_t           cpu_ns;         /* of all, also of those that are gone */
    uint64_t           memory_bytes;
    uint64_t           memory_peak_bytes;    /* of close looks only */
    uint64_t           threads, threads_peak;
};

/* The number of a process here, from its pidfd; 0 if it is gone, -EPROTO if it
 * is no pidfd or its process cannot be seen from here. */
pid_t watch_pid_of(int pidfd);

void watch_init(struct watch *w, pid_t init, pid_t run);
void watch_free(struct watch *w);    /* accepts a zeroed watch */

/*
 * Count now. Memory is what belongs to the run alone; it is only looked at
 * closely (`close_bytes`) once what is resident, shared pages included, has
 * passed that much. Returns 0, or -ESRCH when nothing is left to see.
 */
int watch_sample(struct watch *w, uint64_t close_bytes);
