/*
 * jail/probe.c -- which walls does this host offer?
 *
 * Nothing is concluded from versions or settings: each probe runs in a child
 * that has the wall put up and then tries what the wall should stop. Its
 * verdict comes back through a pipe, because some end in the child's death.
 *
 * A probe answers 0 (it holds), or a negative errno (it cannot be had), and
 * may write what it saw.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/probe.h"
#include "jail/inside.h"
#include "jail/seccomp.h"
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* What a probe works with: made outside, used inside. */
struct scene {
    pid_t outer;         /* the process that asked, and its ids */
    uid_t uid;
    gid_t gid;
    int   shm;           /* a segment of it, or -1 */
    char  saw[100];
};

struct verdict {
    int  code;
    char saw[100];
};

static void saw(struct scene *s, const char *text)
{
    snprintf(s->saw, sizeof s->saw, "%.*s", (int)sizeof s->saw - 1, text);
}

static int no_effect(struct scene *s, const char *text)
{
    saw(s, text);
    return -ENOTSUP;
}

static int opens(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC);
    if (fd < 0)
        return 0;
    close(fd);
    return 1;
}

static int probe_sfi(struct scene *s)
{
    saw(s, "part of the js engine as built");
    return 0;
}

/* Dies if it works; ask_in_child() knows. */
static int probe_seccomp(struct scene *s)
{
    static const struct syscall_rule only_exit[] = {
        { SYS_exit_group, "end" }, { SYS_write, "verdict" },
    };
    struct err e = { 0 };
    if (!opens("/", O_RDONLY))
        return no_effect(s, "cannot open / to begin with");
    int r = seccomp_seal(only_exit, COUNT(only_exit), &e);
    if (r < 0) {
        saw(s, e.msg);
        return r;
    }
    syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY | O_CLOEXEC);
    return no_effect(s, "a forbidden call came back");
}

static int probe_no_new_privs(struct scene *s)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -errno;
    if (prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0 ||
        prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        return no_effect(s, "it can be taken back");
    return 0;
}

static int probe_fds(struct scene *s)
{
    int fd = dup(0);
    fd = fcntl(fd < 0 ? 1 : fd, F_DUPFD_CLOEXEC, 100);
    if (fd < 0)
        return -errno;
    if (syscall(SYS_close_range, fd, ~0u, 0) < 0)
        return -errno;
    if (fcntl(fd, F_GETFD) >= 0)
        return no_effect(s, "close_range left a descriptor open");
    return 0;
}

static int probe_rlimits(struct scene *s)
{
    enum { LIMIT = 64 << 20 };
#ifdef GB_SANITIZED
    return no_effect(s, "a sanitizer build has no memory limit");
#endif
    const struct rlimit lim = { LIMIT, LIMIT };
    if (setrlimit(RLIMIT_DATA, &lim) < 0)
        return -errno;
    void *p = mmap(NULL, LIMIT + 4096, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED)
        return no_effect(s, "memory past RLIMIT_DATA was given");
    return 0;
}

static int probe_uid(struct scene *s)
{
    if (geteuid() == 0) {
        int r = ids_become(getpid());
        if (r < 0)
            return r;
    }
    int r = capabilities_drop();
    if (r < 0)
        return r;
    if (syscall(SYS_setresuid, 0, 0, 0) == 0)
        return no_effect(s, "became root again");
    if (opens("/proc/sys/kernel/core_pattern", O_WRONLY))
        return no_effect(s, "can write sysctl files");
    return 0;
}

static int map_ids(uid_t uid, gid_t gid)
{
    static const struct jail_spec empty;
    struct inside in = { .spec = &empty, .plan = WALL_UID, .caller_uid = uid,
                         .caller_gid = gid };
    return step_map(&in);
}

