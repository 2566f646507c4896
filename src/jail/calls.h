/*
 * jail/calls.h -- the system calls of node and python, and their filter.
 *
 * A table gives every call one of the answers below; the rest of the kernel is
 * ENOSYS, on which libc falls back. What is merely denied goes to the
 * supervisor, which writes it down by name and says EPERM; what no program of
 * these runtimes ever needs ends the run there.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/base.h"
#include "base/err.h"
#include <stddef.h>
#include <stdint.h>

struct sock_filter;
enum { CALLS_MAX_CODE = 2048 };

enum call_answer {
    CALL_ALLOW,
    CALL_ABSENT,     /* ENOSYS, silently: io_uring, clone3 */
    CALL_DENY,       /* EPERM, and a line in `denials` */
    CALL_KILL,       /* the run ends as syscall_denied */
};

enum calls_flags {
    CALLS_NO_CHILDREN = BIT(0),    /* threads only: no fork, no exec */
    CALLS_NO_SHARED   = BIT(1),    /* no shared anonymous memory, no memfd: they
                                      escape RLIMIT_DATA; unless a cgroup counts */
    CALLS_NO_NOTIFIER = BIT(2),    /* CALL_DENY is a plain EPERM and CALL_KILL
                                      kills: nobody listens */
    CALLS_NO_UNIX     = BIT(3),    /* no unix sockets but pairs: a folder of the
                                      host may hold one, and neither a read-only
                                      mount nor Landlock stops a connect() */
    CALLS_ALL         = BIT(4) - 1,
};

/* Writes at most CALLS_MAX_CODE instructions and returns how many. Built once,
 * when the zygote starts; never for a run. */
int calls_compile(unsigned flags, struct sock_filter *out);

/* What the table says of a call, arguments and all; the filter's specification,
 * and what it is fuzzed against. arch as in seccomp_data. */
enum call_answer calls_judge(unsigned flags, uint32_t arch, int nr,
                             const uint64_t args[6]);
/* "ptrace"; NULL if the table does not know it. */
const char *call_name(int nr);

/* The zygote's own, installed before it is run: MADV_DONTFORK succeeds without
 * effect (or V8's memory would be missing from forks), io_uring is absent. */
int calls_zygote_filter(struct sock_filter *out, size_t room);
