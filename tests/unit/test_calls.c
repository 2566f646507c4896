/*
 * tests/unit/test_calls.c -- the table of system calls and the filter agree.
 *
 * The filter is run by a small BPF interpreter and compared with calls_judge(),
 * for every number, every set of flags and arguments around every edge; then
 * the kernel has its say in a child.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "jail/calls.h"
#include "tests/test.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#ifdef __x86_64__
#define OUR_ARCH   AUDIT_ARCH_X86_64
#define OTHER_ARCH AUDIT_ARCH_I386
#define X32_BIT    0x40000000
#else
#define OUR_ARCH   AUDIT_ARCH_AARCH64
#define OTHER_ARCH AUDIT_ARCH_ARM
#endif

enum { FLAG_SETS = CALLS_ALL + 1, SANE_LENGTH = 500 };

/* Only what calls_compile() uses; anything else fails the test. */
static uint32_t interpret(const struct sock_filter *code, int len,
                          const struct seccomp_data *d)
{
    uint32_t a = 0;
    for (int pc = 0; pc >= 0 && pc < len; pc++) {
        const struct sock_filter *i = &code[pc];
        switch (i->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            CHECK(i->k % 4 == 0 && i->k < sizeof *d);
            memcpy(&a, (const char *)d + i->k, 4);
            break;
        case BPF_ALU | BPF_AND | BPF_K: a &= i->k; break;
        case BPF_JMP | BPF_JA:          pc += (int)i->k; break;
        case BPF_JMP | BPF_JEQ | BPF_K: pc += a == i->k ? i->jt : i->jf; break;
        case BPF_JMP | BPF_JGE | BPF_K: pc += a >= i->k ? i->jt : i->jf; break;
        case BPF_RET | BPF_K: return i->k;
        default: TEST_FAIL("instruction %d has code %#x", pc, i->code);
        }
    }
    TEST_FAIL("fell off the end");
}

/* A call of another architecture dies at once, whoever listens. */
static int is_foreign(const struct seccomp_data *d)
{
#ifdef X32_BIT
    if ((uint32_t)d->nr >= X32_BIT)
        return 1;
#endif
    return d->arch != OUR_ARCH;
}

static uint32_t expected(unsigned flags, const struct seccomp_data *d)
{
    uint64_t args[6];
    memcpy(args, d->args, sizeof args);
    enum call_answer answer = calls_judge(flags, d->arch, d->nr, args);
    if (is_foreign(d)) {
        CHECK_INT(answer, CALL_KILL);
        return SECCOMP_RET_KILL_PROCESS;
    }
    switch (answer) {
    case CALL_ALLOW:  return SECCOMP_RET_ALLOW;
    case CALL_ABSENT: return SECCOMP_RET_ERRNO | ENOSYS;
    case CALL_DENY:   return flags & CALLS_NO_NOTIFIER
                          ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_USER_NOTIF;
    case CALL_KILL:   return flags & CALLS_NO_NOTIFIER
                          ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_USER_NOTIF;
    }
    TEST_FAIL("no such answer: %d", (int)answer);
}

static uint64_t seed = 88172645463325252u;
static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Values that some row looks for, values near them, and values that are not. */
static uint64_t some_argument(void)
{
    static const uint32_t known[] = {
        0, 1, 2, 3, 6, 10, 16, 17, 22, 0x21, 0x22, 0x2000, 0x6000, 0x8000,
        0x10100, 0x10000, 0x100, 0x3d0f00, 0x1200011, 0x10000000, 0x20000,
        0x5401, 0x5412, 0x5413, 0x541c, 0x5421, 0x40049409, 0x53564d41,
        UINT32_MAX, 26, 50, 31, 0x80001, 0x80802, 38, 15, 35,
    };
    uint64_t v = known[next_random() % COUNT(known)];
    switch (next_random() % 6) {
    case 0:  return v ^ (uint64_t)1 << next_random() % 64;
    case 1:  return v | next_random() << 32;
    case 2:  return next_random();
    default: return v;
    }
}

static void compare(unsigned flags, const struct sock_filter *code, int len,
                    const struct seccomp_data *d)
{
    uint32_t got = interpret(code, len, d), want = expected(flags, d);
    if (got != want)
        TEST_FAIL("flags %u, arch %#x, call %d: %#x, not %#x", flags, d->arch,
                  d->nr, got, want);
}

