/*
 * jail/ids.c -- who the jailed process is: nobody, with no rights.
 *
 * The ids are set by raw system calls: libc's setresuid() would try to tell
 * the supervisor's other threads, which the child does not have.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifndef SECBIT_NO_CAP_AMBIENT_RAISE
#define SECBIT_NO_CAP_AMBIENT_RAISE        BIT(6)
#define SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED BIT(7)
#endif

/* uid 0 means nothing any more, and no change of uid touches capabilities. */
#define BITS_LOCKED                                                           \
    (SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |          \
     SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |                \
     SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

enum { CAPABILITIES_MAX = 64 };    /* the kernel says EINVAL past its last */

static int write_file(const char *path, const char *text, size_t n)
{
    AUTO_FD fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    return write(fd, text, n) < 0 ? -errno : 0;
}

static char *put_number(char *at, uint32_t v)
{
    char digits[10];
    int n = 0;
    do
        digits[n++] = (char)('0' + v % 10);
    while (v /= 10);
    while (n)
        *at++ = digits[--n];
    return at;
}

/* "inside outside 1": one id, and nobody else exists. */
static int write_map(const char *path, uint32_t inside, uint32_t outside)
{
    char line[32], *at = put_number(line, inside);
    *at++ = ' ';
    at = put_number(at, outside);
    *at++ = ' ';
    *at++ = '1';
    return write_file(path, line, (size_t)(at - line));
}

/*
 * Inside id 0 is for control runs only: it keeps its capabilities at exec.
 * A supervisor that made itself non-dumpable owns no file of its own /proc
 * directory, so the child is dumpable for these three writes.
 */
int step_map(struct inside *in)
{
    uint32_t id = in->plan & WALL_UID ? JAIL_ID_BASE : 0;

    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
        return -errno;
    int r = write_file("/proc/self/setgroups", "deny", 4);
    if (r == 0)
        r = write_map("/proc/self/gid_map", id, in->caller_gid);
    if (r == 0)
        r = write_map("/proc/self/uid_map", id, in->caller_uid);
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 && r == 0)
        r = -errno;
    return r;
}

/* Needs CAP_SETPCAP: root has it, and the maker of a user namespace. */
static int lock_capabilities(void)
{
    for (unsigned long cap = 0; cap < CAPABILITIES_MAX; cap++) {
        if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
            continue;
        if (errno == EINVAL && cap > 0)
            break;
        return -errno;
    }
    return prctl(PR_SET_SECUREBITS, BITS_LOCKED, 0, 0, 0) < 0 ? -errno : 0;
}

int ids_drop_capabilities(void)
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

static int become(uint32_t id)
{
    if (syscall(SYS_setgroups, 0, NULL) < 0 ||
        syscall(SYS_setresgid, id, id, id) < 0 ||
        syscall(SYS_setresuid, id, id, id) < 0)
        return -errno;
    return 0;
}

int ids_become(pid_t outer_pid)
{
    uint32_t pid = (uint32_t)outer_pid;
    int r = become(JAIL_ID_BASE + pid);
    if (r == -EINVAL)    /* not mapped in this user namespace */
        r = become(JAIL_ID_SMALL_BASE + (pid & JAIL_ID_SMALL_MASK));
    return r;
}

int step_ids(struct inside *in)
{
    int locked = lock_capabilities();

    if (in->caller_uid == 0) {
        int r = locked < 0 ? locked : ids_become(in->outer_pid);
        if (r < 0)
            return r;
    }
    /* A plain user cannot lock anything, and has nothing to lock: with
     * no_new_privs no exec gives it a capability. */
    int r = ids_drop_capabilities();
    if (r < 0)
        return r;
    if (geteuid() == 0 || getuid() == 0)
        return -EPERM;
    return 0;
}
