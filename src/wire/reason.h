/*
 * wire/reason.h -- every way a run can end. The list is closed, and the same
 * on every surface. Numbers are forever.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

/* X(NAME, number, "text", exit code of `glovebox run`; -1: the guest's own) */
#define REASONS(X)                                         \
    X(COMPLETED,         1, "completed",           0)      \
    X(EXCEPTION,         2, "exception",           1)      \
    X(NONZERO_EXIT,      3, "nonzero_exit",       -1)      \
    X(SYNTAX_ERROR,      4, "syntax_error",        1)      \
    X(WALL_TIME_LIMIT,   5, "wall_time_limit",   124)      \
    X(CPU_TIME_LIMIT,    6, "cpu_time_limit",    124)      \
    X(MEMORY_LIMIT,      7, "memory_limit",      137)      \
    X(STACK_OVERFLOW,    8, "stack_overflow",      1)      \
    X(OUTPUT_LIMIT,      9, "output_limit",        1)      \
    X(PROCESS_LIMIT,    10, "process_limit",       1)      \
    X(DISK_LIMIT,       11, "disk_limit",          1)      \
    X(CALL_LIMIT,       12, "call_limit",          1)      \
    X(RESULT_TOO_LARGE, 13, "result_too_large",    1)      \
    X(SYSCALL_DENIED,   14, "syscall_denied",    126)      \
    X(POLICY_DENIED,    15, "policy_denied",     126)      \
    X(NEVER_SETTLED,    16, "never_settled",       1)      \
    X(CANCELLED,        17, "cancelled",         130)      \
    X(APPROVAL_PENDING, 18, "approval_pending",    1)      \
    X(APPROVAL_REJECTED,19, "approval_rejected", 126)      \
    X(CRASHED,          20, "crashed",             1)      \
    X(LOST,             21, "lost",              125)      \
    X(INTERNAL,         22, "internal",          125)

enum reason {
#define X(NAME, number, text, code) REASON_##NAME = number,
    REASONS(X)
#undef X
    REASON_END
};

const char *reason_text(enum reason r);      /* "internal" for what is unknown */
int         reason_exit_code(enum reason r);
