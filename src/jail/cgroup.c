/*
 * jail/cgroup.c -- count the memory and the processes of a run together.
 *
 * Groups are made below the one we are in, so that a run never has more than
 * the supervisor: v2 has one tree for all controllers, v1 one for each.
 *
 *   v2   D/glovebox-123-sup/    we ourselves: a group with children that have
 *        D/glovebox-123-0/      controllers may hold no process (EBUSY)
 *        D/glovebox-123-1/
 *
 * 123 is the supervisor's pid: groups of one that died are swept away by the
 * next. Only empty ones can be; their processes died with the zygote.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/cgroup.h"
#include "jail/cgroup_find.h"
#include "base/base.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

#define PREFIX "glovebox-"

enum {
    MEMORY, PIDS, CPU, ROLES,    /* in v1 each has a tree; v2 has them in one */
    NAME_ROOM = 64,
    FILE_TEXT = 4096,
    FREE_MS = 200, FREE_STEP_MS = 2,
    KILL_ROUNDS = 20, KILL_BATCH = 64,
};
_Static_assert((int)ROLES == (int)CGROUP_PROCS_MAX, "a procs file for each tree");

struct cgroups {
    int      version;
    char     dir[ROLES][CGROUP_PATH];
    int      tree[ROLES];        /* index into dir, or -1 */
    int      trees;
    unsigned next;
    int      moved;              /* we sit in the -sup group of dir[0] */
};

struct cgroup {
    const struct cgroups *all;
    char name[NAME_ROOM];
    int  dir[ROLES];             /* by tree */
    int  procs[ROLES];
};

/* ---- small files ---------------------------------------------------------------- */

static int write_at(int dir, const char *file, const char *text)
{
    AUTO_FD fd = openat(dir, file, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

static int write_number(int dir, const char *file, uint64_t v)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, v);
    return write_at(dir, file, text);
}

static int read_at(int dir, const char *file, char text[FILE_TEXT])
{
    AUTO_FD fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, FILE_TEXT - 1);
    text[n < 0 ? 0 : n] = 0;
    return n < 0 ? -errno : 0;
}

/* The number after a word at the start of a line, or of the file (NULL). */
static int read_number(int dir, const char *file, const char *word,
                       uint64_t *out)
{
    char text[FILE_TEXT];
    int r = read_at(dir, file, text);
    if (r < 0)
        return r;
    const char *at = text;
    size_t len = word ? strlen(word) : 0;
    while (word && at && !(strncmp(at, word, len) == 0 && at[len] == ' ')) {
        at = strchr(at, '\n');
        at += at != NULL;
    }
    if (!at)
        return -ENODATA;
    *out = strtoull(at + len, NULL, 10);
    return 0;
}

