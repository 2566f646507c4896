/*
 * tests/unit/test_seccomp.c -- a list of calls and the filter made of it agree.
 *
 * The filter is run by a small BPF interpreter and compared with the plain
 * reading of the table, over numbers and arguments around every edge; then the
 * kernel has its say in a child.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "jail/seccomp.h"
#include "tests/test.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifdef __x86_64__
#define OUR_ARCH   AUDIT_ARCH_X86_64
#define OTHER_ARCH AUDIT_ARCH_I386
#else
#define OUR_ARCH   AUDIT_ARCH_AARCH64
#define OTHER_ARCH AUDIT_ARCH_ARM
#endif

#define ALL UINT64_MAX
#define LOW 0xffffffffu

static const struct syscall_rule list[] = {
    { 0,   "no condition" },
    { 1,   "low half",       0, LOW, 3 },
    { 9,   "two conditions", 2, 4, 0, 3, 0x2f, 0x22 },
    { 10,  "both halves",    1, ALL, 0x123456789abcdef0 },
    { 11,  "high half",      5, 0xff00000000000000, 0x4200000000000000 },
    { 12,  "either",         0, ALL, 7 },
    { 12,  "or",             0, ALL, 8 },
    { 334, "the last" },
};

/* Only what seccomp_compile() uses; anything else fails the test. */
static uint32_t interpret(const struct sock_filter *code, int len,
                          const struct seccomp_data *d)
{
    uint32_t a = 0;
    for (int pc = 0; pc < len; pc++) {
        const struct sock_filter *i = &code[pc];
        switch (i->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            CHECK(i->k % 4 == 0 && i->k < sizeof *d);
            memcpy(&a, (const char *)d + i->k, 4);
            break;
        case BPF_ALU | BPF_AND | BPF_K: a &= i->k; break;
        case BPF_JMP | BPF_JEQ | BPF_K: pc += a == i->k ? i->jt : i->jf; break;
        case BPF_JMP | BPF_JGE | BPF_K: pc += a >= i->k ? i->jt : i->jf; break;
        case BPF_RET | BPF_K: return i->k;
        default: TEST_FAIL("instruction %d has code %#x", pc, i->code);
        }
    }
    TEST_FAIL("fell off the end");
}

static int meets(const struct seccomp_data *d, int arg, uint64_t mask,
                 uint64_t want)
{
    return !mask || (d->args[arg] & mask) == want;
}

static uint32_t plain_reading(const struct seccomp_data *d)
{
    for (size_t i = 0; i < COUNT(list); i++) {
        const struct syscall_rule *r = &list[i];
        if (d->arch == OUR_ARCH && d->nr == r->nr &&
            meets(d, r->arg, r->mask, r->want) &&
            meets(d, r->arg2, r->mask2, r->want2))
            return SECCOMP_RET_ALLOW;
    }
    return SECCOMP_RET_KILL_PROCESS;
}

static uint64_t seed = 88172645463325252u;
static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Values near what some row wants, and values that are not. */
static uint64_t some_argument(void)
{
    const struct syscall_rule *r = &list[next_random() % COUNT(list)];
    uint64_t v = next_random() & 1 ? r->want : r->want2;
    switch (next_random() % 5) {
    case 0:  return v;
    case 1:  return v ^ (uint64_t)1 << next_random() % 64;
    case 2:  return v | next_random() << 32;
    case 3:  return (uint32_t)v;
    default: return next_random();
    }
}

TEST(the_filter_says_what_the_list_says)
{
    struct sock_filter code[SECCOMP_MAX_CODE];
    int len = seccomp_compile(list, COUNT(list), code), allowed = 0;
    CHECK(len > 0);
    for (int n = 0; n < 2000000; n++) {
        struct seccomp_data d = {
            .nr = list[next_random() % COUNT(list)].nr,
            .arch = next_random() % 16 ? OUR_ARCH : OTHER_ARCH,
        };
        if (next_random() % 8 == 0)
            d.nr += (int)(next_random() % 3) - 1;
        for (int i = 0; i < 6; i++)
            d.args[i] = some_argument();
        uint32_t got = interpret(code, len, &d), want = plain_reading(&d);
        if (got != want)
            TEST_FAIL("call %d: %#x, not %#x", d.nr, got, want);
        allowed += want == SECCOMP_RET_ALLOW;
    }
    CHECK(allowed > 100000 && allowed < 1900000);    /* both sides were seen */
}

