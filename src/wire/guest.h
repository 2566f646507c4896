/*
 * wire/guest.h -- how the supervisor talks with a zygote of node or python, and
 * with the runs that are forks of it.
 *
 *   supervisor ── control socket ──> zygote     fixed packets, below
 *        │                              │ fork, seal
 *        └───────── channel ──────> the run     frames, as to a js worker
 *
 * A zygote runs no guest code, but its memory is the parent of all that do: it
 * is given nothing secret, and its packets are checked like a stranger's. What
 * comes over a run's channel is the guest's own word from the moment the
 * program was sent: type, phase and size are checked before anybody looks
 * inside.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "wire/messages.h"

/* ---- the control socket: SOCK_SEQPACKET, one struct a packet ---------------- */

enum {
    ZYGOTE_CONTROL_FD = 3,       /* in the zygote */
    GUEST_CHANNEL_FD  = 200,     /* in a run; stdin, stdout, stderr are 0, 1, 2 */
    GUEST_ID          = 1000,    /* the user that a guest sees itself as */
};
#define ZYGOTE_MAGIC 0x315a4247u    /* "GBZ1" */

enum zygote_op {
    /* to the zygote */
    ZYGOTE_FORK   = 1,     /* struct zygote_fork; descriptors: see enum fork_fd */
    /* from the zygote: struct zygote_report */
    ZYGOTE_READY  = 16,    /* warm; forks from now on */
    ZYGOTE_FORKED = 17,    /* descriptors: a pidfd of the run's pid 1 (killing it
                              ends everything), a pidfd of its first process */
    ZYGOTE_EXITED = 18,    /* the first process is reaped, and all others with it */
    ZYGOTE_FAILED = 19,    /* no fork: error and step say why */
};

enum fork_flags {
    FORK_SPARE       = BIT(0),    /* warm the way of a program before waiting for one */
    FORK_EGRESS      = BIT(1),    /* make the sockets of `port` and hand them out */
    FORK_NO_CHILDREN = BIT(2),    /* threads yes, processes no */
    FORK_COUNTED     = BIT(3),    /* a cgroup counts memory: shared memory may be had */
    FORK_PATHS       = BIT(4),    /* `path` instead of the usual rights to files */
    FORK_NO_UNIX     = BIT(5),    /* folders of the host are mounted: no unix
                                     sockets but pairs */
    FORK_ALL         = BIT(6) - 1,
};

/* The order of the descriptors that come with ZYGOTE_FORK; cgroup.procs files,
 * if any, follow. The run writes "0" into each of those first. */
enum fork_fd { FORK_STDIN, FORK_STDOUT, FORK_STDERR, FORK_CHANNEL, FORK_FDS };
enum { FORK_CGROUPS_MAX = 3, FORK_PORTS = 16, FORK_ROUTES = 16, FORK_RULES = 24,
       FORK_PATH_BYTES = 128 };

enum path_rights { PATH_READ = BIT(0), PATH_WRITE = BIT(1) };

struct zygote_fork {
    uint32_t          magic, op;
    uint64_t          id;
    uint32_t          flags;            /* enum fork_flags */
    uint32_t          leave_out;        /* WALL_*: for control runs of tests */
    struct run_limits limits;
    uint32_t          ports, routes, paths;
    uint16_t          port[FORK_PORTS];        /* TCP, host order */
    uint32_t          route[FORK_ROUTES];      /* IPv4 addresses, host order, that
                                                  are local in the namespace */
    struct {
        uint32_t rights;                       /* enum path_rights */
        char     at[FORK_PATH_BYTES];          /* absolute; and all beneath */
    } path[FORK_RULES];
};

struct zygote_report {
    uint32_t magic, op;
    uint64_t id;
    int32_t  error;          /* errno of a failure */
    int32_t  status;         /* wait status, of ZYGOTE_EXITED */
    uint64_t cpu_us, max_rss_kb;
    uint64_t base_kb;        /* of ZYGOTE_READY: private memory of the zygote */
    char     step[64];       /* which step failed; runtime's version when ready */
};

/* Files inside a jail with paths, one a line, that a fork's Landlock must know:
 * writable mounts, and folders of the runtime outside of the usual ones. */
#define GUEST_WRITABLE "/etc/glovebox-writable"
#define GUEST_READABLE "/etc/glovebox-readable"

/* Where packages are shown. Node.js looks into /node_modules for whatever lies
 * in /workspace, so everything of it finds them by its own rules. */
#define GUEST_NODE_PACKAGES "/node_modules"
#define GUEST_PACKAGES      "/packages"

/* Names that are allowed get addresses of this range; the run connects to them
 * and the egress process picks up the call. */
#define GUEST_NET_BASE 0xc6120000u    /* 198.18.0.0/15 */
#define GUEST_NET_BITS 15

/* ---- the channel: frames ----------------------------------------------------- */

/* X(NAME, number, largest body, phases it is legal in) */
#define FROM_GUEST(X)                                                        \
    X(SEALED, 64, 64,                           PHASE_STARTING)              \
    X(DENIED, 65, 4096,                         PHASE_RUNNING)               \
    X(RESULT,  4, MAX_RESULT_BYTES + (4 << 20), PHASE_RUNNING)               \
    X(FATAL,   6, 1024,                         PHASE_STARTING | PHASE_RUNNING)

enum { MSG_SEALED = 64, MSG_DENIED = 65, MSG_PROGRAM = 80 };

const struct message_rule *message_from_guest(uint32_t type);

/*
 * sealed: every wall of this run stands; no guest code has run. Its descriptors,
 * in this order: the work directory; if `listener`, the seccomp notifier; then
 * with FORK_EGRESS a UDP socket of DNS and one TCP listener for each port.
 */
struct msg_sealed {
    uint32_t walls;          /* WALL_* of the zygote's fork, not of its jail */
    uint8_t  listener;
    uint8_t  sockets;
};
enum { SEALED_FDS_MAX = 2 + 1 + FORK_PORTS };

/* denied: the run's own runtime refused something for us, and says so. Advice
 * to the reader of a result, not evidence. */
struct msg_denied {
    struct str what, subject, rule, hint;
};

/*
 * program: at most MAX_RUN_BYTES. settings is a JSON object that env/program.c
 * writes and the glue in guest/node and guest/python reads (docs/protocol.md has its members). The
 * answer is a msg_result; of several the last counts.
 */
struct msg_program {
    struct str settings, source;
};

void put_sealed(struct buf *b, const struct msg_sealed *m);
void put_denied(struct buf *b, const struct msg_denied *m);
void put_program(struct buf *b, const struct msg_program *m);
int  get_sealed(struct str body, struct msg_sealed *out);
int  get_denied(struct str body, struct msg_denied *out);
int  get_program(struct str body, struct msg_program *out);
