/*
 * jail/root.c -- an empty, read-only root; and the way into any new root.
 *
 * A tmpfs is laid over "/", we step onto it, pivot_root() exchanges the two
 * and the old tree is thrown off: no mount of the host is left in the
 * namespace. The program needs no file, as it is run by descriptor and is
 * static. rooms.c puts things onto the tmpfs in between.
 *
 * The last step of the empty root, chroot() into a directory of that tmpfs, has
 * another purpose: the kernel gives no user namespace to a process whose root
 * is not the root of its mount namespace. So nothing inside can become "root"
 * of anything, seccomp or not.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define EMPTY_DIR "empty"

/* Bounds for the names and small texts of a root; all else is bound to it. */
static const struct { const char *key, *value; } bounds[] = {
    { "size",      "8m"   },
    { "nr_inodes", "8k"   },
    { "mode",      "0755" },
};

/* A tmpfs that is mounted nowhere yet: a descriptor, or a negative errno. */
static int new_tmpfs(void)
{
    AUTO_FD fs = fsopen("tmpfs", FSOPEN_CLOEXEC);
    if (fs < 0)
        return -errno;
    for (size_t i = 0; i < COUNT(bounds); i++)
        if (fsconfig(fs, FSCONFIG_SET_STRING, bounds[i].key, bounds[i].value,
                     0) < 0)
            return -errno;
    if (fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
        return -errno;
    int fd = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID |
                     MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    return fd < 0 ? -errno : fd;
}

int root_lay(void)
{
    /* Otherwise our mounts would show up outside. */
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return -errno;
    AUTO_FD fd = new_tmpfs();
    if (fd < 0)
        return fd;
    if (move_mount(fd, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) < 0 ||
        fchdir(fd) < 0)
        return -errno;
    return fd_take(&fd);
}

int root_enter(void)
{
    if (mount(NULL, ".", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID |
              MS_NODEV | MS_NOEXEC, NULL) < 0)
        return -errno;
    /* With the same path twice the old root ends up on top of the new one,
     * where "." finds it: no directory for it is needed. */
    if (syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0)
        return -errno;
    return 0;
}

int root_empty(void)
{
    AUTO_FD fd = root_lay();
    if (fd < 0)
        return fd;
    if (mkdir(EMPTY_DIR, 0555) < 0 || chmod(EMPTY_DIR, 0555) < 0)
        return -errno;
    int r = root_enter();
    if (r < 0)
        return r;
    if (chroot(EMPTY_DIR) < 0 || chdir("/") < 0)
        return -errno;
    return 0;
}

int step_root(struct inside *in)
{
    (void)in;
    return root_empty();
}