static int probe_user_ns(struct scene *s)
{
    uid_t uid = s->uid;
    gid_t gid = s->gid;
    if (uid == 0) {
        int r = ids_become(getpid());
        if (r < 0)
            return r;
        uid = getuid();
        gid = getgid();
        saw(s, "for users, node and python; a js jail made by root has an id "
               "of its own instead");
    }
    if (unshare(CLONE_NEWUSER) < 0)
        return -errno;
    int r = map_ids(uid, gid);
    if (r < 0)
        return r;
    return getuid() == JAIL_ID_BASE ? 0 : no_effect(s, "the map has no effect");
}

static int probe_pid_ns(struct scene *s)
{
    if (getpid() != 1)
        return no_effect(s, "not the first process");
    if (s->outer > 2 && kill(s->outer, 0) == 0)
        return no_effect(s, "could signal a process outside");
    return 0;
}

static int probe_mount_ns(struct scene *s)
{
    int r = root_empty();
    if (r < 0)
        return r;
    if (opens("/etc", O_RDONLY) || opens("/proc", O_RDONLY))
        return no_effect(s, "files of the host are still there");
    return 0;
}

static int probe_net_ns(struct scene *s)
{
    AUTO_FD fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return errno == EAFNOSUPPORT ? 0 : -errno;
    struct ifreq lo = { .ifr_name = "lo" };
    if (ioctl(fd, SIOCGIFFLAGS, &lo) == 0 && (lo.ifr_flags & IFF_UP))
        return no_effect(s, "the loopback is up");
    struct ifreq second = { .ifr_ifindex = 2 };
    if (ioctl(fd, SIOCGIFNAME, &second) == 0)
        return no_effect(s, "there is more than the loopback");
    saw(s, "only a loopback that is down");
    return 0;
}

static int probe_ipc_ns(struct scene *s)
{
    struct shmid_ds d;
    if (s->shm < 0)
        return no_effect(s, "no shared memory to try it with");
    if (shmctl(s->shm, IPC_STAT, &d) == 0)
        return no_effect(s, "shared memory of others can be seen");
    return 0;
}

static int probe_uts_ns(struct scene *s)
{
    struct utsname u;
    (void)s;
    if (sethostname("glovebox-probe", 14) < 0 || uname(&u) < 0)
        return -errno;
    return strcmp(u.nodename, "glovebox-probe") == 0 ? 0 : -ENOTSUP;
}

/* In a namespace of its own a process is at "/" of every hierarchy. */
static int probe_cgroup_ns(struct scene *s)
{
    char text[2048];
    AUTO_FD fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (n < 0)
        return -errno;
    text[n] = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
        if (end - line < 2 || strncmp(end - 2, ":/", 2) != 0)
            return no_effect(s, "the path of the cgroup can be seen");
    return 0;
}

static int probe_landlock(struct scene *s)
{
    int abi = landlock_abi();
    if (abi < 1)
        return abi < 0 ? abi : -EOPNOTSUPP;
    if (!opens("/", O_RDONLY))
        return no_effect(s, "cannot open / to begin with");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -errno;
    int r = landlock_deny_all(-1);
    if (r < 0)
        return r;
    if (opens("/", O_RDONLY))
        return no_effect(s, "a file could still be opened");
    snprintf(s->saw, sizeof s->saw, "ABI %d", abi);
    return 0;
}

static int probe_dumpable(struct scene *s)
{
    int r = geteuid() == 0 ? ids_become(getpid()) : 0;
    if (r == 0)
        r = capabilities_drop();
    if (r < 0)
        return r;
    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
        return -errno;
    if (!opens("/proc/self/mem", O_RDWR))
        return no_effect(s, "cannot open /proc/self/mem to begin with");
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
        return -errno;
    if (opens("/proc/self/mem", O_RDWR))
        return no_effect(s, "/proc/self/mem can still be opened");
    return 0;
}

