/*
 * jail/cgroup_find.c -- where in the file system is the group that we are in?
 *
 * /proc/self/cgroup has its path in each hierarchy, /proc/self/mountinfo where
 * hierarchies are mounted, and which part of them: a container often sees its
 * own group as the root of the mount, under a path that does not say so.
 *
 *   4:memory:/a/b                                          0::/a/b
 *   35 31 0:32 /a /sys/fs/cgroup/memory rw ... - cgroup cgroup rw,memory
 *              └ root of the mount: our group is at /sys/fs/cgroup/memory/b
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/cgroup_find.h"
#include "base/io.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 1 << 20, MOUNT_FIELDS = 5 };

int cgroup_has_word(const char *text, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = text; *at; ) {
        size_t n = strcspn(at, " ,\n");
        if (n == len && memcmp(at, word, n) == 0)
            return 1;
        at += n;
        at += strspn(at, " ,\n");
    }
    return 0;
}

/* Read a file of /proc and end it with NUL. */
static int read_text(const char *path, struct buf *out, struct err *e)
{
    int r = io_read_file(path, TEXT_MAX, out, e);
    if (r == 0)
        r = buf_add(out, "", 1);
    return r;
}

/* "4:memory:/a/b" gives "/a/b"; the line of v2 names no controller. */
static const char *path_of_line(char *line, const char *controller)
{
    char *list = strchr(line, ':');
    char *path = list ? strchr(list + 1, ':') : NULL;
    if (!path)
        return NULL;
    *path = 0;
    int ours = controller ? cgroup_has_word(list + 1, controller)
                          : strncmp(line, "0:", 2) == 0 && !list[1];
    return ours ? path + 1 : NULL;
}

static int own_path(const char *controller, char out[CGROUP_PATH],
                    struct err *e)
{
    AUTO_BUF text;
    buf_init(&text, TEXT_MAX + 1);
    int r = read_text("/proc/self/cgroup", &text, e);
    if (r < 0)
        return r;
    for (char *line = text.at, *end; (end = strchr(line, '\n'));
         line = end + 1) {
        *end = 0;
        const char *path = path_of_line(line, controller);
        if (path && strlen(path) < CGROUP_PATH) {
            memcpy(out, path, strlen(path) + 1);
            return 0;
        }
    }
    return err_set(e, -ENOENT, "no cgroup %s here",
                   controller ? controller : "v2");
}

/* mountinfo writes blanks and the like as \040. */
static void unescape(char *s)
{
    char *to = s;
    for (; *s; s++) {
        if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] && s[3]) {
            *to++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + s[3] - '0');
            s += 3;
        } else {
            *to++ = *s;
        }
    }
    *to = 0;
}

struct mount_line {
    char *root, *at, *type, *options;
};

static int split(char *line, struct mount_line *out)
{
    char *field[MOUNT_FIELDS], *save = NULL;
    char *rest = strstr(line, " - ");
    if (!rest)
        return 0;
    *rest = 0;
    size_t n = 0;
    for (char *at = strtok_r(line, " ", &save); at && n < MOUNT_FIELDS;
         at = strtok_r(NULL, " ", &save))
        field[n++] = at;
    char *type = strtok_r(rest + 3, " ", &save);
    char *source = strtok_r(NULL, " ", &save);
    char *options = strtok_r(NULL, " ", &save);
    if (n < MOUNT_FIELDS || !type || !source || !options)
        return 0;
    *out = (struct mount_line){ field[3], field[4], type, options };
    unescape(out->root);
    unescape(out->at);
    return 1;
}

static int is_hierarchy(const struct mount_line *m, const char *controller)
{
    if (!controller)
        return strcmp(m->type, "cgroup2") == 0;
    return strcmp(m->type, "cgroup") == 0 &&
           cgroup_has_word(m->options, controller);
}

/* Our group below a mount, or the mount itself where the paths do not meet. */
static int join(const struct mount_line *m, const char *path,
                char out[CGROUP_PATH])
{
    size_t len = strcmp(m->root, "/") == 0 ? 0 : strlen(m->root);
    if (strncmp(path, m->root, len) != 0 || (path[len] && path[len] != '/'))
        len = 0;
    const char *below = strcmp(path + len, "/") == 0 ? "" : path + len;
    int n = snprintf(out, CGROUP_PATH, "%s%s", m->at, below);
    if (n > 0 && n < CGROUP_PATH && access(out, F_OK) == 0)
        return 0;
    n = snprintf(out, CGROUP_PATH, "%s", m->at);
    return n > 0 && n < CGROUP_PATH ? 0 : -ENAMETOOLONG;
}

int cgroup_find(const char *controller, char out[CGROUP_PATH], struct err *e)
{
    char path[CGROUP_PATH];
    int r = own_path(controller, path, e);
    if (r < 0)
        return r;
    AUTO_BUF text;
    buf_init(&text, TEXT_MAX + 1);
    r = read_text("/proc/self/mountinfo", &text, e);
    if (r < 0)
        return r;
    for (char *line = text.at, *end; (end = strchr(line, '\n'));
         line = end + 1) {
        struct mount_line m;
        *end = 0;
        if (split(line, &m) && is_hierarchy(&m, controller) &&
            join(&m, path, out) == 0)
            return 0;
    }
    return err_set(e, -ENOENT, "cgroup %s is mounted nowhere",
                   controller ? controller : "v2");
}
