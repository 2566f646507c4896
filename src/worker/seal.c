/*
 * worker/seal.c -- the system calls a worker keeps, and the proof of it.
 *
 * The jail was built from outside (jail/spawn.c). What only the process itself
 * can do is here: it looks that no descriptor and no environment came with it,
 * stops being dumpable (exec had made it so again), gives up making processes,
 * and gives up all system calls but the list below.
 *
 * That a filter was installed without an error is no proof that it filters. So
 * a child installs the same one and then opens a file: it must die of SIGSYS.
 * The parent makes the same call just before, unfiltered, and lives: so it was
 * the filter that killed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worker/seal.h"
#include "base/base.h"
#include "jail/jail.h"
#include "jail/seccomp.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef ARCH_SET_GS
#define ARCH_SET_GS 0x1001
#endif

#define LOW 0xffffffffu    /* the kernel looks at no more of an int */
#define ON_CHANNEL 0, LOW, JAIL_CHANNEL_FD

/* Shared memory escapes RLIMIT_DATA; a file or huge pages are not ours. */
#define KIND_OF_MAP (0x0f /* MAP_TYPE */ | MAP_ANONYMOUS | MAP_HUGETLB)
#define PRIVATE_MAP (MAP_PRIVATE | MAP_ANONYMOUS)

/*
 * All a sealed worker may do, most frequent first. Not here, on purpose:
 * futex (one thread), rt_sigaction and sigaltstack (handlers are set before),
 * tgkill (abort() dies of SIGSYS, which is as dead), nanosleep and poll (a stop
 * or a freeze turns them into restart_syscall; ppoll just goes on), and all
 * that makes or takes a name, a descriptor or a process.
 */
static const struct syscall_rule rules[] = {
    { SYS_read,            "frames from the supervisor",  ON_CHANNEL },
    { SYS_write,           "frames to the supervisor",    ON_CHANNEL },
    { SYS_timer_settime,   "arm the deadline of a run" },
    { SYS_rt_sigreturn,    "return from the deadline or a first write to a page" },
    { SYS_mprotect,        "cold pages, memory growth; never executable",
                           2, PROT_EXEC, 0 },
    { SYS_madvise,         "give pages back at reset",    2, LOW, MADV_DONTNEED },
    { SYS_clock_gettime,   "CPU clock; wall clock where the vDSO has none" },
    { SYS_ppoll,           "sleep until a guest's timer is due" },
    { SYS_getrandom,       "a fresh seed for every run" },
    { SYS_rt_sigprocmask,  "siglongjmp out of a handler" },
    { SYS_mmap,            "malloc; private, no file, never executable",
                           2, PROT_EXEC, 0, 3, KIND_OF_MAP, PRIVATE_MAP },
    { SYS_munmap,          "malloc" },
    { SYS_mremap,          "realloc of a large block" },
    { SYS_brk,             "malloc" },
    { SYS_recvmsg,         "frames that carry a descriptor", ON_CHANNEL },
    { SYS_sendmsg,         "frames that carry a descriptor", ON_CHANNEL },
#ifdef SYS_arch_prctl
    { SYS_arch_prctl,      "%gs of a cell, on CPUs without FSGSBASE",
                           0, LOW, ARCH_SET_GS },
#endif
    { SYS_exit_group,      "the end" },
    { SYS_exit,            "the end" },
};

/*
 * What the sanitizers' run time needs besides, to say what it found: in such a
 * build seccomp is exercised, but it is no wall and is not claimed.
 */
#ifdef GB_SANITIZED
static const struct syscall_rule sanitizer_rules[] = {
    { SYS_write,         "reports on standard error", 0, LOW, 2 },
    { SYS_mmap,          "shadow memory of another kind" },
    { SYS_madvise,       "shadow memory: dump, huge pages" },
    { SYS_sigaltstack,   "reports from a handler" },
    { SYS_rt_sigaction,  "handlers around a report" },
    { SYS_gettid,        "who reports" },
    { SYS_getpid,        "who reports" },
    { SYS_tgkill,        "abort after a report" },
    { SYS_futex,         "locks of the run time" },
    { SYS_sched_yield,   "locks of the run time" },
    { SYS_readlinkat,    "name of the program in a report" },
    { SYS_close,         "maps of the process in a report" },
    { SYS_newfstatat,    "maps of the process in a report" },
    { SYS_read,          "maps of the process in a report" },
    { SYS_prctl,         "names of memory areas" },
    { SYS_getrlimit,     "bounds of the stack" },
    { SYS_prlimit64,     "bounds of the stack" },
    { SYS_sched_getaffinity, "bounds of the stack" },
#ifdef SYS_readlink
    { SYS_readlink,      "name of the program in a report" },
    { SYS_getpgrp,       "is there a terminal" },
#endif
};
#endif

