/*
 * jail/calls.c -- from the table of system calls to an answer, and to a filter.
 *
 *       load arch;  not ours: kill
 *       load nr;    x32 bit set: kill                    (x86-64 only)
 *       a binary search over ranges of numbers that have the same answer:
 *         jge middle ──▶ right half
 *         left half
 *       leaf: return, or the rows of one call with conditions, in order
 *
 * The kernel runs this for every call, unless it can tell from the number alone
 * that it is allowed; eight comparisons are the longest way to a leaf.
 *
 * calls_judge() reads the same table without any of this: tests compare the two.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/calls.h"
#include "jail/calls_table.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#define X32_BIT  0x40000000u
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#else
#error "tell calls.c about this architecture"
#endif

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the low half of an argument comes first");

enum { JUMP_MOST = 255, DONTFORK = 10 };

#define LOAD(field) \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define JUMP_IF(test, k, yes, no) \
    BPF_JUMP(BPF_JMP | (test) | BPF_K, (k), (yes), (no))

/* ---- the table, read plainly ------------------------------------------------ */

static int counts(const struct call_row *row, unsigned flags)
{
    return (row->only & ~flags) == 0;
}

static int has_conditions(const struct call_row *row)
{
    return row->when[0].mask != 0;
}

static int holds(const struct call_row *row, const uint64_t args[6])
{
    for (int i = 0; i < CALL_CONDITIONS && row->when[i].mask; i++) {
        const struct call_if *c = &row->when[i];
        if (((uint32_t)args[c->arg] & c->mask) != c->want)
            return 0;
    }
    return 1;
}

enum call_answer calls_judge(unsigned flags, uint32_t arch, int nr,
                             const uint64_t args[6])
{
    if (arch != OUR_ARCH)
        return CALL_KILL;
#ifdef X32_BIT
    if ((uint32_t)nr >= X32_BIT)
        return CALL_KILL;
#endif
    for (size_t i = 0; i < call_rows_count; i++)
        if (call_rows[i].nr == nr && counts(&call_rows[i], flags) &&
            holds(&call_rows[i], args))
            return call_rows[i].answer;
    return CALL_ABSENT;
}

const char *call_name(int nr)
{
    for (size_t i = 0; i < call_rows_count; i++)
        if (call_rows[i].nr == nr)
            return call_rows[i].name;
    return NULL;
}

/* ---- the filter --------------------------------------------------------------- */

struct range {
    int      from;
    int      row;        /* first row of a call with conditions, or -1: */
    uint32_t verdict;    /* the same for every number of the range */
};

struct code {
    struct sock_filter *at;     /* NULL: only count */
    int                 n;
    unsigned            flags;
    struct range       *range;
    int                 ranges;
};

static uint32_t verdict_of(enum call_answer answer, unsigned flags)
{
    int alone = (flags & CALLS_NO_NOTIFIER) != 0;
    switch (answer) {
    case CALL_ALLOW:  return SECCOMP_RET_ALLOW;
    case CALL_ABSENT: return SECCOMP_RET_ERRNO | ENOSYS;
    case CALL_DENY:   return alone ? SECCOMP_RET_ERRNO | EPERM
                                   : SECCOMP_RET_USER_NOTIF;
    case CALL_KILL:   return alone ? SECCOMP_RET_KILL_PROCESS
                                   : SECCOMP_RET_USER_NOTIF;
    }
    return SECCOMP_RET_KILL_PROCESS;
}

static void emit(struct code *c, struct sock_filter instruction)
{
    if (c->at && c->n < CALLS_MAX_CODE)
        c->at[c->n] = instruction;
    c->n++;
}

/* The first row that counts decides whether a number needs code of its own. */
static struct range range_of(int nr, unsigned flags)
{
    for (size_t i = 0; i < call_rows_count; i++) {
        if (call_rows[i].nr != nr || !counts(&call_rows[i], flags))
            continue;
        if (has_conditions(&call_rows[i]))
            return (struct range){ nr, (int)i, 0 };
        return (struct range){ nr, -1, verdict_of(call_rows[i].answer, flags) };
    }
    return (struct range){ nr, -1, verdict_of(CALL_ABSENT, flags) };
}

static void find_ranges(struct code *c)
{
    c->ranges = 0;
    for (int nr = 0; nr <= CALLS_NUMBERS; nr++) {    /* one past: all the rest */
        struct range r = range_of(nr, c->flags);
        struct range *last = c->ranges ? &c->range[c->ranges - 1] : NULL;
        if (!last || r.row >= 0 || last->row >= 0 ||
            last->verdict != r.verdict)
            c->range[c->ranges++] = r;
    }
}

/* A mismatch goes on behind the row's return. What is loaded is left to the
 * next row where that looks at the same: long lists of values are cheap. */