TEST(the_filter_says_what_the_table_says)
{
    static const uint32_t arches[] = { OUR_ARCH, OUR_ARCH, OTHER_ARCH, 0 };
    struct sock_filter code[CALLS_MAX_CODE];
    for (unsigned flags = 0; flags < FLAG_SETS; flags++) {
        int len = calls_compile(flags, code);
        CHECK(len > 0);
        for (int nr = -1; nr <= 600; nr++)
            for (int round = 0; round < 300; round++) {
                struct seccomp_data d = {
                    .nr = nr, .arch = arches[round % 8 ? 0 : next_random() % 4],
                };
                for (int i = 0; i < 6; i++)
                    d.args[i] = some_argument();
                compare(flags, code, len, &d);
            }
    }
}

TEST(the_filter_is_short)
{
    struct sock_filter code[CALLS_MAX_CODE];
    for (unsigned flags = 0; flags < FLAG_SETS; flags++) {
        int len = calls_compile(flags, code);
        if (len <= 0 || len > SANE_LENGTH)
            TEST_FAIL("flags %u: %d instructions", flags, len);
        if (getenv("VERBOSE"))
            printf("# flags %u: %d instructions\n", flags, len);
    }
}

#ifdef X32_BIT
TEST(no_x32_call_is_allowed)
{
    struct sock_filter code[CALLS_MAX_CODE];
    int len = calls_compile(0, code);
    for (int nr = 0; nr < 600; nr++) {
        struct seccomp_data d = { .nr = nr | X32_BIT, .arch = OUR_ARCH };
        CHECK(interpret(code, len, &d) == SECCOMP_RET_KILL_PROCESS);
        compare(0, code, len, &d);
    }
}
#endif

