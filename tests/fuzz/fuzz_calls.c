/*
 * tests/fuzz/fuzz_calls.c -- any system call, with any arguments.
 *
 * Property: the compiled filter gives the answer that the table gives.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "jail/calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef __x86_64__
#define OUR_ARCH AUDIT_ARCH_X86_64
#else
#define OUR_ARCH AUDIT_ARCH_AARCH64
#endif

enum { FLAG_SETS = CALLS_ALL + 1 };

static void require(int holds) { if (!holds) abort(); }

static uint32_t interpret(const struct sock_filter *code, int len,
                          const struct seccomp_data *d)
{
    uint32_t a = 0;
    for (int64_t pc = 0; pc < len; pc++) {
        const struct sock_filter *i = &code[pc];
        switch (i->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            require(i->k % 4 == 0 && i->k < sizeof *d);
            memcpy(&a, (const char *)d + i->k, 4);
            break;
        case BPF_ALU | BPF_AND | BPF_K: a &= i->k; break;
        case BPF_JMP | BPF_JA:          pc += i->k; break;
        case BPF_JMP | BPF_JEQ | BPF_K: pc += a == i->k ? i->jt : i->jf; break;
        case BPF_JMP | BPF_JGE | BPF_K: pc += a >= i->k ? i->jt : i->jf; break;
        case BPF_RET | BPF_K: return i->k;
        default: abort();
        }
    }
    abort();
}

/* Answers that a filter with these flags may give. */
static int agrees(unsigned flags, enum call_answer answer, uint32_t got)
{
    int alone = (flags & CALLS_NO_NOTIFIER) != 0;
    switch (answer) {
    case CALL_ALLOW:  return got == SECCOMP_RET_ALLOW;
    case CALL_ABSENT: return got == (SECCOMP_RET_ERRNO | ENOSYS);
    case CALL_DENY:   return got == (alone ? SECCOMP_RET_ERRNO | EPERM
                                           : SECCOMP_RET_USER_NOTIF);
    case CALL_KILL:   return got == SECCOMP_RET_KILL_PROCESS ||
                             (!alone && got == SECCOMP_RET_USER_NOTIF);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sock_filter code[FLAG_SETS][CALLS_MAX_CODE];
    static int len[FLAG_SETS];
    struct { uint8_t flags, foreign; uint16_t small; uint32_t arch, nr;
             uint64_t args[6]; } in = { 0 };

    for (unsigned f = 0; f < FLAG_SETS && !len[f]; f++) {
        len[f] = calls_compile(f, code[f]);
        require(len[f] > 0 && len[f] <= CALLS_MAX_CODE);
    }
    memcpy(&in, data, size < sizeof in ? size : sizeof in);
    unsigned flags = in.flags % FLAG_SETS;
    struct seccomp_data d = {
        .nr = in.foreign & 1 ? (int)in.nr : in.small % 600,
        .arch = in.foreign & 2 ? in.arch : OUR_ARCH,
    };
    memcpy(d.args, in.args, sizeof in.args);

    uint32_t got = interpret(code[flags], len[flags], &d);
    require(agrees(flags, calls_judge(flags, d.arch, d.nr, in.args), got));
    require(d.arch == OUR_ARCH || got == SECCOMP_RET_KILL_PROCESS);
    return 0;
}
