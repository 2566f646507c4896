/*
 * tests/escape/probe.c -- runs in a jail in the worker's place and tries to get
 * out. It says what happened; whether that is right is judged outside.
 *
 *   look            make every attempt below, one line each: "name result"
 *   raw NAME        make one attempt
 *   sealed NAME     seal like a worker, then make that attempt
 *   sleep           say hello, then wait for ever
 *   seal            seal like a worker, say which walls, then wait for a byte
 *   nap             seal, say hello, sleep 300 ms, say "awake"
 *   work            seal, then do all that a worker does, say "done"
 *
 * A result is what the attempt gained (>= 0) or a negative errno. The other
 * arguments name things of the test's that can be reached if a wall is gone.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "jail/jail.h"
#include "worker/seal.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#ifdef GB_SANITIZED
/* There is no environment to say this in. Leaks are looked for with ptrace. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0";
}
#endif

enum { FORKS = 40, FDS = 256 };

static struct {
    pid_t  pid;         /* of the test */
    int    port;        /* TCP on 127.0.0.1 */
    int    shm;         /* a segment anybody may look at */
    size_t too_much;    /* bytes past the limit */
} outside;

static long result(long r)
{
    return r < 0 ? -errno : r;
}

static long opened(int fd)
{
    if (fd < 0)
        return -errno;
    close(fd);
    return 0;
}

/* For attempts that would change this process if they worked. */
static long in_child(long (*attempt)(void))
{
    int p[2];
    if (pipe(p) < 0)
        return -errno;
    pid_t pid = fork();
    if (pid == 0) {
        long r = attempt();
        _exit(write(p[1], &r, sizeof r) < 0);
    }
    long r = pid < 0 ? -errno : -EIO;
    close(p[1]);
    if (pid > 0 && (read(p[0], &r, sizeof r) < 0 || waitpid(pid, NULL, 0) < 0))
        r = -errno;
    close(p[0]);
    return r;
}

/* Files */
static long t_passwd(void)    { return opened(open("/etc/passwd", O_RDONLY)); }
static long t_proc(void)
{
    return opened(open("/proc/self/status", O_RDONLY));
}
static long t_tmpfile(void)
{
    return opened(open("/tmp", O_TMPFILE | O_WRONLY, 0600));
}
static long t_mkdir_root(void)
{
    /* The name is taken outside, so that a control run leaves nothing. */
    return mkdir("/tmp", 0700) < 0 && errno != EEXIST ? -errno : 0;
}
static long t_chmod_root(void)
{
    struct stat st;    /* to what it is: a control run changes nothing */
    if (stat("/", &st) < 0)
        return -errno;
    return result(chmod("/", st.st_mode & 07777));
}
static long t_sysctl(void)
{
    return opened(open("/proc/sys/kernel/core_pattern", O_WRONLY));
}
static long t_dotdot(void)
{
    return opened(open("../../../../../../etc/passwd", O_RDONLY));
}
static long t_list_root(void)
{
    DIR *d = opendir("/");
    if (!d)
        return -errno;
    long n = 0;
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}
static long try_unshare_user(void) { return result(unshare(CLONE_NEWUSER)); }
static long t_unshare_user(void)   { return in_child(try_unshare_user); }
static long t_fsopen(void)
{
    return opened(fsopen("tmpfs", FSOPEN_CLOEXEC));
}

/* Other processes */
static long t_pid(void)       { return getpid(); }
static long t_ppid(void)      { return getppid(); }
static long t_kill(void)      { return result(kill(outside.pid, 0)); }
static long t_memory_of_test(void)
{
    char byte;
    struct iovec here = { &byte, 1 }, there = { NULL, 1 };
    /* EFAULT: we were let in and only found nothing at address 0 */
    if (process_vm_readv(outside.pid, &here, 1, &there, 1, 0) < 0)
        return errno == EFAULT ? 0 : -errno;
    return 0;
}
static long t_forks(void)
{
    pid_t made[FORKS];
    long n = 0;
    while (n < FORKS && (made[n] = fork()) >= 0) {
        if (made[n] == 0)
            for (;;)
                pause();
        n++;
    }
    for (long i = 0; i < n; i++) {
        kill(made[i], SIGKILL);
        waitpid(made[i], NULL, 0);
    }
    return n;
}
static long t_session(void)   { return getsid(0) == getpid(); }
static long t_pdeathsig(void)
{
    int sig = 0;
    return prctl(PR_GET_PDEATHSIG, &sig, 0, 0, 0) < 0 ? -errno : sig;
}