static int open_dir(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* ---- where groups can be made ----------------------------------------------------- */

/* glovebox-123-4 of a process 123 that is gone. */
static int is_leftover(const char *name)
{
    size_t len = strlen(PREFIX);
    if (strncmp(name, PREFIX, len) != 0)
        return 0;
    char *end;
    long pid = strtol(name + len, &end, 10);
    return pid > 0 && *end == '-' && kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

static void sweep(const char *path)
{
    int fd = open_dir(path);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        fd_closep(&fd);
        return;
    }
    for (const struct dirent *de; (de = readdir(d)); )
        if (is_leftover(de->d_name))
            unlinkat(fd, de->d_name, AT_REMOVEDIR);
    closedir(d);
}

static void own_name(char name[NAME_ROOM], const char *what)
{
    snprintf(name, NAME_ROOM, PREFIX "%d-%s", (int)getpid(), what);
}

/* Step aside into a group of our own, and give it back if that was no help. */
static int step_aside(int dir)
{
    char name[NAME_ROOM], file[NAME_ROOM + 16];
    own_name(name, "sup");
    if (mkdirat(dir, name, 0755) < 0 && errno != EEXIST)
        return -errno;
    snprintf(file, sizeof file, "%s/cgroup.procs", name);
    int r = write_at(dir, file, "0");
    if (r < 0)
        unlinkat(dir, name, AT_REMOVEDIR);
    return r;
}

static void step_back(int dir)
{
    char name[NAME_ROOM];
    own_name(name, "sup");
    write_at(dir, "cgroup.procs", "0");
    unlinkat(dir, name, AT_REMOVEDIR);
}

/* cpu is for the time that was used; groups without it are good enough. */
static int enable(int dir)
{
    int r = write_at(dir, "cgroup.subtree_control", "+memory +pids");
    if (r == 0)
        write_at(dir, "cgroup.subtree_control", "+cpu");
    return r;
}

static int is_enabled(int dir)
{
    char text[FILE_TEXT];
    return read_at(dir, "cgroup.subtree_control", text) == 0 &&
           cgroup_has_word(text, "memory") && cgroup_has_word(text, "pids");
}

/* Somebody stepped aside before: we ourselves, or whoever started us. */
static void leave_sup(char path[CGROUP_PATH])
{
    char *last = strrchr(path, '/');
    size_t len = last ? strlen(last) : 0, prefix = strlen("/" PREFIX);
    if (len > prefix + 4 && strncmp(last, "/" PREFIX, prefix) == 0 &&
        strcmp(last + len - 4, "-sup") == 0)
        *last = 0;
}

static int prepare_v2(struct cgroups *c, struct err *e)
{
    char have[FILE_TEXT];
    AUTO_FD dir = open_dir(c->dir[0]);
    if (dir < 0)
        return err_set(e, dir, "%s cannot be opened", c->dir[0]);
    read_at(dir, "cgroup.controllers", have);
    have[strcspn(have, "\n")] = 0;
    if (!cgroup_has_word(have, "memory") || !cgroup_has_word(have, "pids"))
        return err_set(e, -ENOTSUP, "cgroup v2 has no memory and pids here "
                       "(has: %.60s)", have[0] ? have : "nothing");
    if (faccessat(dir, ".", W_OK, AT_EACCESS) < 0)
        return err_set(e, -ENOTSUP, "this cgroup is not delegated to the user; "
                       "systemd: Delegate=yes");
    if (is_enabled(dir))
        return 0;
    int r = enable(dir);
    if (r == -EBUSY) {
        r = step_aside(dir);
        c->moved = r == 0;
        r = r < 0 ? r : enable(dir);
    }
    if (r == 0)
        return 0;
    if (c->moved)
        step_back(dir);
    c->moved = 0;
    return err_set(e, -ENOTSUP, r == -EBUSY
                   ? "other processes share this cgroup; start glovebox in one "
                     "of its own (systemd-run --user --scope -p Delegate=yes)"
                   : "controllers cannot be enabled: %s", strerror(-r));
}

static int open_v2(struct cgroups *c, struct err *e)
{
    int r = cgroup_find(NULL, c->dir[0], e);
    if (r < 0)
        return r;
    leave_sup(c->dir[0]);
    c->version = 2;
    c->trees = 1;
    return prepare_v2(c, e);
}

static int open_v1(struct cgroups *c, struct err *e)
{
    static const struct { const char *controller; int needed; } roles[ROLES] = {
        [MEMORY] = { "memory", 1 }, [PIDS] = { "pids", 1 },
        [CPU] = { "cpuacct", 0 },
    };
    if (geteuid() != 0)
        return err_set(e, -ENOTSUP, "cgroup v1 is for root only");
    c->version = 1;
    for (int i = 0; i < ROLES; i++) {
        char *path = c->dir[c->trees];
        c->tree[i] = -1;
        int r = cgroup_find(roles[i].controller, path, e);
        if (r < 0 && roles[i].needed)
            return r;
        for (int t = 0; r == 0 && t <= c->trees && c->tree[i] < 0; t++)
            if (strcmp(c->dir[t], path) == 0)
                c->tree[i] = t;
        c->trees += r == 0 && c->tree[i] == c->trees;
    }
    return 0;
}

/* By effect: a group with limits, made and taken away. */
static int try_out(struct cgroups *c, struct err *e)
{
    const struct cgroup_limits some = { 64 * MIB, 16 };
    struct cgroup *g;
    for (int t = 0; t < c->trees; t++)
        sweep(c->dir[t]);
    int r = cgroup_make(c, &some, &g, e);
    return r < 0 ? r : cgroup_free(g);
}

static int try_version(struct cgroups *c, int (*prepare)(struct cgroups *,
                                                         struct err *),
                       struct err *e)
{
    *c = (struct cgroups){ 0 };
    int r = prepare(c, e);
    return r < 0 ? r : try_out(c, e);
}

int cgroups_open(struct cgroups **out, struct err *e)
{
    struct err v2 = { 0 }, v1 = { 0 };
    struct cgroups *c = malloc(sizeof *c);
    if (!c)
        return err_set(e, -ENOMEM, "cgroup: out of memory");
    if (try_version(c, open_v2, &v2) < 0 && try_version(c, open_v1, &v1) < 0) {
        free(c);
        return err_set(e, -ENOTSUP, "%.190s; %.190s", v2.msg, v1.msg);
    }
    *out = c;
    return 0;
}

/* One who was started by us may be in our group, and count on controllers. */
static int is_alone(int dir)
{
    char name[NAME_ROOM], file[NAME_ROOM + 16], text[FILE_TEXT];
    own_name(name, "sup");
    snprintf(file, sizeof file, "%s/cgroup.procs", name);
    char *line = read_at(dir, file, text) == 0 ? strchr(text, '\n') : NULL;
    return line && !line[1];
}

void cgroups_free(struct cgroups *c)
{
    if (!c)
        return;
    AUTO_FD dir = c->moved ? open_dir(c->dir[0]) : -1;
    if (dir >= 0 && is_alone(dir) &&
        write_at(dir, "cgroup.subtree_control", "-memory -pids -cpu") == 0)
        step_back(dir);
    free(c);
}

const char *cgroups_kind(const struct cgroups *c)
{
    if (!c)
        return "none";
    return c->version == 2 ? "v2" : "v1";
}

/* ---- one group ---------------------------------------------------------------------- */

/* Missing files are older kernels; the others must take their value. */
static int set_limits(const struct cgroup *g, const struct cgroup_limits *l,
                      struct err *e)
{
    const struct { int version, role, needed; const char *file; uint64_t value; }
    rows[] = {
        { 2, MEMORY, 1, "memory.max",             l->memory_bytes },
        { 2, MEMORY, 0, "memory.swap.max",        0               },
        { 2, MEMORY, 0, "memory.oom.group",       1               },
        { 2, PIDS,   1, "pids.max",               l->processes    },
        { 1, MEMORY, 1, "memory.limit_in_bytes",  l->memory_bytes },
        { 1, MEMORY, 0, "memory.memsw.limit_in_bytes", l->memory_bytes },
        { 1, MEMORY, 0, "memory.swappiness",      0               },
        /* Buffers of TCP have a counter of their own here. */
        { 1, MEMORY, 0, "memory.kmem.tcp.limit_in_bytes", l->memory_bytes },
        { 1, PIDS,   1, "pids.max",               l->processes    },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].version != g->all->version)
            continue;
        int r = write_number(g->dir[g->all->tree[rows[i].role]], rows[i].file,
                             rows[i].value);
        if (r < 0 && (rows[i].needed || r != -ENOENT))
            return err_set(e, r, "cgroup: %s: %s", rows[i].file, strerror(-r));
    }
    return 0;
}

