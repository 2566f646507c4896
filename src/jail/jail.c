/*
 * jail/jail.c -- the handle of a running jail, and which walls it will have.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/jail.h"
#include "jail/inside.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

struct jail {
    pid_t    pid;
    int      pidfd;
    unsigned walls;
    int      reaped;    /* then status is the wait status, and pid is stale */
    int      status;
};

/* How an operator gets a wall that is missing. */
#define OF_NAMESPACES                                                         \
    "it needs root with CAP_SYS_ADMIN, or unprivileged user namespaces "      \
    "(doctor names the setting)"

static const struct {
    unsigned    wall;
    const char *text, *what, *how;
} walls[] = {
#define X(NAME, bit, text, what)                                              \
    [bit] = { WALL_##NAME, text, what, HOW_##NAME },
#define HOW_SFI      "it is part of the program inside"
#define HOW_SECCOMP  "it is built by the program inside"
#define HOW_NNP      "it needs Linux 3.5"
#define HOW_FDS      "it needs Linux 5.9"
#define HOW_RLIMITS  "a sanitizer build cannot have it"
#define HOW_UID      "root needs CAP_SETUID, CAP_SETGID and CAP_SETPCAP"
#define HOW_USERNS   "start glovebox as an ordinary user and allow "         \
                     "unprivileged user namespaces"
#define HOW_PIDNS    OF_NAMESPACES
#define HOW_MOUNTNS  OF_NAMESPACES
#define HOW_NETNS    OF_NAMESPACES
#define HOW_IPCNS    OF_NAMESPACES
#define HOW_UTSNS    OF_NAMESPACES
#define HOW_CGROUPNS OF_NAMESPACES
#define HOW_LANDLOCK "it needs Linux 5.13 with landlock in the lsm= list"
#define HOW_DUMPABLE "it is set by the program inside"
#define HOW_QUOTA    OF_NAMESPACES
#define HOW_CGROUP   "it needs a delegated cgroup v2 subtree, or root and cgroup v1"
    WALLS(X)
#undef X
};
_Static_assert(COUNT(walls) == 17, "JAIL_BUILDS knows 17 walls");

const char *wall_text(unsigned one_bit)
{
    for (size_t i = 0; i < COUNT(walls); i++)
        if (walls[i].wall == one_bit)
            return walls[i].text;
    return NULL;
}

const char *jail_how(unsigned one_wall)
{
    for (size_t i = 0; i < COUNT(walls); i++)
        if (walls[i].wall == one_wall)
            return walls[i].how;
    return "";
}

unsigned wall_by_text(const char *text)
{
    for (size_t i = 0; i < COUNT(walls); i++)
        if (strcmp(walls[i].text, text) == 0)
            return walls[i].wall;
    return 0;
}

/* The walls that are this jail's to build. */
static unsigned builds(const struct jail_spec *spec)
{
    return JAIL_BUILDS & ~(spec->rooms ? (unsigned)WALL_LANDLOCK : 0);
}

/* What this build cannot give: programs of the rooms are not built by us. */
static unsigned lacks(const struct jail_spec *spec)
{
    return spec->rooms ? 0 : JAIL_BUILD_LACKS;
}

/* A plan without the walls that cannot stand for want of another one. */
static unsigned settle(const struct jail_spec *spec, unsigned plan)
{
    if (geteuid() == 0)
        plan &= spec->rooms ? ~0u : ~(unsigned)WALL_USERNS;
    else if (!(plan & WALL_USERNS))
        plan &= ~WALLS_BY_CLONE;
    if (!(plan & WALL_NNP))
        plan &= ~(unsigned)WALL_LANDLOCK;
    return plan;
}

/* In a sanitizer build limits are set, but memory has none: not claimed. */
static unsigned claim(const struct jail_spec *spec, unsigned plan)
{
    return plan & ~lacks(spec);
}

static unsigned first_plan(const struct jail_spec *spec)
{
    unsigned never = lacks(spec) & ~(unsigned)WALL_RLIMITS;
    unsigned plan = builds(spec) & ~never & ~spec->leave_out;
    if ((plan & WALL_LANDLOCK) && landlock_abi() < 1)
        plan &= ~(unsigned)WALL_LANDLOCK;
    return settle(spec, plan);
}

/* Walls that can be had on any host are never given up. */
static int may_do_without(unsigned wall)
{
    return wall && !(wall & ~(WALLS_BY_CLONE | WALL_LANDLOCK));
}

static int refuse(const struct jail_spec *spec, unsigned missing,
                  const char *seen, struct err *e)
{
    for (size_t i = 0; i < COUNT(walls); i++) {
        if (!(walls[i].wall & missing))
            continue;
        const char *how = walls[i].wall == WALL_USERNS && spec->rooms
            ? OF_NAMESPACES : walls[i].how;
        return err_set(e, -ENOTSUP, "the wall '%s' (%s) is required and "
                       "cannot be built here%s%s%s: %s", walls[i].text,
                       walls[i].what, *seen ? " [" : "", seen,
                       *seen ? "]" : "", how);
    }
    return err_set(e, -ENOTSUP, "a wall that nobody knows is required");
}

static int check_spec(const struct jail_spec *spec, struct err *e)
{
    const struct jail_rooms *rooms = spec->rooms;
    int has_program = rooms ? rooms->program != NULL : spec->exec_fd >= 0;
    if (!spec->argv || !spec->argv[0] || !has_program || spec->channel_fd < 0)
        return err_set(e, -EINVAL, "jail: no program, or no channel");
    if (!spec->limits.data_bytes || !spec->limits.stack_bytes)
        return err_set(e, -EINVAL, "jail: limits.data_bytes and "
                       "limits.stack_bytes must be given");
    if (rooms && (!rooms->processes || !rooms->open_files || !rooms->envp))
        return err_set(e, -EINVAL, "jail: rooms without an environment, or "
                       "without a limit of processes and open files");
    return 0;
}

/* Try the plan, shorten it by what the host refuses, stop at the required. */
static int start(const struct jail_spec *spec, struct jail *j, struct err *e)
{
    struct err seen = { 0 };
    unsigned plan = first_plan(spec);

    for (;;) {
        unsigned missing = spec->required & builds(spec) &
                           ~claim(spec, plan);
        if (missing)
            return refuse(spec, missing, seen.msg, e);

        unsigned got = plan, refused = 0;
        int r = spawn_jailed(spec, &got, &j->pid, &j->pidfd, &refused, &seen);
        if (r == 0) {
            j->walls = claim(spec, got);
            return 0;
        }
        if (!may_do_without(refused))
            return err_set(e, r, "%s", seen.msg);
        plan = settle(spec, plan & ~refused);
    }
}

int jail_start(const struct jail_spec *spec, struct jail **out, struct err *e)
{
    int r = check_spec(spec, e);
    if (r < 0)
        return r;
    struct jail *j = calloc(1, sizeof *j);
    if (!j)
        return err_set(e, -ENOMEM, "jail: out of memory");
    j->pidfd = -1;
    r = start(spec, j, e);
    if (r < 0) {
        jail_free(j);
        return r;
    }
    *out = j;
    return 0;
}

int jail_pidfd(const struct jail *j)
{
    return j->pidfd;
}

pid_t jail_pid(const struct jail *j)
{
    return j->pid;
}

unsigned jail_walls(const struct jail *j)
{
    return j->walls;
}

/* Death of the first process ends its pid namespace. Where there is none the
 * process group is the best we know; its id is ours until we reap. */
void jail_kill(struct jail *j)
{
    if (j->pidfd < 0 || j->reaped)
        return;
    if (!(j->walls & WALL_PIDNS))
        kill(-j->pid, SIGKILL);
    if (syscall(SYS_pidfd_send_signal, j->pidfd, SIGKILL, NULL, 0) < 0)
        kill(j->pid, SIGKILL);    /* not reaped, so the number is still its own */
}

static int reap(struct jail *j, int flags)
{
    if (j->reaped)
        return 1;
    pid_t got;
    do
        got = waitpid(j->pid, &j->status, flags);
    while (got < 0 && errno == EINTR);
    if (got == 0)
        return 0;
    j->reaped = 1;    /* an error means that somebody else reaped it */
    return 1;
}

int jail_reap(struct jail *j, int *out_status)
{
    if (!reap(j, WNOHANG))
        return 0;
    *out_status = j->status;
    return 1;
}

void jail_free(struct jail *j)
{
    if (!j)
        return;
    if (j->pidfd >= 0) {
        jail_kill(j);
        reap(j, 0);
        close(j->pidfd);
    }
    free(j);
}
