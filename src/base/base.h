/* base/base.h -- small things every file may use.  SPDX-License-Identifier: MIT */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define BIT(n)   (1u << (n))

#define KIB ((uint64_t)1024)
#define MIB ((uint64_t)1024 * 1024)

/* Locals that clean up after themselves. To hand the thing on, take it. */
static inline void fd_closep(int *fd) { if (*fd >= 0) close(*fd); }
static inline int  fd_take(int *fd)   { int v = *fd; *fd = -1; return v; }
#define AUTO_FD __attribute__((cleanup(fd_closep))) int

/* Bytes that belong to somebody else. Not terminated; may hold NUL. */
struct str {
    const char *at;
    size_t      len;
};
#define STR(literal) ((struct str){ (literal), sizeof(literal) - 1 })
struct str str_of(const char *s);                 /* NULL gives the empty str */
int        str_is(struct str s, const char *text);