/* One line for each promise of the table that a change must not lose. */
static const struct claim {
    long             nr;
    enum call_answer answer;
    unsigned         flags;
    uint64_t         args[6];
} claims[] = {
    { SYS_read,       CALL_ALLOW,  0, { 0 } },
    { SYS_clone3,     CALL_ABSENT, 0, { 0 } },
    { 425,            CALL_ABSENT, 0, { 0 } },    /* io_uring_setup */
    { 426,            CALL_KILL,   0, { 0 } },    /* io_uring_enter */
    { 1000,           CALL_ABSENT, 0, { 0 } },
    { SYS_ptrace,     CALL_KILL,   0, { 0 } },
    { SYS_bpf,        CALL_KILL,   0, { 0 } },
    { SYS_setuid,     CALL_DENY,   0, { 0 } },
    { SYS_mount,      CALL_DENY,   0, { 0 } },
    { SYS_unshare,    CALL_DENY,   0, { CLONE_NEWUSER } },
    { SYS_setsid,     CALL_ALLOW,  0, { 0 } },
    { SYS_clone,      CALL_ALLOW,  0, { SIGCHLD } },
    { SYS_clone,      CALL_ALLOW,  0, { 0x3d0f00 } },    /* a thread of libc */
    { SYS_clone,      CALL_DENY,   0, { CLONE_NEWUSER | SIGCHLD } },
    { SYS_clone,      CALL_DENY,   0, { CLONE_NEWNS | SIGCHLD } },
    { SYS_clone,      CALL_DENY,   0, { CLONE_PARENT | SIGCHLD } },
    { SYS_clone,      CALL_DENY,   CALLS_NO_CHILDREN, { SIGCHLD } },
    { SYS_clone,      CALL_DENY,   CALLS_NO_CHILDREN,
      { CLONE_VM | CLONE_VFORK | SIGCHLD } },
    { SYS_clone,      CALL_ALLOW,  CALLS_NO_CHILDREN, { 0x3d0f00 } },
    { SYS_clone,      CALL_DENY,   CALLS_NO_CHILDREN,
      { 0x3d0f00 | CLONE_NEWNET } },
    { SYS_execve,     CALL_ALLOW,  0, { 0 } },
    { SYS_execve,     CALL_DENY,   CALLS_NO_CHILDREN, { 0 } },
    { SYS_execveat,   CALL_DENY,   CALLS_NO_CHILDREN, { 0 } },
    { SYS_mmap,       CALL_ALLOW,  0, { 0, 0, 0, 0x21 } },
    { SYS_mmap,       CALL_DENY,   CALLS_NO_SHARED, { 0, 0, 0, 0x21 } },
    { SYS_mmap,       CALL_DENY,   CALLS_NO_SHARED, { 0, 0, 0, 0x23 } },
    { SYS_mmap,       CALL_ALLOW,  CALLS_NO_SHARED, { 0, 0, 0, 0x22 } },
    { SYS_mmap,       CALL_ALLOW,  CALLS_NO_SHARED, { 0, 0, 0, 0x01 } },
    { SYS_memfd_create, CALL_ALLOW, 0, { 0 } },
    { SYS_memfd_create, CALL_DENY, CALLS_NO_SHARED, { 0 } },
    { SYS_prctl,      CALL_ALLOW,  0, { PR_SET_NAME } },
    { SYS_prctl,      CALL_DENY,   0, { PR_SET_SECCOMP, 2 } },
    { SYS_prctl,      CALL_ABSENT, 0, { PR_SET_TSC } },
    { SYS_ioctl,      CALL_ALLOW,  0, { 0, 0x5401 } },
    { SYS_ioctl,      CALL_ALLOW,  0, { 0, 0x123400005401 } },
    { SYS_ioctl,      CALL_DENY,   0, { 0, 0x5412 } },          /* TIOCSTI */
    { SYS_ioctl,      CALL_DENY,   0, { 0, 0x123400005412 } },
    { SYS_personality, CALL_ALLOW, 0, { 0xffffffff } },
    { SYS_personality, CALL_DENY,  0, { 0x40000 } },
    { SYS_socket,     CALL_ALLOW,  0, { AF_INET6, SOCK_STREAM | SOCK_CLOEXEC } },
    { SYS_socket,     CALL_ALLOW,  0, { AF_INET, SOCK_DGRAM, 17 } },
    { SYS_socket,     CALL_DENY,   0, { AF_INET, SOCK_STREAM, 132 } },
    { SYS_socket,     CALL_DENY,   0, { AF_INET, SOCK_RAW, 1 } },
    { SYS_socket,     CALL_ALLOW,  0, { AF_UNIX, SOCK_STREAM } },
    { SYS_socket,     CALL_ALLOW,  0, { AF_NETLINK, SOCK_RAW, 0 } },
    { SYS_socket,     CALL_DENY,   0, { AF_NETLINK, SOCK_RAW, 12 } },
    { SYS_socket,     CALL_DENY,   0, { AF_PACKET, SOCK_RAW, 0 } },
    { SYS_socket,     CALL_DENY,   0, { AF_ALG, 5, 0 } },
    { SYS_socketpair, CALL_DENY,   0, { AF_INET } },
    { SYS_setsockopt, CALL_ALLOW,  0, { 3, SOL_SOCKET, SO_REUSEADDR } },
    { SYS_setsockopt, CALL_DENY,   0, { 3, SOL_SOCKET, 26 } },
    { SYS_mknodat,    CALL_ALLOW,  0, { 0, 0, S_IFIFO | 0600 } },
    { SYS_mknodat,    CALL_DENY,   0, { 0, 0, S_IFCHR | 0600 } },
    { SYS_mknodat,    CALL_DENY,   0, { 0, 0, S_IFBLK | 0600 } },
};

TEST(the_table_keeps_its_promises)
{
    for (size_t i = 0; i < COUNT(claims); i++) {
        const struct claim *c = &claims[i];
        enum call_answer got = calls_judge(c->flags, OUR_ARCH, (int)c->nr,
                                           c->args);
        if (got != c->answer)
            TEST_FAIL("row %zu, call %ld: answer %d, not %d", i, c->nr,
                      (int)got, (int)c->answer);
    }
}

TEST(calls_have_names)
{
    CHECK_TEXT(call_name(SYS_ptrace), "ptrace");
    CHECK_TEXT(call_name(SYS_openat), "openat");
    CHECK(call_name(-1) == NULL && call_name(600) == NULL);
}

/* ---- the kernel ------------------------------------------------------------------ */

static void install(const struct sock_filter *code, int len)
{
    struct sock_fprog prog = { (unsigned short)len,
                               (struct sock_filter *)(uintptr_t)code };
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) == 0);
}

