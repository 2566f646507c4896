/*
 * guest/node/memory.c -- where V8's memory lies, so that a fork is cheap.
 *
 * fork() and exit() pay for page tables and for pages. V8 asks for every chunk
 * of its heap at a random address, and each then needs page tables of its own;
 * the preloaded library hands chunks out side by side instead, from a base that
 * is random once. Address space is not run out of: a fork asks the kernel
 * directly.
 *
 * V8 also marks memory as not to be forked. For a process that forks in order
 * to go on running JavaScript that is wrong, so that advice is dropped; the
 * jail's filter drops it too, for memory that is not asked for through libc.
 *
 * SPDX-License-Identifier: MIT
 */
#include "inside.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/* V8 asks for a chunk and its alignment less a page, then trims both ends. */
#define CHUNK       ((size_t)256 << 10)
#define PAGE        ((size_t)4096)
#define SMALLEST    (2 * CHUNK - PAGE)
#define LARGEST     ((size_t)32 << 20)
#define HUGE_PAGE   ((size_t)2 << 20)
enum { CHUNKS = 16384, MAX_RANGES = 4096 };

static char *_Atomic base;         /* of CHUNKS chunks; NULL: not chosen yet */
static unsigned char taken[CHUNKS];

static void *kernel_mmap(void *at, size_t len, int prot, int flags, int fd,
                         off_t offset)
{
    return (void *)syscall(SYS_mmap, at, len, prot, flags, fd, offset);
}

/* Somewhere between 16 and 80 TiB: far from the program, its libraries, stacks
 * and the heap of malloc. */
static char *choose_base(void)
{
    uint64_t r = 0;
    if (getrandom(&r, sizeof r, GRND_NONBLOCK) != sizeof r)
        return NULL;
    return (char *)(((uint64_t)16 << 40) + ((r & 0x1ffffff) << 21));
}

static size_t first_free(size_t from, size_t count)
{
    size_t run = 0;
    for (size_t i = from; i < CHUNKS; i++) {
        run = taken[i] ? 0 : run + 1;
        if (run == count)
            return i + 1 - count;
    }
    return CHUNKS;
}

/* Aligned, so V8 keeps the front of it and trims only the end. The trimmed end
 * of one may still be mapped when the next is asked for: then try further. */
static void *beside_others(size_t len, int prot, int flags)
{
    size_t count = (len - (CHUNK - PAGE) + CHUNK - 1) / CHUNK;
    char *none = NULL;
    if (!base)
        atomic_compare_exchange_strong(&base, &none, choose_base());
    if (!base)
        return NULL;
    for (size_t i = first_free(0, count); i < CHUNKS;
         i = first_free(i + 1, count)) {
        char *want = base + i * CHUNK;
        char *got = kernel_mmap(want, len, prot, flags | MAP_FIXED_NOREPLACE,
                                -1, 0);
        if (got == want) {
            memset(taken + i, 1, count);
            return got;
        }
        if (got != MAP_FAILED)    /* a kernel without MAP_FIXED_NOREPLACE */
            syscall(SYS_munmap, got, len);
        else if (errno != EEXIST)
            return NULL;
    }
    return NULL;
}

static int is_heap_chunk(const void *at, size_t len, int flags, int fd)
{
    const int fixed = MAP_FIXED | MAP_FIXED_NOREPLACE;
    const int anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
    return at && fd == -1 && !(flags & fixed) &&
           (flags & anonymous) == anonymous && len >= SMALLEST && len < LARGEST;
}

STAND_IN void *mmap(void *at, size_t len, int prot, int flags, int fd,
                    off_t offset)
{
    if (!in_fork && is_heap_chunk(at, len, flags, fd)) {
        int saved = errno;
        void *got = beside_others(len, prot, flags);
        errno = saved;
        if (got)
            return got;
    }
    return kernel_mmap(at, len, prot, flags, fd, offset);
}

STAND_IN void *mmap64(void *at, size_t len, int prot, int flags, int fd,
                      off64_t offset)
{
    return mmap(at, len, prot, flags, fd, offset);
}

STAND_IN int munmap(void *at, size_t len)
{
    int r = (int)syscall(SYS_munmap, at, len);
    char *from = at;
    if (r != 0 || !base || from < base || from >= base + CHUNKS * CHUNK)
        return r;
    size_t first = ((size_t)(from - base) + CHUNK - 1) / CHUNK;
    size_t end = ((size_t)(from - base) + len + CHUNK - 1) / CHUNK;
    for (size_t i = first; i < end && i < CHUNKS; i++)
        taken[i] = 0;
    return r;
}

STAND_IN int madvise(void *at, size_t len, int advice)
{
    if (advice == MADV_DONTFORK)
        return 0;
    return (int)syscall(SYS_madvise, at, len, advice);
}

/* ---- compaction ---------------------------------------------------------------- */

struct range {
    size_t from, to;
};

/* Private, writable, not of a file. Collected first: collapsing changes the
 * list that is being read. */
static size_t anonymous_ranges(struct range *out, size_t room)
{
    char line[512], rights[8];
    size_t n = 0, from, to;
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return 0;
    while (n < room && fgets(line, sizeof line, maps))
        if (sscanf(line, "%zx-%zx %7s", &from, &to, rights) == 3 &&
            strcmp(rights, "rw-p") == 0 && !strchr(line, '/'))
            out[n++] = (struct range){ from, to };
    fclose(maps);
    return n;
}

/* A huge page that is mostly empty would cost more memory than it saves time. */
static int mostly_there(void *at)
{
    unsigned char page[HUGE_PAGE / PAGE];
    size_t there = 0;
    if (mincore(at, HUGE_PAGE, page) != 0)
        return 0;
    for (size_t i = 0; i < COUNT(page); i++)
        there += page[i] & 1;
    return there >= COUNT(page) / 2;
}

void memory_compact(void)
{
    static struct range range[MAX_RANGES];
    malloc_trim(0);
    size_t n = anonymous_ranges(range, COUNT(range));
    for (size_t i = 0; i < n; i++) {
        size_t at = (range[i].from + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
        for (; at + HUGE_PAGE <= range[i].to; at += HUGE_PAGE)
            if (mostly_there((void *)at))
                syscall(SYS_madvise, at, HUGE_PAGE, MADV_COLLAPSE);
    }
}
