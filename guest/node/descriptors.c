/*
 * guest/node/descriptors.c -- event loops of threads that a fork does not have.
 *
 * libuv renews the main loop in a fork. Loops of other threads (tracing, delayed
 * tasks) stay as they are, and their descriptors are shared with the zygote: a
 * byte that a guest writes into a signal pipe is part of a pointer that the
 * zygote follows. Closing them is no way out, because node turns one of these
 * loops once more when it exits. So each is replaced by a private object of the
 * same kind.
 *
 * SPDX-License-Identifier: MIT
 */
#include "inside.h"
#include "wire/guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

enum { MAX_FDS = 256 };
enum kind { KIND_OTHER, KIND_EVENT, KIND_EPOLL, KIND_PIPE };

struct foreign {
    int       fd;
    enum kind kind;
    ino_t     inode;
};
static struct foreign foreign[MAX_FDS];
static size_t foreigns;

/* What the main loop has: its epoll, what that watches, and the other ends of
 * the pipes among those. */
struct kept {
    int    fd[MAX_FDS];
    ino_t  pipe[MAX_FDS];
    size_t fds, pipes;
};

static void keep(struct kept *k, int fd)
{
    struct stat st;
    if (k->fds == MAX_FDS || fstat(fd, &st) != 0)
        return;
    k->fd[k->fds++] = fd;
    if (S_ISFIFO(st.st_mode))
        k->pipe[k->pipes++] = st.st_ino;
}

static int keep_watched(struct kept *k, int epoll)
{
    char line[256], path[64];
    int fd;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", epoll);
    FILE *info = fopen(path, "re");
    if (!info)
        return -errno;
    while (fgets(line, sizeof line, info))
        if (sscanf(line, "tfd: %d", &fd) == 1)
            keep(k, fd);
    fclose(info);
    return 0;
}

static int is_kept(const struct kept *k, int fd, const struct stat *st)
{
    for (size_t i = 0; i < k->fds; i++)
        if (k->fd[i] == fd)
            return 1;
    for (size_t i = 0; S_ISFIFO(st->st_mode) && i < k->pipes; i++)
        if (k->pipe[i] == st->st_ino)
            return 1;
    return 0;
}

static enum kind kind_of(int fd, const struct stat *st)
{
    char path[64], target[64] = "";
    if (S_ISFIFO(st->st_mode))
        return KIND_PIPE;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (readlink(path, target, sizeof target - 1) < 0)
        return KIND_OTHER;
    if (strstr(target, "[eventpoll]"))
        return KIND_EPOLL;
    return strstr(target, "[eventfd]") ? KIND_EVENT : KIND_OTHER;
}

static void judge(const struct kept *k, int fd)
{
    struct stat st;
    if (fd <= STDERR_FILENO || fd == ZYGOTE_CONTROL_FD || fstat(fd, &st) != 0)
        return;
    /* Devices (/dev/null, /dev/urandom) carry nothing from one to the other. */
    if (is_kept(k, fd, &st) || S_ISCHR(st.st_mode) || foreigns == MAX_FDS)
        return;
    foreign[foreigns++] = (struct foreign){ fd, kind_of(fd, &st), st.st_ino };
}

int descriptors_learn(int backend_fd)
{
    struct kept k = { .fds = 0 };
    keep(&k, backend_fd);
    int r = keep_watched(&k, backend_fd);
    if (r < 0)
        return r;
    DIR *all = opendir("/proc/self/fd");
    if (!all)
        return -errno;
    foreigns = 0;
    for (struct dirent *d; (d = readdir(all));) {
        char *end;
        long fd = strtol(d->d_name, &end, 10);
        if (*end == '\0' && fd != dirfd(all))
            judge(&k, (int)fd);
    }
    closedir(all);
    return foreigns == MAX_FDS ? -EMFILE : 0;
}

/* ---- in a fork ----------------------------------------------------------------- */

static int unchanged(const struct foreign *f)
{
    struct stat st;
    return fstat(f->fd, &st) == 0 && st.st_ino == f->inode;
}

static void put_in_place(int fd, int at)
{
    if (fd < 0 || dup3(fd, at, O_CLOEXEC) < 0)
        close(at);
}

/* Both ends of the pipe, wherever they are. One whose inode changed has been
 * renewed by libuv already. */
static void replace_pipe(size_t first)
{
    AUTO_FD reader = -1;
    AUTO_FD writer = -1;
    int end[2];
    int status = fcntl(foreign[first].fd, F_GETFL);
    if (pipe2(end, O_CLOEXEC | (status & O_NONBLOCK)) == 0) {
        reader = end[0];
        writer = end[1];
    }
    ino_t inode = foreign[first].inode;
    for (size_t i = first; i < foreigns; i++) {
        if (foreign[i].kind != KIND_PIPE || foreign[i].inode != inode ||
            !unchanged(&foreign[i]))
            continue;
        status = fcntl(foreign[i].fd, F_GETFL);
        put_in_place((status & O_ACCMODE) == O_WRONLY ? writer : reader,
                     foreign[i].fd);
    }
}

static void replace(size_t i)
{
    AUTO_FD fresh = -1;
    switch (foreign[i].kind) {
    case KIND_PIPE:
        if (unchanged(&foreign[i]))
            replace_pipe(i);
        return;
    case KIND_EPOLL:
        fresh = epoll_create1(EPOLL_CLOEXEC);
        break;
    case KIND_EVENT:
        fresh = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        break;
    case KIND_OTHER:
        break;
    }
    put_in_place(fresh, foreign[i].fd);
}

void descriptors_fork(void)
{
    for (size_t i = 0; i < foreigns; i++)
        replace(i);
}