static int status_of(void (*run)(void))
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        run();
        _exit(0);
    }
    int status;
    CHECK(waitpid(pid, &status, 0) == pid);
    return status;
}

static void seal_without_listener(unsigned flags)
{
    struct sock_filter code[CALLS_MAX_CODE];
    install(code, calls_compile(flags | CALLS_NO_NOTIFIER, code));
}

static void honest_program(void)
{
    seal_without_listener(0);
    int pair[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    CHECK(setuid(getuid()) == -1 && errno == EPERM);
    CHECK(unshare(CLONE_NEWNS) == -1 && errno == EPERM);
    CHECK(prctl(PR_SET_SECCOMP, 2, NULL, 0, 0) == -1 && errno == EPERM);
    CHECK(syscall(435 /* clone3 */, NULL, 0) == -1 && errno == ENOSYS);
    CHECK(syscall(425 /* io_uring_setup */, 1, NULL) == -1 && errno == ENOSYS);
    CHECK(syscall(500) == -1 && errno == ENOSYS);
    pid_t pid = fork();
    if (pid == 0)
        _exit(7);
    int status;
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7);
}

static void childless_program(void)
{
    seal_without_listener(CALLS_NO_CHILDREN | CALLS_NO_SHARED);
    CHECK(fork() == -1 && errno == EPERM);
    CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0) ==
          MAP_FAILED && errno == EPERM);
}

static void tracing_program(void)
{
    seal_without_listener(0);
    syscall(SYS_ptrace, 0, 0, 0, 0);
}

#ifdef __x86_64__
static void x32_program(void)
{
    seal_without_listener(0);
    syscall(SYS_getpid | X32_BIT);
}
#endif

TEST(the_kernel_gives_the_same_answers)
{
    CHECK_INT(status_of(honest_program), 0);
    CHECK_INT(status_of(childless_program), 0);
    CHECK_INT(WTERMSIG(status_of(tracing_program)), SIGSYS);
#ifdef __x86_64__
    CHECK_INT(WTERMSIG(status_of(x32_program)), SIGSYS);
#endif
}

/* What the supervisor does: hear of a call by number, and say EPERM. */
TEST(a_denied_call_comes_to_the_listener)
{
    struct sock_filter code[CALLS_MAX_CODE];
    int len = calls_compile(0, code), pair[2], pass[2];
    struct sock_fprog prog = { (unsigned short)len, code };
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && pipe(pass) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        /* the parent's descriptor is a copy of ours, by pidfd_getfd() */
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        int fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                              SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog);
        if (fd < 0 || write(pass[1], &fd, sizeof fd) != sizeof fd)
            _exit(98);
        errno = 0;
        _exit(mount("", "", "", 0, NULL) == -1 && errno == EPERM ? 0 : 99);
    }
    int theirs = -1;
    CHECK(read(pass[0], &theirs, sizeof theirs) == sizeof theirs);
    int pidfd = (int)syscall(434 /* pidfd_open */, pid, 0);
    int fd = (int)syscall(438 /* pidfd_getfd */, pidfd, theirs, 0);
    if (fd < 0)
        SKIP("no right to take a descriptor");
    struct seccomp_notif n = { 0 };
    CHECK(ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &n) == 0);
    CHECK_TEXT(call_name(n.data.nr), "mount");
    struct seccomp_notif_resp answer = { .id = n.id, .error = -EPERM };
    CHECK(ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &answer) == 0);
    int status;
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK_INT(status, 0);
}

static void zygote(void)
{
    struct sock_filter code[16];
    install(code, calls_zygote_filter(code, COUNT(code)));
    char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p != MAP_FAILED);
    *p = 42;
    CHECK(madvise(p, 4096, MADV_DONTFORK) == 0);
    CHECK(madvise(p, 4096, MADV_NORMAL) == 0);
    CHECK(madvise(p + 1, 4096, MADV_NORMAL) == -1);    /* the kernel's answer */
    CHECK(syscall(425, 1, NULL) == -1 && errno == ENOSYS);
    pid_t pid = fork();
    if (pid == 0)
        _exit(*p);
    int status;
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 42);
}

TEST(the_filter_of_a_zygote_keeps_memory_across_fork)
{
    struct sock_filter code[4];
    CHECK_INT(calls_zygote_filter(code, COUNT(code)), -ENOSPC);
    CHECK_INT(status_of(zygote), 0);
}
