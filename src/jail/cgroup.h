/*
 * jail/cgroup.h -- count the memory and the processes of a run together.
 *
 * v2 where a subtree with memory and pids is ours to write (delegated, or we
 * are root); v1 where that is what there is; else nothing, and the caller
 * watches (env/watch.h). Found out once, by making a group and taking it away.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/err.h"
#include <stdint.h>

enum { CGROUP_PROCS_MAX = 3 };
struct cgroups;    /* where groups can be made */
struct cgroup;     /* the group of one run */

struct cgroup_limits {
    uint64_t memory_bytes;      /* swap included where it is counted */
    uint64_t processes;         /* threads count */
};

struct cgroup_usage {
    uint64_t memory_peak_bytes;
    uint64_t cpu_ns;            /* 0: not counted here */
    int      out_of_memory;     /* the kernel killed for memory */
    int      out_of_processes;  /* a fork was refused */
};

/* Gives *out, or -ENOTSUP with what is missing in e. */
int  cgroups_open(struct cgroups **out, struct err *e);
void cgroups_free(struct cgroups *c);              /* accepts NULL */
const char *cgroups_kind(const struct cgroups *c); /* "v2", "v1", "none" for NULL */

int  cgroup_make(struct cgroups *c, const struct cgroup_limits *limits,
                 struct cgroup **out, struct err *e);
/* cgroup.procs files, open for writing: whoever writes "0" joins. Borrowed. */
unsigned cgroup_procs(const struct cgroup *g, int out_fds[CGROUP_PROCS_MAX]);
void cgroup_usage(const struct cgroup *g, struct cgroup_usage *out);
void cgroup_kill(struct cgroup *g);    /* all inside, where the kernel can */
/* Takes the group away; retries until it is empty or 200 ms have passed.
 * Returns 0, or -EBUSY if it had to be left. Accepts NULL. */
int  cgroup_free(struct cgroup *g);
