/*
 * zygote/facts.c -- what a run reads of its machine: the limits it has.
 *
 * Runtimes size themselves by these files: heaps, thread pools, workers. With
 * the host's numbers they would run into walls; and the host's model, load and
 * memory are not for guests. The fields are those that libuv, glibc (without
 * /sys), psutil and procps look for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "zygote/inside.h"
#include <time.h>

enum { TICKS = 100 };    /* USER_HZ: a second in /proc/stat */

void facts_cpuinfo(struct buf *b, const struct seal *s)
{
    unsigned n = limits_cpus(s);
    for (unsigned i = 0; i < n; i++)
        buf_addf(b,
                 "processor\t: %u\n"
                 "vendor_id\t: glovebox\n"
                 "model name\t: glovebox\n"
                 "cpu MHz\t\t: 1000.000\n"
                 "cache size\t: 1024 KB\n"
                 "physical id\t: 0\n"
                 "siblings\t: %u\n"
                 "core id\t\t: %u\n"
                 "cpu cores\t: %u\n\n", i, n, i, n);
}

static uint64_t seconds(clockid_t clock)
{
    struct timespec t = { 0 };
    clock_gettime(clock, &t);
    return t.tv_sec > 0 ? (uint64_t)t.tv_sec : 0;
}

/* Processors that have been idle since the start of the clock that the run can
 * read anyway, but for a second: nobody divides by zero. */
void facts_stat(struct buf *b, const struct seal *s)
{
    unsigned n = limits_cpus(s);
    uint64_t up = seconds(CLOCK_BOOTTIME);
    unsigned long long idle = up * TICKS;

    buf_addf(b, "cpu  %u 0 %u %llu 0 0 0 0 0 0\n", n * TICKS, n * TICKS,
             n * idle);
    for (unsigned i = 0; i < n; i++)
        buf_addf(b, "cpu%u %u 0 %u %llu 0 0 0 0 0 0\n", i, TICKS, TICKS, idle);
    buf_addf(b,
             "intr 0\nctxt 0\nbtime %llu\nprocesses 2\nprocs_running 1\n"
             "procs_blocked 0\nsoftirq 0 0 0 0 0 0 0 0 0 0 0\n",
             (unsigned long long)(seconds(CLOCK_REALTIME) - up));
}

void facts_meminfo(struct buf *b, const struct seal *s)
{
    static const char *const full[] = { "MemTotal", "MemFree", "MemAvailable" };
    static const char *const none[] = {
        "Buffers", "Cached", "SwapCached", "Active", "Inactive", "SwapTotal",
        "SwapFree", "Dirty", "Writeback", "AnonPages", "Mapped", "Shmem",
        "Slab", "SReclaimable", "SUnreclaim",
    };
    unsigned long long kb = s->f->limits.memory_bytes / KIB;
    for (size_t i = 0; i < COUNT(full); i++)
        buf_addf(b, "%s: %11llu kB\n", full[i], kb);
    for (size_t i = 0; i < COUNT(none); i++)
        buf_addf(b, "%s: %11u kB\n", none[i], 0u);
}
