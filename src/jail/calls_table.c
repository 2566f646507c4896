/*
 * jail/calls_table.c -- what node, python and the programs they start may ask
 * of the kernel.
 *
 * Allowed is what these runtimes, their test suites, a shell, git and the usual
 * tools were seen to use, and harmless siblings of it. Denied is what an honest
 * program may try, and can be told about; deadly is what only an attack on the
 * kernel or on another process begins with.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/calls_table.h"
#include <sys/syscall.h>

/* Numbers that the headers of older systems lack; equal on all machines. */
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443
#endif
#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_open_tree_attr
#define SYS_open_tree_attr 467
#endif

#define ROW(name)      .nr = SYS_##name, #name
#define OK(name)       { ROW(name), CALL_ALLOW }
#define OK_IF(name, ...) { ROW(name), CALL_ALLOW, .when = { __VA_ARGS__ } }
#define ABSENT(name, ...) { ROW(name), CALL_ABSENT, .why = __VA_ARGS__ }
#define DENY(name, ...)   { ROW(name), CALL_DENY, .why = __VA_ARGS__ }
#define DENY_IF(name, reason, ...)                                            \
    { ROW(name), CALL_DENY, .why = reason, .when = { __VA_ARGS__ } }
#define DENY_WITH(name, flags, reason, ...)                                   \
    { ROW(name), CALL_DENY, .only = flags, .why = reason,                     \
      .when = { __VA_ARGS__ } }
#define KILL(name, ...)   { ROW(name), CALL_KILL, .why = __VA_ARGS__ }

#define IS(arg, value)        { arg, UINT32_MAX, value }
#define BITS(arg, mask, want) { arg, mask, want }

/* clone(): all namespaces; a child that would be the zygote's, which does not
 * wait for it; a child that is traced. */
#define CLONE_NAMESPACES 0x7e020000u
#define CLONE_BAD        (CLONE_NAMESPACES | 0x8000u | 0x2000u)
#define CLONE_OF_THREAD  0x00010100u    /* CLONE_THREAD | CLONE_VM */

/* inotify_add_watch(): IN_ACCESS, IN_OPEN, IN_CLOSE_NOWRITE. The files of the
 * runtime are the host's: who may watch them being read sees every program that
 * the host starts, and every other run. */
#define WATCH_READS 0x31u

/* socket(): 2 and 10 differ in one bit. */
#define IS_INET BITS(0, ~8u, 2)
#define STREAM  BITS(1, 0xf, 1)
#define DGRAM   BITS(1, 0xf, 2)

#define NO_CHILD  "child processes are switched off"
#define MOUNTS    "the file tree is fixed; mount(8) tries it, so no kill"
#define IDENTITY  "one user, and no rights to change it"
#define CLOCK     "the clock is the host's"
#define SYSV      "outlives the process and is not counted"
#define PAGES     "moves pages between pipes and files: many kernel bugs"
#define XATTR     "kernel memory; cp -a falls back to chmod only on ENOSYS"
#define SCHEDULER "the share of the processor is a limit"
#define MODULE    "code for the kernel"
#define READS     "tells what others on this host read"
#define NUMA      "as on a machine without NUMA"

