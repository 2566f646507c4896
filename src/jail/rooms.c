/*
 * jail/rooms.c -- a furnished root: what a runtime needs to find, read-only.
 *
 *   started by a user:   clone() with a user namespace, then the root is made
 *                        of the host's paths, as far as the user may see them
 *   started by root:     a stage first, in a process that is still root, then
 *                        the same from the stage (spawn.c)
 *
 * The stage is why a jail can show what only root may reach, and yet belong
 * wholly to a user namespace of its own: root binds each thing of the list
 * under its number into a tree of its own. The child is born with a copy of
 * that tree and nothing else, as an unprivileged user, and furnishes from it.
 * As the copy went from a mightier namespace to a weaker one, the kernel keeps
 * it from ever making those mounts writable again.
 *
 * A path of the list may lead through folders that were bound before, whose
 * content nobody checked: no link is followed on the way.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define PROC         "/proc"
#define SCRATCH_SIZE "16m"

static int is_bound(const struct jail_item *it)
{
    return it->kind == ROOM_BIND || it->kind == ROOM_DEVICE;
}

/* "/17": where the stage keeps the thing of row 17. */
static const char *staged_path(uint32_t row, char text[12])
{
    char *at = text + 11;
    *at = 0;
    do
        *--at = (char)('0' + row % 10);
    while (row /= 10);
    *--at = '/';
    return at;
}

/* A copy of what is mounted at a path, with all below; mounted nowhere yet. */
static int copy_tree(const char *from, unsigned recursive)
{
    int fd = open_tree(AT_FDCWD, from, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC |
                       recursive);
    return fd < 0 ? -errno : fd;
}

/* Only adds: what a mount of the host forbids stays forbidden. */
static int restrict_tree(int tree, const struct jail_item *it)
{
    struct mount_attr attr = { .attr_set = MOUNT_ATTR_NOSUID };
    if (!(it->flags & ROOM_WRITABLE))
        attr.attr_set |= MOUNT_ATTR_RDONLY;
    if (it->kind != ROOM_DEVICE)
        attr.attr_set |= MOUNT_ATTR_NODEV;
    if (it->kind != ROOM_BIND || (it->flags & ROOM_NOEXEC))
        attr.attr_set |= MOUNT_ATTR_NOEXEC;
    if (it->kind == ROOM_PROC)
        attr.attr_set &= ~(uint64_t)MOUNT_ATTR_RDONLY;
    return mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr,
                         sizeof attr) < 0 ? -errno : 0;
}

