/* base/io.c -- reads and writes that finish.  SPDX-License-Identifier: MIT */
#include "base/io.h"
#include "base/num.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

enum { READ_STEP = 64 << 10 };

/* After a failed read or write: 0 if it is worth trying again. */
static int again(int fd, short events)
{
    if (errno == EINTR)
        return 0;
    if (errno != EAGAIN && errno != EWOULDBLOCK)
        return -errno;
    struct pollfd p = { .fd = fd, .events = events };
    return poll(&p, 1, -1) < 0 && errno != EINTR ? -errno : 0;
}

int io_write_all(int fd, const void *at, size_t len)
{
    const char *from = at;
    while (len > 0) {
        ssize_t n = write(fd, from, len);
        if (n < 0) {
            int r = again(fd, POLLOUT);
            if (r < 0)
                return r;
            continue;
        }
        from += n;
        len -= (size_t)n;
    }
    return 0;
}

ssize_t io_read_full(int fd, void *at, size_t len)
{
    size_t got = 0;
    while (got < len) {
        ssize_t n = read(fd, (char *)at + got, len - got);
        if (n == 0)
            break;
        if (n < 0) {
            int r = again(fd, POLLIN);
            if (r < 0)
                return r;
            continue;
        }
        got += (size_t)n;
    }
    return (ssize_t)got;
}

static int too_big(const char *name, size_t cap, struct err *e)
{
    return err_set(e, -EFBIG, "%s is larger than the limit of %s", name,
                   num_show_bytes(cap).at);
}

static int cannot_read(const char *name, int code, struct err *e)
{
    errno = -code;
    return err_sys(e, "cannot read %s", name);
}

/* Appends until the input ends; a failure may leave part of it in out. */
static int read_to_end(int fd, const char *name, size_t cap, struct buf *out,
                       struct err *e)
{
    for (size_t got = 0; got < cap; ) {
        size_t step = cap - got < READ_STEP ? cap - got : READ_STEP;
        char *room = buf_reserve(out, step);
        if (!room)
            return cannot_read(name, out->failed, e);
        ssize_t n = io_read_full(fd, room, step);
        if (n < 0)
            return cannot_read(name, (int)n, e);
        out->len += (size_t)n;
        got += (size_t)n;
        if ((size_t)n < step)
            return 0;
    }
    char beyond;
    ssize_t n = io_read_full(fd, &beyond, 1);
    if (n < 0)
        return cannot_read(name, (int)n, e);
    return n > 0 ? too_big(name, cap, e) : 0;
}

int io_read_fd(int fd, const char *name, size_t cap, struct buf *out,
               struct err *e)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return err_sys(e, "cannot read %s", name);
    if (S_ISDIR(st.st_mode))
        return err_set(e, -EISDIR, "%s is a directory, not a file", name);
    if (S_ISREG(st.st_mode) && st.st_size > 0 && (uint64_t)st.st_size > cap)
        return too_big(name, cap, e);

    size_t len = out->len;
    int failed = out->failed;
    int r = read_to_end(fd, name, cap, out, e);
    if (r < 0) {
        out->len = len;
        out->failed = failed;
    }
    return r;
}

int io_read_file(const char *path, size_t cap, struct buf *out, struct err *e)
{
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return err_sys(e, "cannot read %s", path);
    return io_read_fd(fd, path, cap, out, e);
}
