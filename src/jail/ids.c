/*
 * jail/ids.c -- who the jailed process is: nobody, with no rights.
 *
 * The ids are set by raw system calls: libc's setresuid() would try to tell
 * the supervisor's other threads, which the child does not have.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/inside.h"
#include "jail/seal.h"
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

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
    return seal_write(path, (struct str){ line, (size_t)(at - line) });
}

/* The id inside that belongs to a caller. A zygote is 0, whose capabilities
 * stay through exec; in the empty jail that is for control runs only. */
static uint32_t inner_id(const struct inside *in)
{
    return in->spec->rooms || !(in->plan & WALL_UID) ? 0 : JAIL_ID_BASE;
}

/* Of ourselves. A supervisor that made itself non-dumpable owns no file of its
 * own /proc directory, so the child is dumpable for these three writes. */
static int map_caller(const struct inside *in)
{
    uint32_t id = inner_id(in);

    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
        return -errno;
    int r = seal_write("/proc/self/setgroups", STR("deny"));
    if (r == 0)
        r = write_map("/proc/self/gid_map", id, in->caller_gid);
    if (r == 0)
        r = write_map("/proc/self/uid_map", id, in->caller_uid);
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 && r == 0)
        r = -errno;
    return r;
}

/* "/proc/123/uid_map" */
static int map_other(pid_t pid, const char *file, uint32_t inside,
                     uint32_t outside)
{
    char path[40] = "/proc/";
    char *at = put_number(path + 6, (uint32_t)pid);
    memcpy(at, file, strlen(file) + 1);
    return write_map(path, inside, outside);
}

int ids_map_child(pid_t pid, unsigned plan)
{
    uint32_t n = (uint32_t)pid;
    const uint32_t ids[] = {
        JAIL_ID_BASE + n, JAIL_ID_SMALL_BASE + (n & JAIL_ID_SMALL_MASK),
    };
    if (!(plan & WALL_UID)) {    /* control runs */
        int r = map_other(pid, "/gid_map", 0, 0);
        return r < 0 ? r : map_other(pid, "/uid_map", 0, 0);
    }
    int r = -EPERM;
    for (size_t i = 0; i < COUNT(ids) && r < 0; i++) {
        r = map_other(pid, "/gid_map", 0, ids[i]);
        if (r == 0)
            return map_other(pid, "/uid_map", 0, ids[i]);
    }
    return r;    /* neither is mapped in this user namespace */
}

static int become(uint32_t id)
{
    if (syscall(SYS_setgroups, 0, NULL) < 0 ||
        syscall(SYS_setresgid, id, id, id) < 0 ||
        syscall(SYS_setresuid, id, id, id) < 0)
        return -errno;
    return 0;
}

int step_map(struct inside *in)
{
    /* Mapped from outside (ids_map_child()): take the one id there is. */
    if (in->spec->rooms && in->caller_uid == 0)
        return become(0);
    return map_caller(in);
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
    /* A zygote's id is that of its map, and its rights end at its border. */
    if (in->spec->rooms && (in->plan & WALL_USERNS))
        return 0;
    int locked = capabilities_lock();

    if (in->caller_uid == 0) {
        int r = locked < 0 ? locked : ids_become(in->outer_pid);
        if (r < 0)
            return r;
    }
    /* A plain user cannot lock anything, and has nothing to lock: with
     * no_new_privs no exec gives it a capability. */
    int r = capabilities_drop();
    if (r < 0)
        return r;
    if (geteuid() == 0 || getuid() == 0)
        return -EPERM;
    return 0;
}
