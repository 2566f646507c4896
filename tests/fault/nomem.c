/*
 * tests/fault/nomem.c -- LD_PRELOAD: the Nth allocation fails.
 *
 *   GB_NOMEM_NTH=N     which one, counted from 1 after main() has begun
 *   GB_NOMEM_STAYS=1   and all after it
 *   GB_NOMEM_REPORT=F  append "n\n" to descriptor F when it was reached, so
 *                      that the caller knows when there is no Nth any more
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

static long nth, seen;
static int  stays, report_fd = -1, armed;

__attribute__((constructor)) static void arm(void)
{
    const char *n = getenv("GB_NOMEM_NTH"), *s = getenv("GB_NOMEM_STAYS"),
               *f = getenv("GB_NOMEM_REPORT");
    nth = n ? strtol(n, NULL, 10) : 0;
    stays = s && *s == '1';
    report_fd = f ? (int)strtol(f, NULL, 10) : -1;
    armed = nth > 0;
}

static int fails(void)
{
    if (!armed)
        return 0;
    seen++;
    if (seen == nth && report_fd >= 0)
        (void)!write(report_fd, "n\n", 2);
    if (seen == nth || (stays && seen > nth)) {
        errno = ENOMEM;
        return 1;
    }
    return 0;
}

void *malloc(size_t n)
{
    return fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t each)
{
    return fails() ? NULL : __libc_calloc(n, each);
}

void *realloc(void *p, size_t n)
{
    return fails() ? NULL : __libc_realloc(p, n);
}
