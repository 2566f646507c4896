/*
 * jail/jail.h -- start a process that can reach nothing it was not handed.
 *
 * The caller fills in a jail_spec, jail_start() builds the walls and runs the
 * program behind them. Everything here runs with the supervisor's rights, so
 * nothing in this folder parses input from a guest or from the network.
 *
 * Walls that the host does not offer are left out and not claimed:
 * jail_walls() says which stand, and a wall named in spec.required that cannot
 * be had is a refusal (-ENOTSUP), never a weaker jail.
 *
 * Threads: none. Forking: yes; see spawn.c for what the child may call.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/base.h"
#include "base/err.h"
#include <sys/types.h>

/* X(NAME, bit, "text in results", who: what it stops) */
#define WALLS(X)                                                              \
    X(SFI,      0, "sfi",        "a bug in the engine stays in its linear memory")   \
    X(SECCOMP,  1, "seccomp",    "system calls outside a short list end the process")\
    X(NNP,      2, "no_new_privs", "no exec can gain rights")                  \
    X(FDS,      3, "descriptors", "no descriptor but the channel")            \
    X(RLIMITS,  4, "rlimits",    "memory, files and processes are bounded")   \
    X(UID,      5, "uid",        "an unprivileged user without capabilities") \
    X(USERNS,   6, "user_ns",    "own user namespace")                        \
    X(PIDNS,    7, "pid_ns",     "no other process can be seen or signalled") \
    X(MOUNTNS,  8, "mount_ns",   "own mounts, and an empty root")             \
    X(NETNS,    9, "net_ns",     "no network")                                \
    X(IPCNS,   10, "ipc_ns",     "no shared memory or queues of others")      \
    X(UTSNS,   11, "uts_ns",     "own host name")                             \
    X(CGROUPNS,12, "cgroup_ns",  "cgroup paths are hidden")                   \
    X(LANDLOCK,13, "landlock",   "no file at all, by a second mechanism")     \
    X(DUMPABLE,14, "non_dumpable", "memory cannot be read through /proc")    \
    X(QUOTA,   15, "quota",      "files are bounded in bytes and in number")  \
    X(CGROUP,  16, "cgroup",     "memory and processes of a run are counted together")

enum wall {
#define X(NAME, bit, text, what) WALL_##NAME = BIT(bit),
    WALLS(X)
#undef X
};
const char *wall_text(unsigned one_bit);    /* NULL if it is not one wall */
/* The bit of a wall by its text, 0 if there is none of that name. */
unsigned    wall_by_text(const char *text);

/* The walls that jail_start() builds. The others are the work of the program
 * inside, which says so when it says hello, or of a run's own seal. */
#define JAIL_BUILDS (~(unsigned)(WALL_SFI | WALL_SECCOMP | WALL_DUMPABLE |    \
                                 WALL_QUOTA | WALL_CGROUP) & (BIT(17) - 1))

/* What this build can never have: AddressSanitizer reads files as it starts,
 * and reserves terabytes. A caller takes these out of what it requires. */
#ifdef GB_SANITIZED
#define JAIL_BUILD_LACKS ((unsigned)(WALL_SECCOMP | WALL_MOUNTNS |            \
                                     WALL_LANDLOCK | WALL_RLIMITS))
#else
#define JAIL_BUILD_LACKS 0u
#endif

struct jail;    /* a running jail; its fields are jail.c's business */

struct jail_limits {
    uint64_t data_bytes;        /* RLIMIT_DATA: all private writable memory;
                                   UINT64_MAX: no limit */
    uint64_t stack_bytes;       /* RLIMIT_STACK; neither may be 0 */
};

/*
 * A furnished root: what a runtime like Node.js needs to find. Everything is
 * read-only, nosuid and nodev unless it says otherwise; missing folders on the
 * way are made. Rows are taken in order.
 */
enum jail_item_kind {
    ROOM_BIND,       /* from: a file or folder of the host */
    ROOM_FILE,       /* from: its text */
    ROOM_LINK,       /* from: where the link points */
    ROOM_DIR,        /* an empty folder, to be mounted on later; writable: a
                        small tmpfs */
    ROOM_DEVICE,     /* from: a device of the host, by its path */
    ROOM_PROC,       /* /proc of the jail's own pid namespace */
};
enum jail_item_flags {
    ROOM_WRITABLE = BIT(0),
    ROOM_OPTIONAL = BIT(1),    /* left out if the host has none */
    ROOM_NOEXEC   = BIT(2),
};
struct jail_item {
    enum jail_item_kind kind;
    unsigned            flags;
    const char         *at;      /* inside: "/usr/lib" */
    const char         *from;
};

/*
 * A furnished jail holds a zygote, whose rights end at its own border: it is
 * root of a user namespace that maps to one unprivileged user outside (started
 * by root: a user of its own, never 0), so that it can seal its forks further.
 * All its namespaces belong to that one. All else is as in the empty jail;
 * Landlock is left to the forks, so it is neither built nor asked for here.
 *
 * Paths of items are absolute, without "..", and lead through no link. A jail
 * made by root shows what root can reach; but inside, files are read by the
 * rights of an unknown user.
 */
struct jail_rooms {
    const struct jail_item *item;
    size_t                  items;
    const char             *program;      /* path inside, in place of exec_fd */
    const char *const      *envp;         /* not NULL */
    const char             *hostname;     /* NULL: "glovebox" */
    int                     stdio[3];     /* become 0, 1, 2; -1: closed */
    uint64_t                processes;    /* RLIMIT_NPROC of all forks together */
    uint64_t                open_files;
};

/* What to run and what it may touch. Borrowed until jail_start() returns. */
struct jail_spec {
    const char *const *argv;
    int                exec_fd;       /* the program (static); borrowed */
    int                channel_fd;    /* becomes descriptor 3; borrowed */
    int                image_fd;      /* becomes descriptor 4; -1: none */
    unsigned           required;      /* WALL_* of JAIL_BUILDS, or no start */
    unsigned           leave_out;     /* WALL_* not to build: for control runs of tests */
    struct jail_limits limits;
    const struct jail_rooms *rooms;   /* NULL: the empty root, no rights at all */
};
enum { JAIL_CHANNEL_FD = 3, JAIL_IMAGE_FD = 4 };

/*
 * Returns 0 and gives *out, which the caller ends with jail_free(). On failure
 * returns a negative errno, says why in e, and leaves *out alone; no process
 * or mount survives a failed start.
 */
int jail_start(const struct jail_spec *spec, struct jail **out, struct err *e);

/* A pidfd that polls readable at exit. Borrowed: it dies with the jail. */
int      jail_pidfd(const struct jail *j);
pid_t    jail_pid(const struct jail *j);
unsigned jail_walls(const struct jail *j);    /* WALL_* put up from outside */

/* Kill everything inside at once. Safe to repeat; does not wait. */
void jail_kill(struct jail *j);

/* Reap if dead: returns 1 and the wait status in *out, or 0 while alive. */
int  jail_reap(struct jail *j, int *out_status);

/* Kill, reap and release. Accepts NULL and half-built jails. */
void jail_free(struct jail *j);
