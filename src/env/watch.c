/* env/watch.c -- what the processes of a run use, seen through /proc.
 * SPDX-License-Identifier: MIT */
#include "env/watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct watch_seen {
    pid_t    pid;
    uint64_t start;      /* tells a number that is used again */
    uint64_t cpu_ns;
    int      fresh;      /* of this sample */
};

/* ---- /proc ---------------------------------------------------------------- */

/* A small file of /proc as text. Returns its length, or a negative errno. */
static ssize_t read_text(const char *path, char *out, size_t room)
{
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n = read(fd, out, room - 1);
    if (n < 0)
        return -errno;
    out[n] = '\0';
    return n;
}

pid_t watch_pid_of(int pidfd)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", pidfd);
    if (read_text(path, text, sizeof text) < 0)
        return -EPROTO;
    const char *at = strstr(text, "\nPid:");
    long pid = 0;
    if (!at || sscanf(at, "\nPid: %ld", &pid) != 1 || pid == 0)
        return -EPROTO;
    return pid < 0 ? 0 : (pid_t)pid;
}

struct stat_line {
    uint64_t cpu_ns, start;
    uint64_t threads;
};

/* The name, in brackets, is the guest's to choose: count from the last one. */
static int read_stat(pid_t pid, struct stat_line *out)
{
    char path[64], text[1024];
    unsigned long long user, kernel, user_of_dead, kernel_of_dead, start;
    unsigned long long threads;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    ssize_t n = read_text(path, text, sizeof text);
    if (n < 0)
        return (int)n;
    const char *at = strrchr(text, ')');
    if (!at || sscanf(at, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu "
                      "%llu %llu %*d %*d %llu %*d %llu", &user, &kernel,
                      &user_of_dead, &kernel_of_dead, &threads, &start) != 6)
        return -EPROTO;
    uint64_t ticks = user + kernel + user_of_dead + kernel_of_dead;
    out->cpu_ns = ticks * (1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK));
    out->threads = threads;
    out->start = start;
    return 0;
}

static uint64_t resident_bytes(pid_t pid)
{
    char path[64], text[256];
    unsigned long long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    if (read_text(path, text, sizeof text) < 0 ||
        sscanf(text, "%*u %llu", &pages) != 1)
        return 0;
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Its share of memory that is no file's: pages that it has in common with the
 * zygote count by their fraction. Falls back to all that is resident. */
static uint64_t own_bytes(pid_t pid)
{
    static const char *const names[] = { "\nPss_Anon:", "\nPss_Shmem:", "\nSwapPss:" };
    char path[64], text[2048];
    uint64_t sum = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    if (read_text(path, text, sizeof text) <= 0 || !strstr(text, names[0]))
        return resident_bytes(pid);
    for (size_t i = 0; i < COUNT(names); i++) {
        const char *at = strstr(text, names[i]);
        unsigned long long kb = 0;
        if (at && sscanf(at + strlen(names[i]), " %llu", &kb) == 1)
            sum += kb * KIB;
    }
    return sum;
}

/* ---- a sample ------------------------------------------------------------- */

static struct watch_seen *seen_of(struct watch *w, pid_t pid, uint64_t start)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->seen[i].pid == pid && w->seen[i].start == start)
            return &w->seen[i];
    if (w->count == w->room) {
        size_t room = w->room ? 2 * w->room : 16;
        struct watch_seen *more = room > WATCH_MAX ? NULL
                                : realloc(w->seen, room * sizeof *more);
        if (!more)
            return NULL;
        w->seen = more;
        w->room = room;
    }
    w->seen[w->count] = (struct watch_seen){ .pid = pid, .start = start };
    return &w->seen[w->count++];
}

static int note(struct watch *w, pid_t pid)
{
    struct stat_line line;
    if (read_stat(pid, &line) < 0)
        return 0;
    struct watch_seen *s = seen_of(w, pid, line.start);
    if (!s || s->fresh)
        return 0;
    if (line.cpu_ns > s->cpu_ns)
        w->cpu_ns += line.cpu_ns - s->cpu_ns;
    s->cpu_ns = line.cpu_ns;
    s->fresh = 1;
    w->threads += line.threads;
    return 1;
}

static void descend(struct watch *w, pid_t parent);

static void children_of_thread(struct watch *w, pid_t pid, const char *thread)
{
    char path[400], text[4096];
    snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)pid, thread);
    if (read_text(path, text, sizeof text) <= 0)
        return;
    char *at = text;
    for (;;) {
        char *end;
        long child = strtol(at, &end, 10);
        if (end == at)
            return;
        if (*end && note(w, (pid_t)child))    /* a number cut off has no blank */
            descend(w, (pid_t)child);
        at = end;
    }
}

/* A process that has been noted before is not entered again, so a tree that
 * changes while we walk cannot lead us in circles. */
static void descend(struct watch *w, pid_t parent)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)parent);
    DIR *dir = opendir(path);
    if (!dir)
        return;
    struct dirent *d;
    while ((d = readdir(dir)))
        if (d->d_name[0] != '.')
            children_of_thread(w, parent, d->d_name);
    closedir(dir);
}

/* Forget who is gone; what they used stays in the sum. */
static void sweep(struct watch *w)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->count; i++)
        if (w->seen[i].fresh)
            w->seen[kept++] = w->seen[i];
    w->count = kept;
}

static uint64_t sum_of(const struct watch *w, uint64_t (*bytes)(pid_t))
{
    uint64_t sum = 0;
    for (size_t i = 0; i < w->count; i++)
        sum += bytes(w->seen[i].pid);
    return sum;
}

void watch_init(struct watch *w, pid_t init, pid_t run)
{
    *w = (struct watch){ .init = init, .run = run };
}

void watch_free(struct watch *w)
{
    free(w->seen);
    *w = (struct watch){ 0 };
}

int watch_sample(struct watch *w, uint64_t close_bytes)
{
    for (size_t i = 0; i < w->count; i++)
        w->seen[i].fresh = 0;
    w->threads = 0;
    if (w->run > 0 && note(w, w->run))
        descend(w, w->run);
    if (w->init > 0)
        descend(w, w->init);
    sweep(w);
    if (w->threads > w->threads_peak)
        w->threads_peak = w->threads;
    if (!w->count)
        return -ESRCH;

    w->memory_bytes = sum_of(w, resident_bytes);
    if (w->memory_bytes <= close_bytes)
        return 0;
    w->memory_bytes = sum_of(w, own_bytes);
    if (w->memory_bytes > w->memory_peak_bytes)
        w->memory_peak_bytes = w->memory_bytes;
    return 0;
}
