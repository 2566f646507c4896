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
    int      staged;       /* rooms.c: things to bind lie under their number */
    uint32_t row;          /* of the rooms that is being worked at, or NO_ROW */
};
#define NO_ROW UINT32_MAX

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

int step_meet(struct inside *in);      /* steps.c, down to parent */
int step_fds(struct inside *in);
int step_apart(struct inside *in);
int step_hostname(struct inside *in);
int step_limits(struct inside *in);
int step_no_new_privs(struct inside *in);
int step_filter(struct inside *in);    /* what a zygote must not do */
int step_parent(struct inside *in);    /* die with the supervisor */
int step_map(struct inside *in);       /* ids.c: uid_map of a user namespace */
int step_ids(struct inside *in);       /* ids.c: identity, capabilities */
int step_root(struct inside *in);      /* root.c: the empty root */
int step_rooms(struct inside *in);     /* rooms.c: the furnished root */
int step_landlock(struct inside *in);  /* landlock.c */

/* ids.c, for probe.c too: become the id that belongs to this pid. */
int ids_become(pid_t outer_pid);
/* ids.c: in the supervisor, which is root: give the user namespace of this
 * child its one id, 0 inside and an unprivileged user of its own outside. */
int ids_map_child(pid_t pid, unsigned plan);

/* root.c: "/" of this process becomes an empty read-only directory. Wants a
 * mount namespace of its own. */
int root_empty(void);
/* root.c, in parts: lay a tmpfs over "/" and step onto it (gives a descriptor);
 * make the current folder the root, read-only, and throw off the old tree. */
int root_lay(void);
int root_enter(void);

/* rooms.c: as root, before the jail's own user namespace: bind all that the
 * rooms want into a tree that becomes "/". */
int rooms_stage(struct inside *in);

/* seal.c: capabilities in parts. Locking (bounding set, ambient, securebits)
 * needs CAP_SETPCAP: root has it, and the maker of a user namespace. Dropping
 * empties the three sets and looks that nothing is left. */
int capabilities_lock(void);
int capabilities_drop(void);

/* seal.c: Landlock in parts. */
struct landlock_rights {
    uint64_t fs;
    uint64_t net;
    uint64_t scoped;
};
/* The kernel's ABI number, or a negative errno if it is off. */
int landlock_abi(void);
int landlock_all(struct landlock_rights *out);    /* that this kernel knows */
int landlock_ruleset(const struct landlock_rights *handled);    /* gives a fd */
int landlock_allow(int ruleset, int fd, uint64_t rights);
int landlock_enforce(int ruleset);

/* landlock.c: from now on no file, no TCP port, no abstract socket and no signal to the
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
