/*
 * jail/spawn.c -- from clone() to exec: the order in which rights are given up.
 *
 *   supervisor                        child
 *   jail_start()
 *     block signals, clone() ───────▶ born in its namespaces, with a copy of
 *     send the child's pid ─────────▶ the supervisor's memory; takes the steps
 *     read the report socket          below, in order, system calls only
 *       a report  ◀────────────────── a step failed: which, and the errno
 *       end of file ◀──────────────── exec closed the socket (close-on-exec)
 *
 * End of file also comes when the child is killed on its way; the two look the
 * same from here, so nobody counts it as started until it says hello.
 *
 * Two ways in. Started by root, the namespaces are made by root's own right and
 * the child then becomes a user of its own (ids.c). Started by a user, a user
 * namespace comes first and gives the right to make the others. Which walls are
 * wanted is the plan; a child builds exactly its plan or reports, and never
 * decides to go on with less. Only jail_start() shortens a plan, and only for
 * refusals that are the host's nature (no such feature, not permitted), never
 * for a lack of memory or of free ids.
 *
 * A furnished jail has a user namespace in both cases, as it must own all the
 * others. Started by root there is one process more:
 *
 *   supervisor ── clone() ──▶ stager, root: gathers what the rooms want
 *       ▲                       │ clone(CLONE_PARENT): the child is the
 *       └─ the child's pid ◀────┘ supervisor's, born in all its namespaces
 *   write the child's uid_map, send it its pid, go on as above
 *
 * The memory between clone() and exec is the supervisor's, so the child is not
 * dumpable. Exec makes it dumpable again: the program's own seal sets that.
 *
 * clone() and not clone3(): container runtimes answer ENOSYS to the latter,
 * because their filters cannot look into its argument.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

enum kind { EMPTY = BIT(0), ROOMS = BIT(1), ANY = EMPTY | ROOMS };

/*
 * What the child does, in order; a step with a wall is taken if the plan has
 * that wall. The order is the argument: the map gives the rights that the
 * mounts need, `identity` gives them up, Landlock wants no_new_privs and
 * forbids mounts. In a furnished jail the map is the identity already.
 */
static const struct step {
    const char *name;
    enum kind   jail;
    unsigned    wall;
    int       (*run)(struct inside *);
} steps[] = {
    { "meet the supervisor",     ANY,   0,             step_meet         },
    { "place descriptors",       ANY,   0,             step_fds          },
    { "map ids",                 ANY,   WALL_USERNS,   step_map          },
    { "leave the session",       ANY,   0,             step_apart        },
    { "empty root",              EMPTY, WALL_MOUNTNS,  step_root         },
    { "furnished root",          ROOMS, WALL_MOUNTNS,  step_rooms        },
    { "host name",               ANY,   WALL_UTSNS,    step_hostname     },
    { "limits",                  ANY,   WALL_RLIMITS,  step_limits       },
    { "identity",                ANY,   WALL_UID,      step_ids          },
    { "no_new_privs",            ANY,   WALL_NNP,      step_no_new_privs },
    { "landlock",                EMPTY, WALL_LANDLOCK, step_landlock     },
    { "die with the supervisor", ANY,   0,             step_parent       },
    { "filter",                  ROOMS, 0,             step_filter       },
};

/* Reports that are about no step. */
enum { AT_EXEC = COUNT(steps), AT_STAGE, AT_CLONE, BORN };

struct report {
    uint32_t step;
    int32_t  error;
    uint32_t row;     /* of the rooms, or NO_ROW */
    uint32_t plan;    /* BORN: what clone() gave, */
    int32_t  pid;     /* and to whom */
};

static _Noreturn void fail(const struct inside *in, uint32_t step, int error)
{
    struct report rep = { .step = step, .error = error, .row = in->row };
    (void)!write(in->report_fd, &rep, sizeof rep);
    _exit(126);
}

static _Noreturn void child(struct inside *in)
{
    static char *const no_env[] = { NULL };
    const struct jail_rooms *rooms = in->spec->rooms;
    enum kind kind = rooms ? ROOMS : EMPTY;

    for (uint32_t i = 0; i < COUNT(steps); i++) {
        if (!(steps[i].jail & kind) ||
            (steps[i].wall && !(in->plan & steps[i].wall)))
            continue;
        int r = steps[i].run(in);
        if (r < 0)
            fail(in, i, -r);
    }
    if (rooms)
        syscall(SYS_execve, rooms->program, in->spec->argv, rooms->envp);
    else
        syscall(SYS_execveat, in->exec_fd, "", in->spec->argv, no_env,
                AT_EMPTY_PATH);
    fail(in, AT_EXEC, errno);
}

