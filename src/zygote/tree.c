/*
 * zygote/tree.c -- the files of a run.
 *
 * The root is the zygote's, read-only and common to all. What a run may write
 * is one tmpfs with a size and a number of files: its folders appear at
 * /workspace, /tmp and /dev/shm, so that one quota holds for all of them. It is
 * nosuid, nodev and noexec. Its own root ends up below one of its folders,
 * where no path leads; to unmount it would cost more than all the rest (the
 * kernel waits until nobody can be looking), and it holds nothing else.
 *
 * /proc is that of the run's own pid namespace, in which processes that are
 * not the run's (pid 1) cannot be seen. Files there that speak of the host are
 * covered by texts that speak of the limits instead, or by nothing. They are
 * the run's own: it could change them for itself alone, and Landlock says no.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/io.h"
#include "zygote/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>

#define STORE "/tmp"    /* where the tmpfs is while it is furnished */
#define PLAIN (MS_NOSUID | MS_NODEV | MS_NOEXEC)

enum { PAGE_BYTES = 4096, FACT_BYTES = 32 << 10 };

static const struct { const char *in_store, *at; mode_t mode; } folders[] = {
    { STORE "/work", "/workspace", 0755  },
    { STORE "/shm",  "/dev/shm",   01777 },
    { STORE "/tmp",  STORE,        01777 },    /* last: it covers the store */
};

static const struct {
    const char *in_store, *at;
    void      (*write)(struct buf *, const struct seal *);
} facts[] = {
    { STORE "/cpuinfo", "/proc/cpuinfo", facts_cpuinfo },
    { STORE "/meminfo", "/proc/meminfo", facts_meminfo },
    { STORE "/stat",    "/proc/stat",    facts_stat    },
};

/* The kernel's command line and the host's disks are nobody's business. */
#define NOTHING STORE "/nothing"
static const char *const covered[] = {
    "/proc/cmdline", "/proc/diskstats", "/proc/interrupts", "/proc/modules",
    "/proc/partitions", "/proc/swaps",
};

/* What the store holds before the run has any file: its root and ours. */
enum { OWN_FILES = 1 + COUNT(folders) + COUNT(facts) + 1 };

static uint64_t pages(uint64_t bytes)
{
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* Our own files come on top: the run has all of what it was promised. A size
 * of 0 would be no limit at all, and cannot come out of this. */
static int mount_store(struct seal *s, uint64_t own_bytes)
{
    const struct run_limits *l = &s->f->limits;
    char options[96] = "mode=0700";
    if (seal_wants(s, WALL_QUOTA))
        snprintf(options, sizeof options, "mode=0700,size=%llu,nr_inodes=%llu",
                 (unsigned long long)(pages(l->disk_bytes) + own_bytes),
                 (unsigned long long)(l->files + OWN_FILES));
    if (mount("glovebox", STORE, "tmpfs", PLAIN, options) < 0)
        return -errno;
    if (seal_wants(s, WALL_QUOTA))
        s->walls |= WALL_QUOTA;
    return 0;
}

static int write_file(const char *path, const struct buf *text)
{
    AUTO_FD fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    if (fd < 0)
        return -errno;
    return io_write_all(fd, text->at, text->len);
}

static int fill_store(const struct buf text[COUNT(facts)])
{
    static const struct buf empty;
    mode_t mask = umask(0);
    int r = 0;
    for (size_t i = 0; i < COUNT(folders) && r == 0; i++)
        if (mkdir(folders[i].in_store, folders[i].mode) < 0)
            r = -errno;
    for (size_t i = 0; i < COUNT(facts) && r == 0; i++)
        r = write_file(facts[i].in_store, &text[i]);
    if (r == 0)
        r = write_file(NOTHING, &empty);
    umask(mask);
    return r;
}

static int cover(const char *with, const char *at)
{
    if (mount(with, at, NULL, MS_BIND, NULL) < 0 && errno != ENOENT)
        return -errno;
    return 0;    /* ENOENT: this kernel has no such file */
}

static int mount_proc(void)
{
    if (mount("proc", "/proc", "proc", PLAIN, "hidepid=2") < 0)
        return -errno;
    int r = 0;
    for (size_t i = 0; i < COUNT(facts) && r == 0; i++)
        r = cover(facts[i].in_store, facts[i].at);
    for (size_t i = 0; i < COUNT(covered) && r == 0; i++)
        r = cover(NOTHING, covered[i]);
    return r;
}

static int mount_folders(void)
{
    for (size_t i = 0; i < COUNT(folders); i++)
        if (mount(folders[i].in_store, folders[i].at, NULL, MS_BIND, NULL) < 0)
            return -errno;
    return 0;
}

static int build(struct seal *s, struct buf text[COUNT(facts)])
{
    uint64_t own_bytes = 0;
    for (size_t i = 0; i < COUNT(facts); i++) {
        facts[i].write(&text[i], s);
        if (text[i].failed)
            return text[i].failed;
        own_bytes += pages(text[i].len);
    }
    /* Otherwise our mounts would show up in the zygote. */
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return -errno;
    int r = mount_store(s, own_bytes);
    if (r == 0)
        r = fill_store(text);
    if (r == 0)
        r = mount_proc();
    return r == 0 ? mount_folders() : r;
}

int tree_build(struct seal *s)
{
    struct buf text[COUNT(facts)];
    for (size_t i = 0; i < COUNT(facts); i++)
        buf_init(&text[i], FACT_BYTES);
    int r = build(s, text);
    for (size_t i = 0; i < COUNT(facts); i++)
        buf_free(&text[i]);
    if (r < 0)
        return r;
    if (chdir(folders[0].at) < 0)
        return -errno;
    s->work = seal_keep(open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return s->work < 0 ? s->work : 0;
}