static int open_group(struct cgroup *g, int tree, struct err *e)
{
    AUTO_FD top = open_dir(g->all->dir[tree]);
    if (top < 0)
        return err_set(e, top, "cgroup: %s: %s", g->all->dir[tree],
                       strerror(-top));
    if (mkdirat(top, g->name, 0755) < 0)
        return err_sys(e, "cgroup: make a group in %s", g->all->dir[tree]);
    g->dir[tree] = openat(top, g->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (g->dir[tree] < 0) {
        int r = err_sys(e, "cgroup: open a group in %s", g->all->dir[tree]);
        unlinkat(top, g->name, AT_REMOVEDIR);
        return r;
    }
    g->procs[tree] = openat(g->dir[tree], "cgroup.procs", O_WRONLY | O_CLOEXEC);
    return g->procs[tree] < 0 ? err_sys(e, "cgroup: cgroup.procs") : 0;
}

int cgroup_make(struct cgroups *c, const struct cgroup_limits *limits,
                struct cgroup **out, struct err *e)
{
    struct cgroup *g = malloc(sizeof *g);
    if (!g)
        return err_set(e, -ENOMEM, "cgroup: out of memory");
    *g = (struct cgroup){ .all = c, .dir = { -1, -1, -1 },
                          .procs = { -1, -1, -1 } };
    snprintf(g->name, sizeof g->name, PREFIX "%d-%u", (int)getpid(), c->next++);
    int r = 0;
    for (int t = 0; t < c->trees && r == 0; t++)
        r = open_group(g, t, e);
    if (r == 0)
        r = set_limits(g, limits, e);
    if (r < 0) {
        cgroup_free(g);
        return r;
    }
    *out = g;
    return 0;
}

unsigned cgroup_procs(const struct cgroup *g, int out_fds[CGROUP_PROCS_MAX])
{
    for (int t = 0; t < g->all->trees; t++)
        out_fds[t] = g->procs[t];
    return (unsigned)g->all->trees;
}

/* The first of these files that is there; 0 if none is. */
static uint64_t usage_of(const struct cgroup *g, int role,
                         const char *const files[][2])
{
    uint64_t v = 0;
    int tree = g->all->tree[role];
    for (int i = 0; tree >= 0 && files[i][0]; i++)
        if (read_number(g->dir[tree], files[i][0], files[i][1], &v) == 0)
            return v;
    return 0;
}

void cgroup_usage(const struct cgroup *g, struct cgroup_usage *out)
{
    static const char *const peak[][2] = {
        { "memory.peak", NULL }, { "memory.max_usage_in_bytes", NULL },
        { "memory.current", NULL }, { NULL } };
    static const char *const killed[][2] = {
        { "memory.events", "oom_kill" }, { "memory.oom_control", "oom_kill" },
        { "memory.failcnt", NULL }, { NULL } };
    static const char *const refused[][2] = {
        { "pids.events", "max" }, { NULL } };
    static const char *const cpu_us[][2] = {
        { "cpu.stat", "usage_usec" }, { NULL } };
    static const char *const cpu_ns[][2] = {
        { "cpuacct.usage", NULL }, { NULL } };

    *out = (struct cgroup_usage){
        .memory_peak_bytes = usage_of(g, MEMORY, peak),
        .out_of_memory = usage_of(g, MEMORY, killed) > 0,
        .out_of_processes = usage_of(g, PIDS, refused) > 0,
        .cpu_ns = g->all->version == 2 ? usage_of(g, CPU, cpu_us) * 1000
                                       : usage_of(g, CPU, cpu_ns),
    };
}

/* ---- the end -------------------------------------------------------------------------- */

static int lists(const char *text, long pid)
{
    char *end;
    for (const char *at = text; *at; at = *end ? end + 1 : end)
        if (strtol(at, &end, 10) == pid)
            return 1;
        else if (end == at)
            break;
    return 0;
}

/* A number may be given to somebody else at any time. So a process is held by
 * a descriptor first, and signalled only if the group still lists it then. */
static int kill_some(int dir)
{
    char text[FILE_TEXT], again[FILE_TEXT], *end;
    struct { long pid; int fd; } held[KILL_BATCH];
    int n = 0;
    read_at(dir, "cgroup.procs", text);
    for (const char *at = text; *at && n < KILL_BATCH; at = end + 1) {
        long pid = strtol(at, &end, 10);
        if (end == at || *end != '\n')
            break;
        int fd = pid > 0 ? (int)syscall(SYS_pidfd_open, (pid_t)pid, 0) : -1;
        if (fd >= 0) {
            held[n].pid = pid;
            held[n++].fd = fd;
        }
    }
    read_at(dir, "cgroup.procs", again);
    for (int i = 0; i < n; i++) {
        if (lists(again, held[i].pid))
            syscall(SYS_pidfd_send_signal, held[i].fd, SIGKILL, NULL, 0);
        close(held[i].fd);
    }
    return n;
}

void cgroup_kill(struct cgroup *g)
{
    if (write_at(g->dir[0], "cgroup.kill", "1") == 0)
        return;
    for (int round = 0; round < KILL_ROUNDS; round++)
        if (kill_some(g->dir[g->all->tree[PIDS]]) == 0)
            return;
}

static int remove_group(const struct cgroup *g, int tree)
{
    AUTO_FD top = open_dir(g->all->dir[tree]);
    if (top < 0)
        return top;
    return unlinkat(top, g->name, AT_REMOVEDIR) < 0 && errno != ENOENT
        ? -errno : 0;
}

/* A process that was killed leaves its group a little later. */
int cgroup_free(struct cgroup *g)
{
    if (!g)
        return 0;
    int left = 0, ms = 0;
    for (int t = 0; t < g->all->trees; t++) {
        if (g->dir[t] < 0)
            continue;
        fd_closep(&g->procs[t]);
        close(g->dir[t]);
        int r = remove_group(g, t);
        for (; r == -EBUSY && ms < FREE_MS; ms += FREE_STEP_MS) {
            poll(NULL, 0, FREE_STEP_MS);
            r = remove_group(g, t);
        }
        left |= r < 0;
    }
    free(g);
    return left ? -EBUSY : 0;
}