static const struct { unsigned wall; uint64_t flag; } namespaces[] = {
    { WALL_USERNS,   CLONE_NEWUSER   },
    { WALL_PIDNS,    CLONE_NEWPID    },
    { WALL_MOUNTNS,  CLONE_NEWNS     },
    { WALL_NETNS,    CLONE_NEWNET    },
    { WALL_IPCNS,    CLONE_NEWIPC    },
    { WALL_UTSNS,    CLONE_NEWUTS    },
    { WALL_CGROUPNS, CLONE_NEWCGROUP },
};

/* whose: SIGCHLD, and CLONE_PARENT for a child of our parent. */
static pid_t clone_into(unsigned plan, uint64_t whose, int *out_pidfd)
{
    uint64_t flags = whose | (out_pidfd ? CLONE_PIDFD : 0);
    for (size_t i = 0; i < COUNT(namespaces); i++)
        if (plan & namespaces[i].wall)
            flags |= namespaces[i].flag;
    return (pid_t)syscall(SYS_clone, flags, NULL, out_pidfd, NULL, NULL);
}

pid_t spawn_fork(unsigned plan, int *out_pidfd)
{
    return clone_into(plan, SIGCHLD, out_pidfd);
}

/* Does this errno say what the host is, rather than how it is just now? */
static int is_refusal(int error)
{
    return error == EPERM || error == EACCES || error == EINVAL ||
           error == ENOSYS || error == EOPNOTSUPP;
}

/* The usual way to forbid namespaces is a limit of 0 of them: ENOSPC. */
static int is_clone_refusal(int error)
{
    return is_refusal(error) || error == ENOSPC || error == EUSERS;
}

/*
 * clone() does not say which namespace it refused: try to do without each one
 * in turn, then without any, but never without a required one.
 */
static pid_t clone_what_we_can(struct inside *in, uint64_t whose,
                               int *out_pidfd)
{
    unsigned drop[COUNT(namespaces) + 1] = { 0 };
    for (size_t i = 1; i < COUNT(namespaces); i++)    /* user_ns is no choice */
        drop[i] = namespaces[i].wall;
    drop[COUNT(namespaces)] = WALLS_BY_CLONE;

    unsigned plan = in->plan;
    pid_t pid = clone_into(plan, whose, out_pidfd);
    for (size_t i = 1; i < COUNT(drop); i++) {
        if (pid >= 0 || !is_clone_refusal(errno))
            break;
        in->plan = plan & ~drop[i];
        if (in->plan == plan || (plan & drop[i] & in->spec->required))
            continue;
        pid = clone_into(in->plan, whose, out_pidfd);
    }
    if (pid < 0)
        in->plan = plan;
    return pid;
}

/* Still root, in a mount namespace of its own. */
static _Noreturn void stager(struct inside *in)
{
    int r = rooms_stage(in);
    if (r < 0)
        fail(in, AT_STAGE, -r);
    pid_t pid = clone_what_we_can(in, CLONE_PARENT | SIGCHLD, NULL);
    if (pid == 0)
        child(in);
    if (pid < 0)
        fail(in, AT_CLONE, errno);
    struct report born = { .step = BORN, .row = NO_ROW, .plan = in->plan,
                           .pid = pid };
    _exit(write(in->report_fd, &born, sizeof born) != sizeof born);
}

static int is_staged(const struct inside *in)
{
    return in->spec->rooms && in->caller_uid == 0 &&
           (in->plan & WALL_MOUNTNS);
}

/* The child starts with every signal blocked and our handlers still set. Gives
 * the pid of the stager where there is one. */
static pid_t clone_quietly(struct inside *in, int *out_pidfd)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = is_staged(in) ? clone_into(WALL_MOUNTNS, SIGCHLD, out_pidfd)
                              : clone_what_we_can(in, SIGCHLD, out_pidfd);
    if (pid != 0) {
        int saved = errno;
        sigprocmask(SIG_SETMASK, &before, NULL);
        errno = saved;
    }
    return pid;
}

/* ---- the supervisor's side ---------------------------------------------------- */

static void reap(pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

static void put_down(pid_t pid, int pidfd)
{
    if (syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0) < 0)
        kill(pid, SIGKILL);
    reap(pid);
}