static void emit_row(struct code *c, const struct call_row *row,
                     struct call_if *loaded)
{
    int start = c->n;
    for (int i = 0; i < CALL_CONDITIONS && row->when[i].mask; i++) {
        const struct call_if *w = &row->when[i];
        if (w->arg != loaded->arg || w->mask != loaded->mask) {
            uint32_t at = (uint32_t)offsetof(struct seccomp_data, args) +
                          8 * w->arg;
            emit(c, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at));
            if (w->mask != UINT32_MAX)
                emit(c, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K,
                                                     w->mask));
        }
        emit(c, (struct sock_filter)JUMP_IF(BPF_JEQ, w->want, 0, 0));
        *loaded = *w;
    }
    if (has_conditions(row) && row->when[1].mask)
        *loaded = (struct call_if){ .mask = 0 };    /* which of them failed? */
    emit(c, (struct sock_filter)RETURN(verdict_of(row->answer, c->flags)));

    for (int i = start; c->at && i < c->n && i < CALLS_MAX_CODE; i++)
        if (BPF_CLASS(c->at[i].code) == BPF_JMP)
            c->at[i].jf = (uint8_t)(c->n - i - 1);
}

static void emit_leaf(struct code *c, const struct range *r)
{
    struct call_if loaded = { .mask = 0 };
    if (r->row < 0) {
        emit(c, (struct sock_filter)RETURN(r->verdict));
        return;
    }
    for (size_t i = (size_t)r->row; i < call_rows_count; i++) {
        const struct call_row *row = &call_rows[i];
        if (row->nr != r->from || !counts(row, c->flags))
            continue;
        emit_row(c, row, &loaded);
        if (!has_conditions(row))
            return;
    }
    emit(c, (struct sock_filter)RETURN(verdict_of(CALL_ABSENT, c->flags)));
}

static void emit_search(struct code *c, int first, int last);

static int length_of(const struct code *c, int first, int last)
{
    struct code count = *c;
    count.at = NULL;
    count.n = 0;
    emit_search(&count, first, last);
    return count.n;
}

/* Where the left half is longer than a jump reaches, one more instruction
 * jumps over it. */
static void emit_search(struct code *c, int first, int last)
{
    if (first == last) {
        emit_leaf(c, &c->range[first]);
        return;
    }
    int middle = first + (last - first + 1) / 2;
    int left = length_of(c, first, middle - 1);
    uint32_t from = (uint32_t)c->range[middle].from;

    if (left <= JUMP_MOST) {
        emit(c, (struct sock_filter)JUMP_IF(BPF_JGE, from, (uint8_t)left, 0));
    } else {
        emit(c, (struct sock_filter)JUMP_IF(BPF_JGE, from, 0, 1));
        emit(c, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, (uint32_t)left));
    }
    emit_search(c, first, middle - 1);
    emit_search(c, middle, last);
}

static void emit_arch(struct code *c)
{
    emit(c, (struct sock_filter)LOAD(arch));
    emit(c, (struct sock_filter)JUMP_IF(BPF_JEQ, OUR_ARCH, 1, 0));
    emit(c, (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS));
    emit(c, (struct sock_filter)LOAD(nr));
#ifdef X32_BIT
    emit(c, (struct sock_filter)JUMP_IF(BPF_JGE, X32_BIT, 0, 1));
    emit(c, (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS));
#endif
}

int calls_compile(unsigned flags, struct sock_filter *out)
{
    for (size_t i = 0; i < call_rows_count; i++)
        if (call_rows[i].nr < 0 || call_rows[i].nr >= CALLS_NUMBERS)
            return -EINVAL;
    struct range range[CALLS_NUMBERS + 1];
    struct code c = { .at = out, .flags = flags, .range = range };
    find_ranges(&c);
    emit_arch(&c);
    emit_search(&c, 0, c.ranges - 1);
    return c.n <= CALLS_MAX_CODE ? c.n : -E2BIG;
}

int calls_zygote_filter(struct sock_filter *out, size_t room)
{
    const struct sock_filter code[] = {
        LOAD(arch),
        JUMP_IF(BPF_JEQ, OUR_ARCH, 1, 0),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        JUMP_IF(BPF_JEQ, SYS_io_uring_setup, 0, 1),
        RETURN(SECCOMP_RET_ERRNO | ENOSYS),
        JUMP_IF(BPF_JEQ, SYS_madvise, 0, 3),
        LOAD(args[2]),
        JUMP_IF(BPF_JEQ, DONTFORK, 0, 1),
        RETURN(SECCOMP_RET_ERRNO | 0),
        RETURN(SECCOMP_RET_ALLOW),
    };
    if (room < COUNT(code))
        return -ENOSPC;
    for (size_t i = 0; i < COUNT(code); i++)
        out[i] = code[i];
    return (int)COUNT(code);
}
