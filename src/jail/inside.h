/*
 * jail/inside.h -- private to this folder: what the child does between clone()
 * and exec. spawn.c holds the order; these are the steps that fill a file.
 *
 * Every step returns 0 or a negative errno and makes system calls only: the
 * child is a copy of a process that may have been anywhere, so no malloc, no
 * stdio, no log, and no libc call that takes a lock.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "jail/jail.h"

/* What one child knows. The plan says which walls to build: exactly these. */
struct inside {
    const struct jail_spec *spec;
    unsigned plan;         /* WALL_* */
    uid_t    caller_uid;   /* of the supervisor, as seen outside */
    gid_t    caller_gid;
    pid_t    outer_pid;    /* ours, as the supervisor sees it */
    int      report_fd;    /* our end of the socket to jail_start() */
    int      exec_fd;
};

/*
 * Ids. A jail made by root gets an id that nobody else has, derived from its
 * process id; a jail made by a user has one id inside, which is the user's own
 * outside. Neither is 0 (sysctl files are root's by number, capabilities or
 * not) nor 65534 (which every careless daemon shares).
 *
 *   0x70000000 + pid             pids stay below 2^22
 *   0x8000     + pid mod 2^14    where the first range is not mapped, as in a
 *                                container with 65536 ids of its own
 */
enum {
    JAIL_ID_BASE       = 0x70000000,
    JAIL_ID_SMALL_BASE = 0x8000,
    JAIL_ID_SMALL_MASK = 0x3fff,
};

/* jail.c: how an operator gets a wall that is missing. */
const char *jail_how(unsigned one_wall);

int step_map(struct inside *in);       /* ids.c: uid_map of a user namespace */
int step_ids(struct inside *in);       /* ids.c: identity, capabilities */
int step_root(struct inside *in);      /* root.c: the empty root */
int step_landlock(struct inside *in);  /* landlock.c */

/* ids.c, in parts for probe.c: become the id that belongs to this pid, then
 * give up every capability for good. */
int ids_become(pid_t outer_pid);
int ids_drop_capabilities(void);

/* root.c: "/" of this process becomes an empty read-only directory. Wants a
 * mount namespace of its own. */
int root_empty(void);

/* landlock.c: the kernel's ABI number, or a negative errno if it is off. */
int landlock_abi(void);
/* From now on no file, no TCP port, no abstract socket and no signal to the
 * outside; only the program behind exec_fd (-1: none) may still be run. */
int landlock_deny_all(int exec_fd);

/*
 * spawn.c: start one child with exactly the walls of *plan, less namespaces
 * that clone() refuses and spec does not require; those are taken out of *plan.
 * On success gives *out_pid and *out_pidfd. On failure no process is left, and
 * *out_refused names the walls that the host forbids by its nature (trying
 * again without them makes sense), or is 0.
 */
int spawn_jailed(const struct jail_spec *spec, unsigned *plan, pid_t *out_pid,
                 int *out_pidfd, unsigned *out_refused, struct err *e);

/* spawn.c: fork() that skips libc's handlers, into the namespaces of plan.
 * out_pidfd may be NULL. */
pid_t spawn_fork(unsigned plan, int *out_pidfd);

/* spawn.c: the walls made of clone() flags. */
#define WALLS_BY_CLONE ((unsigned)(WALL_USERNS | WALL_PIDNS | WALL_MOUNTNS |  \
                                   WALL_NETNS | WALL_IPCNS | WALL_UTSNS |     \
                                   WALL_CGROUPNS))
