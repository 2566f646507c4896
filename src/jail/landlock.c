/*
 * jail/landlock.c -- no file at all, by a second mechanism.
 *
 * The empty root takes the names away; Landlock takes the right away, and also
 * guards a descriptor to a directory that slipped in, TCP ports (ABI 4) and
 * abstract sockets and signals that cross its border (ABI 6). The headers of
 * older systems know none of this, so the numbers are written out.
 *
 * One rule is needed: exec of the program itself happens after the domain is
 * in force. It grants reading and running that one file, which has no name
 * inside.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/inside.h"
#include <errno.h>
#include <sys/syscall.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule       445
#define SYS_landlock_restrict_self  446
#endif

enum {
    ABI_ONLY     = 1,     /* LANDLOCK_CREATE_RULESET_VERSION */
    PATH_BENEATH = 1,     /* LANDLOCK_RULE_PATH_BENEATH */
    RIGHT_EXECUTE   = BIT(0),
    RIGHT_READ_FILE = BIT(2),
};

struct rights {
    uint64_t fs;
    uint64_t net;
    uint64_t scoped;
};

/* All that each ABI knows. Newer kernels answer to the last row. */
static const struct rights by_abi[] = {
    [1] = { 0x1fff, 0, 0 },
    [2] = { 0x3fff, 0, 0 },    /* refer */
    [3] = { 0x7fff, 0, 0 },    /* truncate */
    [4] = { 0x7fff, 3, 0 },    /* bind and connect of TCP */
    [5] = { 0xffff, 3, 0 },    /* ioctl on devices */
    [6] = { 0xffff, 3, 3 },    /* abstract sockets, signals */
};

struct path_rule {
    uint64_t allowed;
    int32_t  fd;
} __attribute__((packed));

int landlock_abi(void)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, ABI_ONLY);
    return abi < 0 ? -errno : (int)abi;
}

static int allow_exec(int ruleset, int exec_fd)
{
    struct path_rule rule = { RIGHT_EXECUTE | RIGHT_READ_FILE, exec_fd };
    if (syscall(SYS_landlock_add_rule, ruleset, PATH_BENEATH, &rule, 0) == 0)
        return 0;
    /* A memfd lies outside of all Landlock rules and needs none. */
    return errno == EBADFD ? 0 : -errno;
}

int landlock_deny_all(int exec_fd)
{
    int abi = landlock_abi();
    if (abi < 1)
        return abi < 0 ? abi : -EOPNOTSUPP;
    if ((size_t)abi >= COUNT(by_abi))
        abi = (int)COUNT(by_abi) - 1;

    AUTO_FD ruleset = (int)syscall(SYS_landlock_create_ruleset, &by_abi[abi],
                                   sizeof by_abi[abi], 0);
    if (ruleset < 0)
        return -errno;
    int r = exec_fd < 0 ? 0 : allow_exec(ruleset, exec_fd);
    if (r < 0)
        return r;
    return syscall(SYS_landlock_restrict_self, ruleset, 0) < 0 ? -errno : 0;
}

int step_landlock(struct inside *in)
{
    return landlock_deny_all(in->exec_fd);
}