enum {
    LOOK_AT_FDS   = 256,
    DIED_NOT      = 1,     /* exit codes of the child that proves the seal */
    SEALED_NOT    = 2,
};

static unsigned proved;

unsigned seal_walls(void)
{
    return proved;
}

static int install(struct err *e)
{
#ifdef GB_SANITIZED
    struct syscall_rule both[COUNT(rules) + COUNT(sanitizer_rules)];
    for (size_t i = 0; i < COUNT(both); i++)
        both[i] = i < COUNT(rules) ? rules[i]
                                   : sanitizer_rules[i - COUNT(rules)];
    return seccomp_seal(both, COUNT(both), e);
#else
    return seccomp_seal(rules, COUNT(rules), e);
#endif
}

/* The call that a sealed process must not survive. Raw, so that no libc finds
 * another way to do it. */
static long forbidden(void)
{
    return syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY | O_CLOEXEC);
}

static int await(pid_t pid, int *out_status)
{
    while (waitpid(pid, out_status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    return 0;
}

static int prove(struct err *e)
{
    long fd = forbidden();
    if (fd >= 0)
        close((int)fd);

    pid_t pid = fork();
    if (pid < 0)
        return err_sys(e, "seal: fork the child that proves it");
    if (pid == 0) {
        if (install(NULL) < 0)
            _exit(SEALED_NOT);
        forbidden();
        _exit(DIED_NOT);
    }
    int status;
    int r = await(pid, &status);
    if (r < 0)
        return err_set(e, r, "seal: wait for the child that proves it");
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
        return 0;
    return err_set(e, -ENOTSUP, "seal: a forbidden call did not kill "
                   "(wait status %#x)", (unsigned)status);
}

/* There is no /proc to ask, and the limit on descriptors says nothing about
 * those that were open before it was set. */
static int check_fds(struct err *e)
{
    for (int fd = 0; fd < LOOK_AT_FDS; fd++) {
        int open_here = fcntl(fd, F_GETFD) >= 0;
        if (open_here != (fd == JAIL_CHANNEL_FD))
            return err_set(e, -EBADFD, "seal: descriptor %d is %s", fd,
                           open_here ? "open" : "not open");
    }
    if (syscall(SYS_close_range, LOOK_AT_FDS, ~0u, 0) < 0)
        return err_sys(e, "seal: close_range");
    return 0;
}

static int check_environment(struct err *e)
{
    if (environ && environ[0])
        return err_set(e, -EPERM, "seal: the environment is not empty");
    return 0;
}

/* Set what a process can set for good, and look that it took. */
static int check_posture(struct err *e)
{
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return err_sys(e, "seal: prctl");
    if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0)
        return err_set(e, -EPERM, "seal: the process is still dumpable");
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        return err_set(e, -EPERM, "seal: exec could still gain rights");
    return 0;
}

static int stop_forking(struct err *e)
{
    const struct rlimit none = { 0, 0 };
    if (setrlimit(RLIMIT_NPROC, &none) < 0 || setrlimit(RLIMIT_CORE, &none) < 0)
        return err_sys(e, "seal: limits");
    return 0;
}

int seal_worker(struct err *e)
{
    static int (*const steps[])(struct err *) = {
        check_fds,  check_environment, check_posture,
        prove,      stop_forking,      install,
    };
    for (size_t i = 0; i < COUNT(steps); i++) {
        int r = steps[i](e);
        if (r < 0)
            return r;
    }
    proved = (WALL_FDS | WALL_DUMPABLE | WALL_NNP | WALL_SECCOMP) &
             ~JAIL_BUILD_LACKS;
    return 0;
}
