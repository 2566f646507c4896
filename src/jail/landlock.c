/*
 * jail/landlock.c -- no file at all, by a second mechanism.
 *
 * The empty root takes the names away; Landlock takes the right away, and also
 * guards a descriptor to a directory that slipped in, TCP ports (ABI 4) and
 * abstract sockets and signals that cross its border (ABI 6). seal.c knows the
 * calls; a fork of a zygote lists paths there.
 *
 * One rule is needed: exec of the program itself happens after the domain is
 * in force. It grants reading and running that one file, which has no name
 * inside.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/inside.h"
#include <errno.h>

enum { EXECUTE_AND_READ = BIT(0) | BIT(2) };

int landlock_deny_all(int exec_fd)
{
    struct landlock_rights all;
    int r = landlock_all(&all);
    if (r < 0)
        return r;
    AUTO_FD ruleset = landlock_ruleset(&all);
    if (ruleset < 0)
        return ruleset;
    if (exec_fd >= 0) {
        r = landlock_allow(ruleset, exec_fd, EXECUTE_AND_READ);
        /* A memfd lies outside of all Landlock rules and needs none. */
        if (r < 0 && r != -EBADFD)
            return r;
    }
    return landlock_enforce(ruleset);
}

int step_landlock(struct inside *in)
{
    return landlock_deny_all(in->exec_fd);
}