TEST(no_number_of_another_architecture_is_allowed)
{
    struct sock_filter code[SECCOMP_MAX_CODE];
    int len = seccomp_compile(list, COUNT(list), code);
    for (int nr = -2; nr < 1024; nr++) {
        struct seccomp_data d = { .nr = nr, .arch = OTHER_ARCH };
        CHECK(interpret(code, len, &d) == SECCOMP_RET_KILL_PROCESS);
        d.arch = 0;
        CHECK(interpret(code, len, &d) == SECCOMP_RET_KILL_PROCESS);
    }
}

#ifdef __x86_64__
TEST(no_x32_call_is_allowed_even_if_the_list_names_it)
{
    static const struct syscall_rule x32 = { 0x40000000 | 39, "a typing error" };
    struct sock_filter code[SECCOMP_MAX_CODE];
    int len = seccomp_compile(&x32, 1, code);
    struct seccomp_data d = { .nr = x32.nr, .arch = OUR_ARCH };
    CHECK(interpret(code, len, &d) == SECCOMP_RET_KILL_PROCESS);
}
#endif

TEST(a_malformed_list_is_refused)
{
    static const struct syscall_rule bad[] = {
        { -1, "no call" },
        { 1,  "argument too high",   6, 1, 1 },
        { 1,  "argument too low",   -1, 1, 1 },
        { 1,  "wants what it masks", 0, 1, 3 },
        { 1,  "wants without mask",  0, 0, 3 },
        { 1,  "only a second",       0, 0, 0, 1, 1, 1 },
        { 1,  "second too high",     0, 1, 1, 6, 1, 1 },
    };
    struct sock_filter code[SECCOMP_MAX_CODE];
    for (size_t i = 0; i < COUNT(bad); i++)
        CHECK_INT(seccomp_compile(&bad[i], 1, code), -EINVAL);
    CHECK_INT(seccomp_compile(list, 0, code), -EINVAL);
    CHECK_INT(seccomp_compile(list, SECCOMP_MAX_RULES + 1, code), -EINVAL);

    struct err e;
    CHECK_INT(seccomp_seal(bad, 1, &e), -EINVAL);
    CHECK_INT(prctl(PR_GET_SECCOMP, 0, 0, 0, 0), 0);
}

TEST(the_longest_list_fits)
{
    struct syscall_rule longest[SECCOMP_MAX_RULES];
    struct sock_filter code[SECCOMP_MAX_CODE];
    for (int i = 0; i < SECCOMP_MAX_RULES; i++)
        longest[i] = (struct syscall_rule){
            i, "", 0, ~(uint64_t)1 << 1 ^ BIT(20), 4,
            5, 0x7fffffff7fffffff, 9 };
    int len = seccomp_compile(longest, COUNT(longest), code);
    CHECK(len > 0 && len <= SECCOMP_MAX_CODE);
}

static const struct syscall_rule small[] = {
    { SYS_write,      "report", 0, LOW, 1 },
    { SYS_exit_group, "end" },
#ifdef GB_SANITIZED
    { SYS_sigaltstack, "what AddressSanitizer does before _exit()" },
#endif
};

/* The wait status of a child that seals itself and makes one call. */
static int sealed(long (*call)(void))
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        if (seccomp_seal(small, COUNT(small), NULL) < 0)
            _exit(99);
        _exit((int)call());
    }
    int status;
    CHECK(waitpid(pid, &status, 0) == pid);
    return status;
}

static long call_write_1(void)  { return write(1, "", 0); }
static long call_write_2(void)  { return write(2, "", 0); }
static long call_getpid(void)   { return syscall(SYS_getpid) * 0; }
static long call_unknown(void)  { return syscall(1000) * 0; }
static long call_junk_above(void)
{
    /* The kernel looks at 32 bits of a descriptor, and so must we. */
    return syscall(SYS_write, 0xdead00000001, "", 0);
}

TEST(the_kernel_lets_listed_calls_through)
{
    CHECK_INT(sealed(call_write_1), 0);
    CHECK_INT(sealed(call_junk_above), 0);
}

TEST(the_kernel_kills_at_all_others)
{
    static long (*const bad[])(void) = { call_write_2, call_getpid,
                                         call_unknown };
    for (size_t i = 0; i < COUNT(bad); i++) {
        int status = sealed(bad[i]);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
    }
}

TEST(sealing_sets_no_new_privs)
{
    static const struct syscall_rule with_prctl[] = {
        { SYS_prctl, "ask" }, { SYS_exit_group, "end" },
#ifdef GB_SANITIZED
        { SYS_sigaltstack, "what AddressSanitizer does before _exit()" },
#endif
    };
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        int r = seccomp_seal(with_prctl, COUNT(with_prctl), NULL);
        _exit(r == 0 ? prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) : 99);
    }
    int status;
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}
