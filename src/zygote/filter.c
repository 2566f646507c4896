/*
 * zygote/filter.c -- the system calls of a run (jail/calls.h), installed.
 *
 * There are few variants of the filter. Each is compiled in the zygote when a
 * run first needs it, so that a fork only hands it to the kernel.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/calls.h"
#include "zygote/inside.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

enum { VARIANTS = CALLS_ALL };

static struct filter {
    struct sock_filter code[CALLS_MAX_CODE];
    int                n;        /* 0: not compiled yet */
} filters[VARIANTS + 1];

static unsigned no_notifier;     /* CALLS_NO_NOTIFIER where there is none */

static unsigned variant(const struct zygote_fork *f)
{
    unsigned flags = no_notifier;
    if (f->flags & FORK_NO_CHILDREN)
        flags |= CALLS_NO_CHILDREN;
    if (!(f->flags & FORK_COUNTED))
        flags |= CALLS_NO_SHARED;
    if (f->flags & FORK_NO_UNIX)
        flags |= CALLS_NO_UNIX;
    return flags;
}

static int compile(unsigned flags)
{
    struct filter *f = &filters[flags];
    if (f->n == 0)
        f->n = calls_compile(flags, f->code);
    return f->n > 0 ? 0 : -ENOTSUP;
}

int filter_prepare(const struct zygote_fork *f)
{
    struct seccomp_notif_sizes sizes;
    if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) < 0)
        no_notifier = CALLS_NO_NOTIFIER;
    return compile(variant(f));
}

/* A listener's descriptor, or 0 without one. */
static int install(unsigned flags, unsigned long how)
{
    struct filter *f = &filters[flags];
    struct sock_fprog program = { (unsigned short)f->n, f->code };
    long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, how, &program);
    return fd < 0 ? -errno : (int)fd;
}

static int install_silent(unsigned flags)
{
    flags |= CALLS_NO_NOTIFIER;
    int r = compile(flags);
    return r < 0 ? r : install(flags, 0);
}

/*
 * The supervisor listens: a denied call waits for its answer, once received
 * without being disturbed by signals (kernels since 5.19). A process can have
 * one listener only: where the whole of us runs under a filter that has one,
 * denials go unreported but are denials all the same.
 */
int filter_install(struct seal *s)
{
    unsigned flags = variant(s->f);
    if (flags & CALLS_NO_NOTIFIER)
        return install_silent(flags);
    int fd = install(flags, SECCOMP_FILTER_FLAG_NEW_LISTENER |
                            SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
    if (fd == -EINVAL)
        fd = install(flags, SECCOMP_FILTER_FLAG_NEW_LISTENER);
    if (fd == -EBUSY || fd == -EINVAL)
        return install_silent(flags);
    if (fd < 0)
        return fd;
    s->listener = fd;
    return 0;
}
