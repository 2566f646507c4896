/*
 * jail/seccomp.h -- a list of system calls becomes a kernel filter.
 *
 * Lists are tables of rows, compiled to BPF when needed: the js worker's has
 * some fifteen rows, and building it takes microseconds.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/err.h"
#include <stddef.h>
#include <stdint.h>

/*
 * One allowed call. A row with a mask allows it only if
 * (argument[arg] & mask) == want, and with a second mask only if that holds of
 * the second argument too; several rows of one call are alternatives.
 *
 * The kernel reads an int argument from the low half of its register and
 * ignores the rest: compare descriptors and flags with a 32-bit mask.
 */
struct syscall_rule {
    int         nr;
    const char *why;
    int         arg;      /* 0..5; ignored when mask is 0 */
    uint64_t    mask;
    uint64_t    want;
    int         arg2;     /* the same again; mask2 needs a mask */
    uint64_t    mask2;
    uint64_t    want2;
};

/* Longest list, and what it may become. */
enum { SECCOMP_MAX_RULES = 64, SECCOMP_MAX_CODE = 1024 };

struct sock_filter;

/*
 * Translate a list: writes at most SECCOMP_MAX_CODE instructions and returns
 * how many, or a negative errno for a list that makes no sense (an argument
 * past 5, a wanted bit outside of its mask, no row at all).
 */
int seccomp_compile(const struct syscall_rule *rules, size_t n,
                    struct sock_filter *out);

/*
 * From now on this thread and what it forks may make only these calls; any
 * other kills the process. A call of another architecture kills too. Sets
 * no_new_privs first. Returns 0 or a negative errno.
 */
int seccomp_seal(const struct syscall_rule *rules, size_t n, struct err *e);