/* Namespaces are made by clone(), as spawn.c makes them. */
static const struct probe {
    unsigned wall;
    unsigned clone;
    int    (*run)(struct scene *);
} probes[] = {
    { WALL_SFI,      0,             probe_sfi          },
    { WALL_SECCOMP,  0,             probe_seccomp      },
    { WALL_NNP,      0,             probe_no_new_privs },
    { WALL_FDS,      0,             probe_fds          },
    { WALL_RLIMITS,  0,             probe_rlimits      },
    { WALL_UID,      0,             probe_uid          },
    { WALL_USERNS,   0,             probe_user_ns      },
    { WALL_PIDNS,    WALL_PIDNS,    probe_pid_ns       },
    { WALL_MOUNTNS,  WALL_MOUNTNS,  probe_mount_ns     },
    { WALL_NETNS,    WALL_NETNS,    probe_net_ns       },
    { WALL_IPCNS,    WALL_IPCNS,    probe_ipc_ns       },
    { WALL_UTSNS,    WALL_UTSNS,    probe_uts_ns       },
    { WALL_CGROUPNS, WALL_CGROUPNS, probe_cgroup_ns    },
    { WALL_LANDLOCK, 0,             probe_landlock     },
    { WALL_DUMPABLE, 0,             probe_dumpable     },
};

static _Noreturn void answer(const struct probe *p, struct scene *s, int fd)
{
    struct verdict v = { 0 };
    if (p->clone && s->uid != 0)
        v.code = map_ids(s->uid, s->gid);
    if (v.code == 0)
        v.code = p->run(s);
    memcpy(v.saw, s->saw, sizeof v.saw);
    _exit(write(fd, &v, sizeof v) != sizeof v);
}

/* Death by SIGSYS is what a probe of seccomp wants, and of nothing else. */
static struct verdict hear(const struct probe *p, pid_t pid, int fd)
{
    struct verdict v = { .code = -EIO };
    int status = 0;
    ssize_t n = read(fd, &v, sizeof v);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (n == sizeof v)
        return v;
    v = (struct verdict){ .code = -EIO, .saw = "the probe died" };
    if (p->wall == WALL_SECCOMP && WIFSIGNALED(status) &&
        WTERMSIG(status) == SIGSYS)
        v = (struct verdict){ .saw = "a forbidden call killed" };
    return v;
}

static struct verdict ask_in_child(const struct probe *p, struct scene *s)
{
    int pipe_fds[2];
    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return (struct verdict){ .code = -errno };
    AUTO_FD from = pipe_fds[0];
    AUTO_FD to = pipe_fds[1];

    unsigned with = p->clone;
    if (with && s->uid != 0)
        with |= WALL_USERNS;
    pid_t pid = spawn_fork(with, NULL);
    if (pid < 0)
        return (struct verdict){ .code = -errno, .saw = "clone refuses" };
    if (pid == 0)
        answer(p, s, to);
    close(fd_take(&to));
    return hear(p, pid, from);
}

static struct probe_result judge(const struct probe *p, struct scene *s)
{
    struct probe_result r = { .wall = p->wall };
    s->saw[0] = 0;
    struct verdict v = ask_in_child(p, s);
    const char *how = jail_how(p->wall);

    v.saw[sizeof v.saw - 1] = 0;
    r.offered = v.code == 0;
    if (r.offered)
        snprintf(r.why, sizeof r.why, "%s",
                 v.saw[0] ? v.saw : "tried: it holds");
    else
        snprintf(r.why, sizeof r.why, "%.60s: %s",
                 v.saw[0] ? v.saw : strerror(-v.code), how);
    return r;
}

size_t probe_walls(struct probe_result *out, size_t n)
{
    struct scene s = { .outer = getpid(), .uid = geteuid(),
                       .gid = getegid() };
    s.shm = shmget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
    size_t i;
    for (i = 0; i < n && i < COUNT(probes); i++)
        out[i] = judge(&probes[i], &s);
    if (s.shm >= 0)
        shmctl(s.shm, IPC_RMID, NULL);
    return i;
}
