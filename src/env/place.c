/* env/place.c -- where the worker program, the images and the glue are.
 * SPDX-License-Identifier: MIT */
#include "env/place.h"
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int own_folder(char *out, size_t room, struct err *e)
{
    ssize_t n = readlink("/proc/self/exe", out, room - 1);
    if (n < 0)
        return err_sys(e, "reading /proc/self/exe");
    out[n] = '\0';
    char *slash = strrchr(out, '/');
    if (!slash)
        return err_set(e, -ENOENT, "/proc/self/exe is not a path");
    *slash = '\0';
    return 0;
}

static int open_in(const char *folder, const char *below, const char *file)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s%s/%s", folder, below, file);
    if (n < 0 || (size_t)n >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(path, O_RDONLY | O_CLOEXEC);
}

int place_open(const char *file, int *out_fd, struct err *e)
{
    const char *named = getenv("GLOVEBOX_LIBEXEC");
    if (named && *named) {
        int fd = open_in(named, "", file);
        if (fd < 0)
            return err_set(e, -ENODATA, "GLOVEBOX_LIBEXEC=%s: %s: %s", named,
                           file, strerror(errno));
        *out_fd = fd;
        return 0;
    }

    static const char *const below[] = { "", "/../lib/glovebox" };
    char folder[PATH_MAX];
    int r = own_folder(folder, sizeof folder, e);
    if (r < 0)
        return r;
    for (size_t i = 0; i < COUNT(below); i++) {
        int fd = open_in(folder, below[i], file);
        if (fd >= 0) {
            *out_fd = fd;
            return 0;
        }
        if (errno != ENOENT)
            return err_sys(e, "open %s%s/%s", folder, below[i], file);
    }
    return err_set(e, -ENODATA,
                   "%s is neither in %s nor in %s/../lib/glovebox: run make, "
                   "or set GLOVEBOX_LIBEXEC to its folder", file, folder, folder);
}

int place_path(const char *folder, char *out, size_t room, struct err *e)
{
    AUTO_FD fd = -1;
    int r = place_open(folder, &fd, e);
    if (r < 0)
        return r;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, out, room);
    if (n < 0)
        return err_sys(e, "reading %s", link);
    if ((size_t)n >= room)
        return err_set(e, -ENAMETOOLONG, "the path of %s is too long", folder);
    out[n] = '\0';
    return 0;
}