/* Network and shared things */
static long t_connect_tcp(void)
{
    AUTO_FD fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)outside.port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    return result(connect(fd, (struct sockaddr *)&a, sizeof a));
}
static long t_connect_abstract(void)
{
    AUTO_FD fd = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    int n = snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "glovebox-test-%d",
                     (int)outside.pid);
    socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
                                (size_t)n);
    return result(connect(fd, (struct sockaddr *)&a, len));
}
static long t_loopback_is_up(void)
{
    AUTO_FD fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct ifreq r = { .ifr_name = "lo" };
    if (ioctl(fd, SIOCGIFFLAGS, &r) < 0)
        return -errno;
    return (r.ifr_flags & IFF_UP) != 0;
}
static long t_shm(void)
{
    struct shmid_ds d;
    return result(shmctl(outside.shm, IPC_STAT, &d));
}
static long t_hostname_is_ours(void)
{
    struct utsname u;
    return uname(&u) < 0 ? -errno : strcmp(u.nodename, "glovebox") == 0;
}
static long t_cgroup_ns(void)
{
    struct stat st;
    return stat("/proc/self/ns/cgroup", &st) < 0 ? -errno : (long)st.st_ino;
}
static long t_user_ns(void)
{
    struct stat st;
    return stat("/proc/self/ns/user", &st) < 0 ? -errno : (long)st.st_ino;
}

/* Identity */
static long t_uid(void)       { return (long)getuid(); }
static long t_gid(void)       { return (long)getgid(); }
static long t_groups(void)    { return result(getgroups(0, NULL)); }
static long try_setuid0(void)
{
    return result(syscall(SYS_setresuid, 0, 0, 0));
}
static long t_setuid0(void)   { return in_child(try_setuid0); }
static long t_no_new_privs(void)
{
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
}
static long t_capabilities(void)
{
    struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct d[2] = { { 0 } };
    if (syscall(SYS_capget, &h, d) < 0)
        return -errno;
    return __builtin_popcount(d[0].permitted | d[0].effective) +
           __builtin_popcount(d[1].permitted | d[1].effective);
}
static long t_bounding(void)
{
    long n = 0;
    for (unsigned long cap = 0; cap < 64; cap++)
        n += prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1;
    return n;
}

