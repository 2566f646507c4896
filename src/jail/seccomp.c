/*
 * jail/seccomp.c -- from a table of allowed calls to a BPF program.
 *
 *       load arch;  not ours: kill
 *       load nr;    x32 bit set: kill               (x86-64 only)
 *   row load nr;    not this row's: next row
 *       load low half of argument, mask, not as wanted: next row
 *       load high half ...                          (where the mask has bits)
 *       allow
 *   end kill
 *
 * The architecture comes first: numbers mean nothing without it, and int 0x80
 * in a 64-bit process makes a call of the 32-bit architecture. x32 calls carry
 * the 64-bit architecture and a bit in the number, and some of them read their
 * arguments differently: they die whatever the list says.
 *
 * Rows are tried in order, so a list starts with its most frequent calls.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/seccomp.h"
#include "base/base.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#define X32_BIT  0x40000000u
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#else
#error "tell seccomp.c about this architecture"
#endif

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the low half of an argument comes first");

enum { ARGUMENTS = 6, HALVES = 2, ROW_MAX_CODE = 15 };
_Static_assert(SECCOMP_MAX_RULES * ROW_MAX_CODE + 8 <= SECCOMP_MAX_CODE,
               "the longest list fits");

#define LOAD(field) \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, (what))

struct code {
    struct sock_filter *at;
    int n;
};

static void emit(struct code *c, struct sock_filter instruction)
{
    c->at[c->n++] = instruction;
}

/* One half of one condition; a mismatch goes to the next row, a distance that
 * end_row() fills in. */
static void half(struct code *c, int arg, int high, uint32_t mask,
                 uint32_t want)
{
    if (mask == 0)
        return;
    uint32_t at = (uint32_t)(offsetof(struct seccomp_data, args) +
                             8 * (size_t)arg + 4 * (size_t)high);
    emit(c, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at));
    if (mask != UINT32_MAX)
        emit(c, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
    emit(c, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                         want, 0, 0));
}

static void condition(struct code *c, int arg, uint64_t mask, uint64_t want)
{
    half(c, arg, 0, (uint32_t)mask, (uint32_t)want);
    half(c, arg, 1, (uint32_t)(mask >> 32), (uint32_t)(want >> 32));
}

static void row(struct code *c, const struct syscall_rule *r)
{
    int start = c->n;
    emit(c, (struct sock_filter)LOAD(nr));
    emit(c, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                         (uint32_t)r->nr, 0, 0));
    if (r->mask)
        condition(c, r->arg, r->mask, r->want);
    if (r->mask2)
        condition(c, r->arg2, r->mask2, r->want2);
    emit(c, (struct sock_filter)RETURN(SECCOMP_RET_ALLOW));

    for (int i = start; i < c->n; i++)
        if (BPF_CLASS(c->at[i].code) == BPF_JMP)
            c->at[i].jf = (uint8_t)(c->n - i - 1);
}

static int is_bad_condition(int arg, uint64_t mask, uint64_t want)
{
    return mask ? arg < 0 || arg >= ARGUMENTS || (want & ~mask) : want != 0;
}

static int is_bad(const struct syscall_rule *r)
{
    return r->nr < 0 || (r->mask2 && !r->mask) ||
           is_bad_condition(r->arg, r->mask, r->want) ||
           is_bad_condition(r->arg2, r->mask2, r->want2);
}

int seccomp_compile(const struct syscall_rule *rules, size_t n,
                    struct sock_filter *out)
{
    struct code c = { out, 0 };
    if (n == 0 || n > SECCOMP_MAX_RULES)
        return -EINVAL;

    emit(&c, (struct sock_filter)LOAD(arch));
    emit(&c, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                          OUR_ARCH, 1, 0));
    emit(&c, (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS));
#ifdef X32_BIT
    emit(&c, (struct sock_filter)LOAD(nr));
    emit(&c, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K,
                                          X32_BIT, 0, 1));
    emit(&c, (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS));
#endif
    for (size_t i = 0; i < n; i++) {
        if (is_bad(&rules[i]))
            return -EINVAL;
        row(&c, &rules[i]);
    }
    emit(&c, (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS));
    return c.n;
}

int seccomp_seal(const struct syscall_rule *rules, size_t n, struct err *e)
{
    struct sock_filter code[SECCOMP_MAX_CODE];
    int len = seccomp_compile(rules, n, code);
    if (len < 0)
        return err_set(e, len, "seccomp: the list of calls is malformed");

    struct sock_fprog prog = { .len = (unsigned short)len, .filter = code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return err_sys(e, "seccomp: no_new_privs");
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) < 0)
        return err_sys(e, "seccomp: install the filter");
    return 0;
}