const struct call_row call_rows[] = {
    /* memory */
    OK(brk), OK(mprotect), OK(munmap), OK(mremap), OK(madvise), OK(msync),
    OK(mincore), OK(mlock), OK(mlock2), OK(munlock), OK(mlockall),
    OK(munlockall), OK(membarrier), OK(pkey_alloc), OK(pkey_free),
    OK(pkey_mprotect),
    DENY_WITH(mmap, CALLS_NO_SHARED, "shared memory escapes the memory limit",
              BITS(3, 0x21, 0x21) /* MAP_SHARED | MAP_ANONYMOUS */),
    OK(mmap),
    DENY_WITH(memfd_create, CALLS_NO_SHARED, "escapes the memory limit"),
    OK(memfd_create),
    DENY(memfd_secret, "memory that nobody can account or look into"),
    ABSENT(mbind, NUMA), ABSENT(set_mempolicy, NUMA),
    ABSENT(get_mempolicy, NUMA), ABSENT(migrate_pages, NUMA),
    ABSENT(move_pages, NUMA),

    /* threads and time */
    OK(futex), OK(futex_waitv), OK(set_robust_list), OK(get_robust_list),
    OK(set_tid_address), OK(rseq), OK(gettid), OK(getcpu), OK(sched_yield),
    OK(gettimeofday), OK(clock_gettime), OK(clock_getres),
    OK(clock_nanosleep), OK(nanosleep), OK(times),
    OK(timer_create), OK(timer_settime), OK(timer_gettime),
    OK(timer_getoverrun), OK(timer_delete), OK(timerfd_create),
    OK(timerfd_settime), OK(timerfd_gettime), OK(setitimer), OK(getitimer),
    DENY(settimeofday, CLOCK), DENY(clock_settime, CLOCK),
    DENY(adjtimex, CLOCK), DENY(clock_adjtime, CLOCK),

    /* who and where am I */
    OK(getpid), OK(getppid), OK(getuid), OK(geteuid), OK(getgid), OK(getegid),
    OK(getgroups), OK(getresuid), OK(getresgid), OK(getpgid), OK(getsid),
    OK(capget), OK(getrandom), OK(sysinfo), OK(uname), OK(umask),
    DENY(setuid, IDENTITY), DENY(setgid, IDENTITY), DENY(setreuid, IDENTITY),
    DENY(setregid, IDENTITY), DENY(setresuid, IDENTITY),
    DENY(setresgid, IDENTITY), DENY(setgroups, IDENTITY),
    DENY(setfsuid, IDENTITY), DENY(setfsgid, IDENTITY),
    DENY(capset, IDENTITY),
    DENY(sethostname, "the name is the caller's choice"),
    DENY(setdomainname, "the name is the caller's choice"),

    /* limits and priorities: the kernel lets nobody raise them */
    OK(getrlimit), OK(setrlimit), OK(prlimit64), OK(getrusage),
    OK(getpriority), OK(setpriority), OK(ioprio_get),
    OK(sched_getaffinity), OK(sched_getparam), OK(sched_getscheduler),
    OK(sched_getattr), OK(sched_get_priority_min), OK(sched_get_priority_max),
    OK(sched_rr_get_interval),
    DENY(sched_setaffinity, SCHEDULER), DENY(sched_setscheduler, SCHEDULER),
    DENY(sched_setparam, SCHEDULER), DENY(sched_setattr, SCHEDULER),

    /* signals */
    OK(rt_sigaction), OK(rt_sigprocmask), OK(rt_sigreturn), OK(rt_sigsuspend),
    OK(rt_sigpending), OK(rt_sigtimedwait), OK(rt_sigqueueinfo),
    OK(rt_tgsigqueueinfo), OK(sigaltstack), OK(kill), OK(tgkill), OK(tkill),
    OK(signalfd4), OK(restart_syscall),

    /* processes */
    DENY_WITH(clone, CALLS_NO_CHILDREN, NO_CHILD, BITS(0, CLONE_OF_THREAD, 0)),
    DENY_WITH(clone, CALLS_NO_CHILDREN, NO_CHILD,
              BITS(0, CLONE_OF_THREAD, 0x00010000)),
    DENY_WITH(clone, CALLS_NO_CHILDREN, NO_CHILD,
              BITS(0, CLONE_OF_THREAD, 0x00000100)),
    OK_IF(clone, BITS(0, CLONE_BAD, 0)),
    DENY(clone, "namespaces are the way to the rest of the kernel"),
    ABSENT(clone3, "its flags lie in memory; libc falls back to clone"),
    DENY_WITH(execve, CALLS_NO_CHILDREN, NO_CHILD), OK(execve),
    DENY_WITH(execveat, CALLS_NO_CHILDREN, NO_CHILD), OK(execveat),
    OK(exit), OK(exit_group), OK(wait4), OK(waitid), OK(setpgid), OK(setsid),
    OK(pidfd_open), OK(pidfd_send_signal),
    DENY(unshare, "namespaces are the way to the rest of the kernel"),
    DENY(setns, "a run stays where it is"),
    KILL(ptrace, "reads and changes other processes"),
    KILL(process_vm_readv, "reads other processes"),
    KILL(process_vm_writev, "changes other processes"),
    KILL(process_madvise, "changes other processes"),
    KILL(kcmp, "tells kernel addresses of objects apart"),
    KILL(pidfd_getfd, "takes descriptors of other processes"),

    /* what a process may set of itself */
#define PRCTL(option) OK_IF(prctl, IS(0, option))
    PRCTL(1), PRCTL(2),                 /* PDEATHSIG */
    PRCTL(3), PRCTL(4),                 /* DUMPABLE */
    PRCTL(15), PRCTL(16),               /* NAME */
    PRCTL(7), PRCTL(21), PRCTL(23),     /* GET_KEEPCAPS, GET_SECCOMP, CAPBSET_READ */
    PRCTL(27),                          /* GET_SECUREBITS */
    PRCTL(29), PRCTL(30),               /* TIMERSLACK */
    PRCTL(36), PRCTL(37),               /* CHILD_SUBREAPER */
    PRCTL(38), PRCTL(39), PRCTL(40),    /* NO_NEW_PRIVS, GET_TID_ADDRESS */
    PRCTL(41), PRCTL(42),               /* THP_DISABLE */
    PRCTL(0x53564d41),                  /* SET_VMA: names of mappings */
#define NO_PRCTL(option, reason) DENY_IF(prctl, reason, IS(0, option))
    NO_PRCTL(8, IDENTITY),              /* SET_KEEPCAPS */
    NO_PRCTL(22, "filters are set already"),    /* SET_SECCOMP */
    NO_PRCTL(24, IDENTITY),             /* CAPBSET_DROP */
    NO_PRCTL(28, IDENTITY),             /* SET_SECUREBITS */
    NO_PRCTL(35, "moves what the kernel shows of a process"),    /* SET_MM */
    NO_PRCTL(47, IDENTITY),             /* CAP_AMBIENT */
    ABSENT(prctl, "options that nobody was seen to use"),
    OK_IF(personality, IS(0, UINT32_MAX)), OK_IF(personality, IS(0, 0)),
    DENY(personality, "turns off protections of memory"),
    DENY(seccomp, "filters are set already"),

    /* files */
    OK(read), OK(write), OK(readv), OK(writev), OK(pread64), OK(pwrite64),
    OK(preadv), OK(pwritev), OK(preadv2), OK(pwritev2), OK(openat),
    OK(openat2), OK(close), OK(close_range), OK(lseek), OK(fstat),
    OK(newfstatat), OK(statx), OK(statfs), OK(fstatfs), OK(faccessat),
    OK(faccessat2), OK(getdents64), OK(getcwd), OK(chdir), OK(fchdir),
    OK(renameat), OK(renameat2), OK(mkdirat), OK(unlinkat), OK(linkat),
    OK(symlinkat), OK(readlinkat), OK(fchmod), OK(fchmodat), OK(fchmodat2),
    OK(fchown), OK(fchownat), OK(utimensat), OK(truncate), OK(ftruncate),
    OK(fallocate), OK(fsync), OK(fdatasync), OK(sync_file_range), OK(flock),
    DENY_IF(fcntl, "makes others wait for us", IS(1, 1024)),    /* F_SETLEASE */
    DENY_IF(fcntl, READS, IS(1, 1026)),                         /* F_NOTIFY */
    OK(fcntl), OK(dup), OK(dup3), OK(pipe2), OK(fadvise64), OK(readahead),
    OK(copy_file_range), OK(sendfile), OK(getxattr), OK(lgetxattr),
    OK(fgetxattr), OK(listxattr), OK(llistxattr), OK(flistxattr),
    OK(inotify_init1), OK(inotify_rm_watch),
    OK_IF(inotify_add_watch, BITS(2, WATCH_READS, 0)),
    DENY(inotify_add_watch, READS),
    OK(eventfd2), OK(epoll_create1), OK(epoll_ctl), OK(epoll_pwait),
    OK(epoll_pwait2), OK(ppoll), OK(pselect6),
    DENY_IF(mknodat, "devices are the host's", BITS(2, 0xf000, 0x2000)),
    DENY_IF(mknodat, "devices are the host's", BITS(2, 0xf000, 0x6000)),
    OK(mknodat),
    DENY(splice, PAGES), DENY(tee, PAGES), DENY(vmsplice, PAGES),
    ABSENT(setxattr, XATTR), ABSENT(lsetxattr, XATTR),
    ABSENT(fsetxattr, XATTR), ABSENT(removexattr, XATTR),
    ABSENT(lremovexattr, XATTR), ABSENT(fremovexattr, XATTR),
    DENY(fanotify_init, "watches files of others"),
    DENY(fanotify_mark, "watches files of others"),
    DENY(name_to_handle_at, "a name for open_by_handle_at()"),
    KILL(open_by_handle_at, "opens files outside of the root"),
    ABSENT(sync, "would write the disks of the host"),
    ABSENT(syncfs, "would write the disks of the host"),
    DENY(mount, MOUNTS), DENY(umount2, MOUNTS), DENY(pivot_root, MOUNTS),
    DENY(chroot, MOUNTS), DENY(move_mount, MOUNTS), DENY(open_tree, MOUNTS),
    DENY(open_tree_attr, MOUNTS), DENY(fsopen, MOUNTS),
    DENY(fsconfig, MOUNTS), DENY(fsmount, MOUNTS), DENY(fspick, MOUNTS),
    DENY(mount_setattr, MOUNTS), DENY(quotactl, MOUNTS),
    DENY(quotactl_fd, MOUNTS),

    /* devices: the terminal without TIOCSTI and TIOCLINUX, which type for
     * others; names of interfaces */
#define IOCTL(request) OK_IF(ioctl, IS(1, request))
    IOCTL(0x5401), IOCTL(0x802c542a),                 /* TCGETS, TCGETS2 */
    IOCTL(0x540f), IOCTL(0x5413),                     /* TIOCGPGRP, TIOCGWINSZ */
    IOCTL(0x541b), IOCTL(0x5421), IOCTL(0x5452),      /* FIONREAD, FIONBIO, FIOASYNC */
    IOCTL(0x5450), IOCTL(0x5451),                     /* FIONCLEX, FIOCLEX */
    IOCTL(0x40049409),                                /* FICLONE */
    IOCTL(0x8910), IOCTL(0x8933),                     /* SIOCGIFNAME, SIOCGIFINDEX */
#define NO_IOCTL(request) DENY_IF(ioctl, "types for others", IS(1, request))
    NO_IOCTL(0x5412), NO_IOCTL(0x541c), NO_IOCTL(0x541d),
    ABSENT(ioctl, "requests that nobody was seen to use"),

    /* sockets: what a family may do is decided when they are made */
    OK(bind), OK(listen), OK(accept), OK(accept4), OK(connect),
    OK(getsockname), OK(getpeername), OK(getsockopt), OK(sendto),
    OK(recvfrom), OK(sendmsg), OK(recvmsg), OK(sendmmsg), OK(recvmmsg),
    OK(shutdown),
    DENY_WITH(socket, CALLS_NO_UNIX, "a mounted folder may hold a socket of the "
              "host", IS(0, 1)),
    OK_IF(socket, IS(0, 1)),    /* AF_UNIX */
    OK_IF(socket, IS_INET, STREAM, IS(2, 0)),
    OK_IF(socket, IS_INET, STREAM, IS(2, 6)),
    OK_IF(socket, IS_INET, DGRAM, IS(2, 0)),
    OK_IF(socket, IS_INET, DGRAM, IS(2, 17)),
    OK_IF(socket, IS(0, 16), IS(2, 0)),    /* AF_NETLINK for getifaddrs() */
    DENY(socket, "protocols that load kernel modules"),
    OK_IF(socketpair, IS(0, 1)),
    DENY(socketpair, "only unix sockets come in pairs"),
#define NO_SOCKOPT(level, option)                                             \
    DENY_IF(setsockopt, "programs for the kernel", IS(1, level), IS(2, option))
    NO_SOCKOPT(1, 26), NO_SOCKOPT(1, 50),    /* SO_ATTACH_FILTER, _BPF */
    NO_SOCKOPT(1, 51), NO_SOCKOPT(1, 52),    /* SO_ATTACH_REUSEPORT_CBPF, _EBPF */
    NO_SOCKOPT(6, 31),                       /* TCP_ULP */
    OK(setsockopt),

    /* what is shared by key or name */
    DENY(shmget, SYSV), DENY(shmat, SYSV), DENY(shmctl, SYSV),
    DENY(shmdt, SYSV), DENY(semget, SYSV), DENY(semop, SYSV),
    DENY(semtimedop, SYSV), DENY(semctl, SYSV), DENY(msgget, SYSV),
    DENY(msgsnd, SYSV), DENY(msgrcv, SYSV), DENY(msgctl, SYSV),
    DENY(mq_open, SYSV), DENY(mq_unlink, SYSV),
    KILL(add_key, "keys are shared beyond the run"),
    KILL(request_key, "starts a program outside"),
    KILL(keyctl, "keys are shared beyond the run"),

    /* the machine */
    DENY(syslog, "messages of the host"), DENY(acct, "accounts of the host"),
    DENY(swapon, "memory of the host"), DENY(swapoff, "memory of the host"),
    DENY(reboot, "the host"), DENY(vhangup, "terminals of others"),
    KILL(init_module, MODULE), KILL(finit_module, MODULE),
    KILL(delete_module, MODULE), KILL(kexec_load, MODULE),
#ifdef SYS_kexec_file_load
    KILL(kexec_file_load, MODULE),
#endif
    KILL(bpf, "programs for the kernel"),
    KILL(perf_event_open, "counts and samples beyond the run"),
    KILL(userfaultfd, "stops the kernel in the middle of a copy"),
    ABSENT(io_uring_setup, "calls that no filter sees; libuv falls back"),
    KILL(io_uring_enter, "there is no ring to enter"),
    KILL(io_uring_register, "there is no ring to enter"),

#ifdef __x86_64__
    /* what other machines never had */
    OK(arch_prctl), OK(time), OK(alarm), OK(pause), OK(getpgrp),
    OK(open), OK(creat), OK(stat), OK(lstat), OK(access), OK(getdents),
    OK(rename), OK(mkdir), OK(rmdir), OK(unlink), OK(link), OK(symlink),
    OK(readlink), OK(chmod), OK(chown), OK(lchown), OK(utime), OK(utimes),
    OK(futimesat), OK(dup2), OK(pipe), OK(inotify_init), OK(eventfd),
    OK(signalfd), OK(epoll_create), OK(epoll_wait), OK(poll), OK(select),
    DENY_WITH(fork, CALLS_NO_CHILDREN, NO_CHILD), OK(fork),
    DENY_WITH(vfork, CALLS_NO_CHILDREN, NO_CHILD), OK(vfork),
    DENY_IF(mknod, "devices are the host's", BITS(1, 0xf000, 0x2000)),
    DENY_IF(mknod, "devices are the host's", BITS(1, 0xf000, 0x6000)),
    OK(mknod),
    DENY(modify_ldt, "16-bit segments: many kernel bugs"),
    KILL(iopl, "ports of the machine"), KILL(ioperm, "ports of the machine"),
#endif
};

const size_t call_rows_count = COUNT(call_rows);
