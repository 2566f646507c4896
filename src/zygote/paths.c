/*
 * zygote/paths.c -- which files a run may touch, by a second mechanism.
 *
 * All in the root is there to be read; written is only what the tables name.
 * The folders that an operator lent for writing, and those of a runtime that
 * lies somewhere unusual, are known to the supervisor alone: it leaves their
 * paths in two files of the zygote's root, one a line.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/io.h"
#include "jail/seal.h"
#include "zygote/inside.h"
#include <errno.h>
#include <string.h>

enum { LIST_BYTES = 16 << 10, LIST_ROWS = 64 };

/* A file of paths; a missing one is an empty list. */
struct list {
    const char *file;
    struct buf  text;
    const char *row[LIST_ROWS];
    size_t      rows;
};
static struct list writable = { .file = GUEST_WRITABLE };
static struct list readable = { .file = GUEST_READABLE };

/* With rights by path: these are the runtime. Not "/", as a right to list it
 * would be one to list everything. */
static const struct seal_path runtime[] = {
    { "/usr",      SEAL_READ | SEAL_EXEC }, { "/lib",  SEAL_READ | SEAL_EXEC },
    { "/lib64",    SEAL_READ | SEAL_EXEC }, { "/bin",  SEAL_READ | SEAL_EXEC },
    { "/glovebox", SEAL_READ | SEAL_EXEC }, { "/opt",  SEAL_READ | SEAL_EXEC },
    { "/etc",      SEAL_READ },             { "/proc", SEAL_READ },
    { "/dev",      SEAL_READ },
    { GUEST_PACKAGES,      SEAL_READ | SEAL_EXEC },
    { GUEST_NODE_PACKAGES, SEAL_READ | SEAL_EXEC },
};
static const struct seal_path everything[] = {
    { "/", SEAL_READ | SEAL_EXEC },
};
static const struct seal_path work[] = {
    { "/workspace", SEAL_READ | SEAL_WRITE },
    { "/tmp",       SEAL_READ | SEAL_WRITE },
    { "/dev/shm",   SEAL_READ | SEAL_WRITE },
};
static const struct seal_path always[] = {
    { "/dev/null",    SEAL_READ | SEAL_WRITE },
    /* Shared and writable it would be memory that no rlimit counts. */
    { "/dev/zero",    SEAL_READ },
    { "/dev/full",    SEAL_READ | SEAL_WRITE },
    { "/dev/random",  SEAL_READ | SEAL_WRITE },
    { "/dev/urandom", SEAL_READ | SEAL_WRITE },
};

static int list_read(struct list *l)
{
    buf_free(&l->text);
    buf_init(&l->text, LIST_BYTES);
    l->rows = 0;
    int r = io_read_file(l->file, LIST_BYTES - 1, &l->text, NULL);
    if (r == -ENOENT)
        return 0;
    if (r == 0)
        r = buf_add(&l->text, "\n", 1);
    if (r < 0)
        return r;
    char *at = l->text.at, *end = at + l->text.len;
    for (char *stop; at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        *stop = 0;
        if (*at == '/' && l->rows == LIST_ROWS)
            return -E2BIG;
        if (*at == '/')
            l->row[l->rows++] = at;
    }
    return 0;
}

int paths_prepare(const char **out_step)
{
    struct list *const lists[] = { &writable, &readable };
    for (size_t i = 0; i < COUNT(lists); i++) {
        int r = list_read(lists[i]);
        if (r < 0) {
            *out_step = lists[i]->file;
            return r;
        }
    }
    return 0;
}

struct rules {
    struct seal_path path[COUNT(runtime) + COUNT(work) + COUNT(always) + 2 * LIST_ROWS +
                          FORK_RULES];
    size_t n;
};

static void add(struct rules *r, const char *at, unsigned rights)
{
    r->path[r->n++] = (struct seal_path){ at, rights };
}

static void add_table(struct rules *r, const struct seal_path *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add(r, p[i].at, p[i].rights);
}

static void add_list(struct rules *r, const struct list *l, unsigned rights)
{
    for (size_t i = 0; i < l->rows; i++)
        add(r, l->row[i], rights);
}

static void add_paths(struct rules *r, const struct zygote_fork *f)
{
    for (uint32_t i = 0; i < f->paths; i++) {
        unsigned rights = 0;
        if (f->path[i].rights & PATH_READ)
            rights |= SEAL_READ | SEAL_EXEC;
        if (f->path[i].rights & PATH_WRITE)
            rights |= SEAL_WRITE;
        if (rights)
            add(r, f->path[i].at, rights);
    }
}

int paths_confine(struct seal *s)
{
    struct rules r = { .n = 0 };
    if (s->f->flags & FORK_PATHS) {
        add_table(&r, runtime, COUNT(runtime));
        add_list(&r, &readable, SEAL_READ | SEAL_EXEC);
        add_paths(&r, s->f);
    } else {
        add_table(&r, everything, COUNT(everything));
        add_table(&r, work, COUNT(work));
        add_list(&r, &writable, SEAL_READ | SEAL_WRITE);
    }
    add_table(&r, always, COUNT(always));
    int e = seal_landlock(r.path, r.n);
    return e == -EOPNOTSUPP || e == -ENOSYS ? SEAL_ABSENT : e;
}