/* Say what failed, and which walls one could try to do without. */
static int explain(const struct inside *in, const struct report *rep,
                   unsigned *out_refused, struct err *e)
{
    static const char *const others[] = { "exec", "furnished root", "clone" };
    const struct jail_rooms *rooms = in->spec->rooms;
    if (rep->step >= BORN || rep->error <= 0)
        return err_set(e, -EPROTO, "jail: garbled start report");

    if (rep->step < COUNT(steps) && is_refusal(rep->error))
        *out_refused = steps[rep->step].wall;
    if (rep->step == AT_STAGE && is_refusal(rep->error))
        *out_refused = WALL_MOUNTNS;
    if (rep->step == AT_CLONE && is_clone_refusal(rep->error))
        *out_refused = in->plan & WALLS_BY_CLONE;

    const char *name = rep->step < COUNT(steps) ? steps[rep->step].name
                                                : others[rep->step - AT_EXEC];
    errno = rep->error;
    if (rooms && rep->row < rooms->items)
        return err_sys(e, "jail: %s: %s", name, rooms->item[rep->row].at);
    return err_sys(e, "jail: %s", name);
}

/* Returns 1 and the report, or 0 at end of file. */
static int next_report(int fd, struct report *out, struct err *e)
{
    ssize_t n;
    do
        n = read(fd, out, sizeof *out);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return err_sys(e, "jail: waiting for the jailed process");
    if (n != 0 && n != sizeof *out)
        return err_set(e, -EPROTO, "jail: garbled start report");
    return n != 0;
}

/* Take the child over from its stager. */
static int await_birth(struct inside *in, int fd, pid_t *pid, int *pidfd,
                       unsigned *out_refused, struct err *e)
{
    struct report rep;
    int r = next_report(fd, &rep, e);
    reap(*pid);
    *pid = 0;
    if (r < 0)
        return r;
    if (r == 0)
        return err_set(e, -ECHILD, "jail: the stager was killed");
    if (rep.step != BORN)
        return explain(in, &rep, out_refused, e);

    close(*pidfd);
    in->plan = rep.plan;
    *pid = rep.pid;
    *pidfd = (int)syscall(SYS_pidfd_open, rep.pid, 0);
    return *pidfd < 0 ? err_sys(e, "jail: pidfd_open") : 0;
}

static int map_child(const struct inside *in, pid_t pid, unsigned *out_refused,
                     struct err *e)
{
    if (!in->spec->rooms || in->caller_uid != 0 || !(in->plan & WALL_USERNS))
        return 0;
    int r = ids_map_child(pid, in->plan);
    if (r == 0)
        return 0;
    if (is_refusal(-r))
        *out_refused = WALL_USERNS;
    errno = -r;
    return err_sys(e, "jail: map ids");
}

static int see_off(struct inside *in, int fd, pid_t pid,
                   unsigned *out_refused, struct err *e)
{
    struct report rep;
    int r = map_child(in, pid, out_refused, e);
    if (r < 0)
        return r;
    if (send(fd, &pid, sizeof pid, MSG_NOSIGNAL) < 0)
        return err_sys(e, "jail: tell the child its number");
    r = next_report(fd, &rep, e);
    return r > 0 ? explain(in, &rep, out_refused, e) : r;
}

int spawn_jailed(const struct jail_spec *spec, unsigned *plan, pid_t *out_pid,
                 int *out_pidfd, unsigned *out_refused, struct err *e)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return err_sys(e, "jail: socketpair");
    AUTO_FD ours = pair[0];
    AUTO_FD theirs = pair[1];
    struct inside in = {
        .spec = spec, .plan = *plan, .caller_uid = geteuid(),
        .caller_gid = getegid(), .report_fd = theirs,
        .exec_fd = spec->rooms ? -1 : spec->exec_fd, .row = NO_ROW,
    };
    int staged = is_staged(&in);

    AUTO_FD pidfd = -1;
    int new_fd = -1;
    *out_refused = 0;
    pid_t pid = clone_quietly(&in, &new_fd);
    if (pid < 0) {
        if (is_clone_refusal(errno))
            *out_refused = in.plan & WALLS_BY_CLONE;
        return err_sys(e, "jail: clone");
    }
    if (pid == 0) {
        close(ours);
        if (staged)
            stager(&in);
        child(&in);
    }
    pidfd = new_fd;
    close(fd_take(&theirs));

    int r = staged ? await_birth(&in, ours, &pid, &pidfd, out_refused, e) : 0;
    if (r == 0)
        r = see_off(&in, ours, pid, out_refused, e);
    if (r < 0) {
        if (pid > 0)
            put_down(pid, pidfd);
        return r;
    }
    *plan = in.plan;
    *out_pid = pid;
    *out_pidfd = fd_take(&pidfd);
    return 0;
}
