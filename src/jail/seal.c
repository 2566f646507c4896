/*
 * jail/seal.c -- walls that a process puts up around itself.
 *
 * Linked into the library that a zygote loads as well as into the supervisor,
 * so it stands on nothing but the kernel. The headers of older systems know
 * nothing of Landlock: its numbers are written out.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/seal.h"
#include "jail/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule       445
#define SYS_landlock_restrict_self  446
#endif
#ifndef SECBIT_NO_CAP_AMBIENT_RAISE
#define SECBIT_NO_CAP_AMBIENT_RAISE        BIT(6)
#define SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED BIT(7)
#endif

enum {
    ABI_ONLY     = 1,     /* LANDLOCK_CREATE_RULESET_VERSION */
    PATH_BENEATH = 1,     /* LANDLOCK_RULE_PATH_BENEATH */
};

/* LANDLOCK_ACCESS_FS_*, as far as single ones matter here. */
enum {
    FS_EXECUTE    = BIT(0),
    FS_WRITE_FILE = BIT(1),
    FS_READ_FILE  = BIT(2),
    FS_READ_DIR   = BIT(3),
    FS_MAKE_CHAR  = BIT(6),
    FS_MAKE_BLOCK = BIT(11),
    FS_TRUNCATE   = BIT(14),
    FS_IOCTL_DEV  = BIT(15),
    FS_ALL        = 0xffff,
    /* The kernel refuses a rule that gives a file rights of a folder. */
    FS_OF_A_FILE  = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE |
                    FS_IOCTL_DEV,
    /* Devices are never made, and none inside needs an ioctl of its driver. */
    FS_WRITE      = FS_ALL & ~(FS_EXECUTE | FS_MAKE_CHAR | FS_MAKE_BLOCK |
                               FS_IOCTL_DEV),
};

/* All that each ABI knows. Newer kernels answer to the last row. */
static const struct landlock_rights by_abi[] = {
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

int landlock_all(struct landlock_rights *out)
{
    int abi = landlock_abi();
    if (abi < 1)
        return abi < 0 ? abi : -EOPNOTSUPP;
    *out = by_abi[(size_t)abi < COUNT(by_abi) ? (size_t)abi : COUNT(by_abi) - 1];
    return 0;
}

int landlock_ruleset(const struct landlock_rights *handled)
{
    long fd = syscall(SYS_landlock_create_ruleset, handled, sizeof *handled, 0);
    return fd < 0 ? -errno : (int)fd;
}

int landlock_allow(int ruleset, int fd, uint64_t rights)
{
    struct path_rule rule = { rights, fd };
    if (syscall(SYS_landlock_add_rule, ruleset, PATH_BENEATH, &rule, 0) < 0)
        return -errno;
    return 0;
}

int landlock_enforce(int ruleset)
{
    return syscall(SYS_landlock_restrict_self, ruleset, 0) < 0 ? -errno : 0;
}

static uint64_t rights_of(unsigned wanted)
{
    static const struct { unsigned right; uint64_t fs; } meaning[] = {
        { SEAL_READ,  FS_READ_FILE | FS_READ_DIR },
        { SEAL_WRITE, FS_WRITE                   },
        { SEAL_EXEC,  FS_EXECUTE                 },
        { SEAL_LIST,  FS_READ_DIR                },
    };
    uint64_t fs = 0;
    for (size_t i = 0; i < COUNT(meaning); i++)
        if (wanted & meaning[i].right)
            fs |= meaning[i].fs;
    return fs;
}

static int allow_path(int ruleset, const struct seal_path *p, uint64_t known)
{
    AUTO_FD fd = open(p->at, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
    struct stat st;
    if (fstat(fd, &st) < 0)
        return -errno;
    uint64_t fs = rights_of(p->rights) & known;
    if (!S_ISDIR(st.st_mode))
        fs &= FS_OF_A_FILE;
    return fs ? landlock_allow(ruleset, fd, fs) : 0;
}

int seal_landlock(const struct seal_path *path, size_t n)
{
    struct landlock_rights handled;
    int r = landlock_all(&handled);
    if (r == -ENOSYS)
        r = -EOPNOTSUPP;
    if (r < 0)
        return r;
    handled.net = 0;    /* a server on the run's own loopback is fine */

    AUTO_FD ruleset = landlock_ruleset(&handled);
    if (ruleset < 0)
        return ruleset;
    for (size_t i = 0; i < n; i++) {
        r = allow_path(ruleset, &path[i], handled.fs);
        if (r < 0)
            return r;
    }
    return landlock_enforce(ruleset);
}

/* uid 0 means nothing any more, and no change of uid touches capabilities. */
#define BITS_LOCKED                                                           \
    (SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |          \
     SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |                \
     SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

enum { CAPABILITIES_MAX = 64 };    /* the kernel says EINVAL past its last */

int capabilities_lock(void)
{
    for (unsigned long cap = 0; cap < CAPABILITIES_MAX; cap++) {
        if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
            continue;
        if (errno == EINVAL && cap > 0)
            break;
        return -errno;
    }
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
        return -errno;
    return prctl(PR_SET_SECUREBITS, BITS_LOCKED, 0, 0, 0) < 0 ? -errno : 0;
}

int capabilities_drop(void)
{
    struct __user_cap_header_struct head = {
        .version = _LINUX_CAPABILITY_VERSION_3,
    };
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
    struct __user_cap_data_struct left[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

    if (syscall(SYS_capset, &head, none) < 0 ||
        syscall(SYS_capget, &head, left) < 0)
        return -errno;
    return memcmp(left, none, sizeof none) == 0 ? 0 : -EPERM;
}

/* The bounding set decides what an exec of root could bring back. */
static int is_bounded(void)
{
    for (unsigned long cap = 0; cap < CAPABILITIES_MAX; cap++)
        if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) > 0)
            return 0;
    return prctl(PR_GET_SECUREBITS, 0, 0, 0, 0) == (int)BITS_LOCKED;
}

int seal_capabilities(void)
{
    int r = capabilities_lock();
    if (r == 0)
        r = capabilities_drop();
    if (r == 0 && !is_bounded())
        r = -EPERM;
    return r;
}

int seal_limit(int what, uint64_t most)
{
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)what, &now) < 0)
        return -errno;
    rlim_t v = most < now.rlim_max ? most : now.rlim_max;
    struct rlimit lim = { v, v };
    return setrlimit((__rlimit_resource_t)what, &lim) < 0 ? -errno : 0;
}

int seal_write(const char *path, struct str text)
{
    AUTO_FD fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    return write(fd, text.at, text.len) < 0 ? -errno : 0;
}