static int make_folder(int dir, const char *name)
{
    return mkdirat(dir, name, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

static int make_file(int dir, const char *name)
{
    AUTO_FD fd = openat(dir, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW |
                        O_CLOEXEC, 0444);
    return fd < 0 && errno != EEXIST ? -errno : 0;
}

/* Give the folder that a path lies in, made as needed, and its last name. */
static int open_parent(int root, const char *at, char out_name[NAME_MAX + 1])
{
    AUTO_FD dir = fcntl(root, F_DUPFD_CLOEXEC, 0);
    if (dir < 0)
        return -errno;
    for (;;) {
        at += strspn(at, "/");
        size_t len = strcspn(at, "/");
        if (len == 0 || len > NAME_MAX)
            return len ? -ENAMETOOLONG : -EINVAL;
        memcpy(out_name, at, len);
        out_name[len] = 0;
        if (strcmp(out_name, ".") == 0 || strcmp(out_name, "..") == 0)
            return -EINVAL;
        at += len;
        if (at[strspn(at, "/")] == 0)
            return fd_take(&dir);

        int r = make_folder(dir, out_name);
        if (r < 0)
            return r;
        int next = openat(dir, out_name, O_PATH | O_DIRECTORY | O_NOFOLLOW |
                          O_CLOEXEC);
        if (next < 0)
            return -errno;
        close(dir);
        dir = next;
    }
}

/* Mount a tree at dir/name, over a file or a folder as it is one. */
static int attach(int tree, const struct jail_item *it, int dir,
                  const char *name)
{
    struct stat st;
    if (fstat(tree, &st) < 0)
        return -errno;
    if (it->kind == ROOM_DEVICE && !S_ISCHR(st.st_mode))
        return -ENODEV;
    int r = S_ISDIR(st.st_mode) ? make_folder(dir, name)
                                : make_file(dir, name);
    if (r == 0)
        r = restrict_tree(tree, it);
    if (r < 0)
        return r;
    return move_mount(tree, "", dir, name, MOVE_MOUNT_F_EMPTY_PATH) < 0
        ? -errno : 0;
}

static int put_bind(const struct jail_item *it, const char *from, int dir,
                    const char *name)
{
    AUTO_FD tree = copy_tree(from, AT_RECURSIVE);
    if (tree >= 0)
        return attach(tree, it, dir, name);
    int is_missing = tree == -ENOENT || tree == -ENOTDIR;
    return is_missing && (it->flags & ROOM_OPTIONAL) ? 0 : tree;
}

static int put_text(const char *text, int dir, const char *name)
{
    AUTO_FD fd = openat(dir, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW |
                        O_CLOEXEC, 0444);
    if (fd < 0)
        return -errno;
    size_t len = strlen(text);
    ssize_t n = write(fd, text, len);
    if (n < 0)
        return -errno;
    return (size_t)n == len ? 0 : -ENOSPC;
}

/* The kernel gives it only to one who sees another whole /proc: the old root
 * or the stage is still there. Without a pid namespace there is none to show
 * but the host's, in control runs. */
static int put_proc(const struct inside *in, const struct jail_item *it,
                    int dir, const char *name)
{
    if (!(in->plan & WALL_PIDNS))
        return put_bind(it, PROC, dir, name);
    AUTO_FD fs = fsopen("proc", FSOPEN_CLOEXEC);
    if (fs < 0 || fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
        return -errno;
    AUTO_FD tree = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID |
                           MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    return tree < 0 ? -errno : attach(tree, it, dir, name);
}

/* For what a runtime keeps while it warms up; forks mount over it. */
static int put_scratch(const struct jail_item *it, int dir, const char *name)
{
    AUTO_FD fs = fsopen("tmpfs", FSOPEN_CLOEXEC);
    if (fs < 0 ||
        fsconfig(fs, FSCONFIG_SET_STRING, "size", SCRATCH_SIZE, 0) < 0 ||
        fsconfig(fs, FSCONFIG_SET_STRING, "mode", "1777", 0) < 0 ||
        fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
        return -errno;
    AUTO_FD tree = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID |
                           MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    return tree < 0 ? -errno : attach(tree, it, dir, name);
}

static int furnish(const struct inside *in, uint32_t row, int root)
{
    const struct jail_item *it = &in->spec->rooms->item[row];
    char name[NAME_MAX + 1], text[12];
    AUTO_FD dir = open_parent(root, it->at, name);
    if (dir < 0)
        return dir;
    switch (it->kind) {
    case ROOM_BIND:
    case ROOM_DEVICE:
        return put_bind(it, in->staged ? staged_path(row, text) : it->from,
                        dir, name);
    case ROOM_FILE:
        return put_text(it->from, dir, name);
    case ROOM_LINK:
        return symlinkat(it->from, dir, name) < 0 ? -errno : 0;
    case ROOM_DIR:
        return it->flags & ROOM_WRITABLE ? put_scratch(it, dir, name)
                                         : make_folder(dir, name);
    case ROOM_PROC:
        return put_proc(in, it, dir, name);
    }
    return -EINVAL;
}

int step_rooms(struct inside *in)
{
    umask(022);
    AUTO_FD root = root_lay();
    if (root < 0)
        return root;
    for (uint32_t i = 0; i < in->spec->rooms->items; i++) {
        in->row = i;
        int r = furnish(in, i, root);
        if (r < 0)
            return r;
    }
    in->row = NO_ROW;
    int r = root_enter();
    if (r < 0)
        return r;
    return chdir("/") < 0 ? -errno : 0;
}

int rooms_stage(struct inside *in)
{
    static const struct jail_item whole_proc = { .kind = ROOM_PROC };
    char text[12];
    umask(022);
    AUTO_FD root = root_lay();
    if (root < 0)
        return root;
    for (uint32_t i = 0; i < in->spec->rooms->items; i++) {
        const struct jail_item *it = &in->spec->rooms->item[i];
        in->row = i;
        int r = is_bound(it) ? put_bind(it, it->from, root,
                                        staged_path(i, text) + 1) : 0;
        if (r < 0)
            return r;
    }
    in->row = NO_ROW;
    in->staged = 1;
    AUTO_FD proc = copy_tree(PROC, 0);
    if (proc < 0)
        return proc;
    int r = attach(proc, &whole_proc, root, &PROC[1]);
    return r < 0 ? r : root_enter();
}
