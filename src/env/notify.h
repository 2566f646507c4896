/*
 * env/notify.h -- system calls that a run's filter leaves to the supervisor.
 *
 * A call that comes here is never made: the answer is an error, or the end of
 * the run. Nothing of the guest's memory is read, so there is nothing to race.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/base.h"

enum { NOTIFY_MAX = 1000 };    /* of one run; more is an attack, or a loop */

/* Is this descriptor a seccomp notifier? */
int notify_is(int fd);

struct notify_call {
    int         nr;
    const char *name;     /* "ptrace"; NULL: the table does not know it */
    int         fatal;    /* the table says that nobody needs it */
};

/*
 * Take and answer one call; only after poll() said that there is one, so that
 * it cannot block. Returns 1 with what it was, 0 if it went away meanwhile, or
 * a negative errno when the notifier is of no use any more. A fatal call is
 * left unanswered: whoever asked is about to be killed.
 */
int notify_take(int fd, unsigned calls_flags, struct notify_call *out);
