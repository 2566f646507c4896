/*
 * zygote/inside.h -- private to this folder: how a fork is made and sealed.
 *
 *   serve.c    the loop: requests in, forks and their ends out
 *   packet.c   the control socket
 *   init.c     pid 1 of a run
 *   seal.c     the order in which a fork gives up its rights; its steps fill
 *              tree.c (files), facts.c (texts below /proc), net.c, limits.c,
 *              paths.c (Landlock) and filter.c (seccomp)
 *   channel.c  frames to and from the supervisor
 *
 * A step returns 0, SEAL_ABSENT if the kernel has no such wall, or a negative
 * errno, which ends the start.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/base.h"
#include "base/buf.h"
#include "jail/jail.h"
#include "zygote/zygote.h"

struct msghdr;

enum {
    SEAL_ABSENT    = 1,
    SEAL_EXIT      = 125,                     /* of a fork that has no seal */
    /* Numbers in a fork, until its seal is done. What it is to send away lies
     * above them all, out of the way of a low limit on descriptors. */
    CGROUP_FD      = GUEST_CHANNEL_FD + 1,
    ZYGOTE_PIDFD   = CGROUP_FD + FORK_CGROUPS_MAX,
    KEEP_FD        = ZYGOTE_PIDFD + 1,
};

/* What a fork knows while it seals itself. */
struct seal {
    const struct zygote_fork *f;
    uint64_t base_bytes;                      /* of memory that is not its own */
    size_t   cgroups;                         /* from CGROUP_FD */
    uint32_t walls;                           /* that stand so far */
    int      net_ready;                       /* its network was made ahead */
    /* What goes to the supervisor; -1 until there is one. */
    int      work, listener;
    int      socket[1 + FORK_PORTS];
    size_t   sockets;
};

/* Take every step, or say which one failed. s->f, base_bytes, cgroups and
 * walls are the caller's to fill in. */
int seal_run(struct seal *s, const char **out_step);
/* Is this wall wanted? All are but in control runs of tests. */
static inline int seal_wants(const struct seal *s, unsigned wall)
{
    return !(s->f->leave_out & wall);
}
/* Moves a descriptor to KEEP_FD or above; takes fd. Gives the new number or
 * -errno. A negative fd means that errno has the reason. */
int seal_keep(int fd);

int tree_build(struct seal *s);
int net_up(struct seal *s);
int net_egress(struct seal *s);
/* A network namespace made while the zygote has nothing to do, for the next
 * fork alone: to make one takes longer than any other wall. */
int  net_is_spare(void);
int  net_make_spare(void);     /* -ENOTRECOVERABLE: we are in the wrong one */
void net_drop_spare(void);     /* in the zygote, after a fork */
/* In the fork, always: closes what the zygote had open for this. 1 if we now are
 * in the spare, 0 if there was none or it was not wanted. */
int  net_enter_spare(int wanted);
int limits_ids(struct seal *s);
int limits_processors(struct seal *s);
int limits_set(struct seal *s);
int paths_confine(struct seal *s);
int filter_install(struct seal *s);

/* How many processors the run may use. */
unsigned limits_cpus(const struct seal *s);

/* In the zygote: what is the same for all forks is done once, before them. */
int paths_prepare(const char **out_step);
int filter_prepare(const struct zygote_fork *f);

/* Texts of a machine that has what the run may use, and no more. */
void facts_cpuinfo(struct buf *b, const struct seal *s);
void facts_stat(struct buf *b, const struct seal *s);
void facts_meminfo(struct buf *b, const struct seal *s);

/*
 * Pid 1 of the pid namespace that the next child of this thread will be born
 * in: reaps orphans, dies with the zygote, and takes the namespace with it.
 * zygote_pidfd tells it whether the zygote is still there. Returns its pid and
 * gives its stack, which must be given back after it was reaped; or -errno.
 * Signals are blocked by the caller.
 */
pid_t init_start(int zygote_pidfd, void **out_stack);
void  init_stack_free(void *stack);    /* accepts NULL */

/* ---- packets ---------------------------------------------------------------- */

struct request {
    struct zygote_fork fork;
    int                fd[FORK_FDS + FORK_CGROUPS_MAX];
    size_t             fds;
};
/* 0; -ENOTCONN: the supervisor is gone; else what is wrong with the packet, and
 * out has its id, if it has one, but no descriptors. */
int  packet_receive(struct request *out);
void packet_close(struct request *r);
/* room: CMSG_SPACE() of as many descriptors, aligned, zeroed. */
void packet_attach(struct msghdr *m, void *room, const int *fd, size_t fds);
/* Fills in the magic. Descriptors are borrowed. */
int  packet_send(struct zygote_report *r, const int *fd, size_t fds);

/* ---- the channel ------------------------------------------------------------- */

/* Sends and closes the descriptors. */
int  channel_sealed(struct seal *s);
/* "step: reason", then the end of this process. */
_Noreturn void channel_fatal(const char *step, int error);