/* What came along */
static long t_environment(void)
{
    long n = 0;
    while (environ && environ[n])
        n++;
    return n;
}
static long t_descriptors(void)
{
    long n = 0;
    for (int fd = 0; fd < FDS; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}
static long t_channel_only(void)
{
    return t_descriptors() == 1 && fcntl(JAIL_CHANNEL_FD, F_GETFD) >= 0;
}
static long t_blocked_or_ignored_signals(void)
{
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    long n = 0;
    for (int sig = 1; sig < NSIG; sig++) {
        struct sigaction sa;
        n += sigismember(&blocked, sig) == 1;
        n += sigaction(sig, NULL, &sa) == 0 && sa.sa_handler != SIG_DFL;
    }
    return n;
}

/* Limits */
static long t_memory(void)
{
    void *p = mmap(NULL, outside.too_much, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return -errno;
    munmap(p, outside.too_much);
    return 0;
}
static long t_many_files(void)
{
    int fd = JAIL_CHANNEL_FD, last = -1;
    for (int i = 0; i < 64 && (fd = dup(JAIL_CHANNEL_FD)) >= 0; i++)
        last = fd;
    if (last >= 0)
        syscall(SYS_close_range, JAIL_CHANNEL_FD + 1, last, 0);
    return fd < 0 ? -errno : 0;
}
static long t_core(void)
{
    struct rlimit r;
    return getrlimit(RLIMIT_CORE, &r) < 0 ? -errno : r.rlim_max != 0;
}
static long t_dumpable(void)  { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

/* System calls that only the seal stops. */
static long t_openat(void)    { return opened(open("/", O_RDONLY)); }
static long t_socket(void)
{
    return opened(socket(AF_UNIX, SOCK_STREAM, 0));
}
static long t_netlink(void)
{
    return opened(socket(AF_NETLINK, SOCK_RAW, 0));
}
static long t_execve(void)
{
    return result(syscall(SYS_execveat, 99, "", NULL, NULL, AT_EMPTY_PATH));
}
static long t_fork(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    return pid < 0 ? -errno : result(waitpid(pid, NULL, 0)) * 0;
}
static long t_ptrace(void)
{
    return result(ptrace(PTRACE_TRACEME, 0, 0, 0));
}
static long t_kill_self(void) { return result(kill(getpid(), 0)); }
static long t_prctl(void)     { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }
static long t_seccomp(void)
{
    return result(syscall(SYS_seccomp, 2, 0, "\0\0\0"));
}
static long t_memfd(void)     { return opened(memfd_create("x", 0)); }
static long t_io_uring(void)
{
    return result(syscall(SYS_io_uring_setup, 1, NULL));
}
static long t_bpf(void)       { return result(syscall(SYS_bpf, 0, NULL, 0)); }
static long t_userfaultfd(void) { return result(syscall(SYS_userfaultfd, 1)); }
static long t_keyctl(void)    { return result(syscall(SYS_keyctl, 0, -3, 0)); }
static long t_perf(void)
{
    return result(syscall(SYS_perf_event_open, 0, 0, 0, 0, 0));
}
static long t_personality(void) { return result(personality(0xffffffff)); }
static long t_dup(void)       { return opened(dup(JAIL_CHANNEL_FD)); }
static long t_setrlimit(void)
{
    struct rlimit r;
    return result(getrlimit(RLIMIT_DATA, &r));
}
static long t_mount(void)     { return result(umount2("/nothing", 0)); }
static long t_unshare(void)   { return result(unshare(0)); }
static long t_setns(void)     { return result(setns(-1, 0)); }
static long t_rt_sigaction(void)
{
    return result(sigaction(SIGUSR1, NULL, NULL));
}
static long t_clock_settime(void)
{
    return result(syscall(SYS_clock_settime, 0, NULL));
}
static long t_read_other(void) { return result(read(99, NULL, 0)); }
static long t_write_other(void) { return result(write(1, "", 0)); }
static long t_sendmsg_other(void)
{
    struct msghdr m = { 0 };
    return result(sendmsg(99, &m, 0));
}
static long map(int prot, int flags, int fd)
{
    void *p = mmap(NULL, 4096, prot, flags, fd, 0);
    return p == MAP_FAILED ? -errno : 0;
}
static long t_map_exec(void)
{
    return map(PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}
static long t_map_shared(void)
{
    return map(PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
}
static long t_map_file(void)
{
    return map(PROT_READ, MAP_PRIVATE, JAIL_CHANNEL_FD);
}
static long t_protect_exec(void)
{
    static char page[8192];
    char *at = page + 4096 - (uintptr_t)page % 4096;
    return result(mprotect(at, 4096, PROT_READ | PROT_EXEC));
}
#ifdef __x86_64__
static long t_x32(void)
{
    return result(syscall(0x40000000 | SYS_getpid));
}
static long t_x32_read(void)
{
    return result(syscall(0x40000000 | SYS_read, JAIL_CHANNEL_FD, NULL, 0));
}
static long t_int80(void)
{
    long r = 20;    /* getpid of the 32-bit numbers; write of ours is 1 */
    __asm__ volatile("int $0x80" : "+a"(r) : : "r8", "r9", "r10", "r11",
                     "memory");
    return r;
}
static long t_gs_of_others(void)
{
    return result(syscall(SYS_arch_prctl, 0x1003 /* ARCH_GET_FS */, NULL));
}
#endif

static const struct attempt {
    const char *name;
    int         look;    /* part of `look` */
    long      (*run)(void);
} attempts[] = {
#define LOOK(name) { #name, 1, t_##name },
#define CALL(name) { #name, 0, t_##name },
    LOOK(passwd) LOOK(proc) LOOK(tmpfile) LOOK(mkdir_root) LOOK(chmod_root)
    LOOK(sysctl) LOOK(dotdot) LOOK(list_root) LOOK(unshare_user) LOOK(fsopen)
    LOOK(pid) LOOK(ppid) LOOK(kill) LOOK(memory_of_test) LOOK(forks)
    LOOK(session) LOOK(pdeathsig) LOOK(connect_tcp) LOOK(connect_abstract)
    LOOK(loopback_is_up) LOOK(shm) LOOK(hostname_is_ours) LOOK(cgroup_ns)
    LOOK(user_ns) LOOK(uid) LOOK(gid) LOOK(groups) LOOK(setuid0)
    LOOK(no_new_privs) LOOK(capabilities) LOOK(bounding) LOOK(environment)
    LOOK(descriptors) LOOK(channel_only) LOOK(blocked_or_ignored_signals)
    LOOK(memory) LOOK(many_files) LOOK(core)
    CALL(dumpable) CALL(openat) CALL(socket) CALL(netlink) CALL(execve)
    CALL(fork) CALL(ptrace) CALL(kill_self) CALL(prctl) CALL(seccomp)
    CALL(memfd) CALL(io_uring) CALL(bpf) CALL(userfaultfd) CALL(keyctl)
    CALL(perf) CALL(personality) CALL(dup) CALL(setrlimit) CALL(mount)
    CALL(unshare) CALL(setns) CALL(rt_sigaction) CALL(clock_settime)
    CALL(read_other) CALL(write_other) CALL(sendmsg_other) CALL(map_exec)
    CALL(map_shared) CALL(map_file) CALL(protect_exec)
#ifdef __x86_64__
    CALL(x32) CALL(x32_read) CALL(int80) CALL(gs_of_others)
#endif
};

static void say(const char *name, long value)
{
    char line[80];
    int n = snprintf(line, sizeof line, "%s %ld\n", name, value);
    if (write(JAIL_CHANNEL_FD, line, (size_t)n) != n)
        _exit(4);
}

static int wait_for_a_byte(void)
{
    char byte;
    return read(JAIL_CHANNEL_FD, &byte, 1) == 1 ? 0 : 5;
}

static void nap(void)
{
    say("hello", 0);
    struct timespec t = { .tv_nsec = 300000000 };
    say("awake", ppoll(NULL, 0, &t, NULL));
}

/* All that an honest worker does. Too little on the list kills good runs. */
static void work(timer_t timer)
{
    /* Again and again: the first may come before we sleep. */
    struct itimerspec it = { { .tv_nsec = 1000000 }, { .tv_nsec = 1000000 } };
    struct timespec now, second = { .tv_sec = 1 };
    unsigned char seed[16];
    char *big = NULL;
    sigset_t none;

    for (size_t n = 1; n <= 4 * MIB; n *= 2) {
        char *more = realloc(big, n);
        if (!more)
            _exit(6);
        big = more;
        memset(big, 1, n);
    }
    free(big);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    timer_settime(timer, 0, &it, NULL);
    if (ppoll(NULL, 0, &second, NULL) != -1 || errno != EINTR)
        _exit(7);
    void *p = mmap(NULL, MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
                   MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED || mprotect(p, MIB, PROT_READ | PROT_WRITE) < 0 ||
        madvise(p, MIB, MADV_DONTNEED) < 0 || munmap(p, MIB) < 0)
        _exit(8);
    if (getrandom(seed, sizeof seed, 0) != sizeof seed)
        _exit(9);
    say("done", 0);
}

static void on_alarm(int sig)
{
    (void)sig;
}

static timer_t make_timer(void)
{
    timer_t timer;
    struct sigaction sa = { .sa_handler = on_alarm };
    struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL,
                           .sigev_signo = SIGALRM };
    if (sigaction(SIGALRM, &sa, NULL) < 0 ||
        timer_create(CLOCK_MONOTONIC, &ev, &timer) < 0)
        _exit(10);
    return timer;
}

static void seal(void)
{
    struct err e = { 0 };
    if (seal_worker(&e) < 0) {
        say(e.msg, e.code);
        _exit(11);
    }
}

static const struct attempt *find(const char *name)
{
    for (size_t i = 0; i < COUNT(attempts); i++)
        if (strcmp(attempts[i].name, name) == 0)
            return &attempts[i];
    _exit(12);
}

int main(int argc, char **argv)
{
    if (argc < 7)
        return 2;
    const char *verb = argv[1];
    outside.pid = (pid_t)strtol(argv[3], NULL, 10);
    outside.port = (int)strtol(argv[4], NULL, 10);
    outside.shm = (int)strtol(argv[5], NULL, 10);
    outside.too_much = strtoul(argv[6], NULL, 10);

    if (strcmp(verb, "look") == 0) {
        for (size_t i = 0; i < COUNT(attempts); i++)
            if (attempts[i].look)
                say(attempts[i].name, attempts[i].run());
        return 0;
    }
    if (strcmp(verb, "sleep") == 0) {
        say("hello", 0);
        return wait_for_a_byte();
    }
    if (strcmp(verb, "raw") == 0) {
        say(argv[2], find(argv[2])->run());
        return 0;
    }
    timer_t timer = make_timer();
    seal();
    if (strcmp(verb, "seal") == 0) {
        say("walls", seal_walls());
        return wait_for_a_byte();
    }
    if (strcmp(verb, "nap") == 0)
        nap();
    else if (strcmp(verb, "work") == 0)
        work(timer);
    else
        say(argv[2], find(argv[2])->run());
    return 0;
}
