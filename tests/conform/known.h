/*
 * tests/conform/known.h -- a list of known failures that fails both ways.
 *
 * One key a line; what follows " #" is the reason, and a line that begins with
 * # is a comment. A failure that is not listed is a failure; a listed one that
 * no longer happens is a failure too, so the list cannot outlive its reasons.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/io.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KNOWN_MAX_BYTES = 64 << 20 };

struct known_line {
    char *key;
    int   seen;
};

struct known {
    struct buf         text;
    struct known_line *line;    /* sorted by key */
    size_t             count;
};

static inline int known_compare(const void *a, const void *b)
{
    return strcmp(((const struct known_line *)a)->key,
                  ((const struct known_line *)b)->key);
}

/* Cut a comment and blanks off the end; what is left may be empty. */
static inline void known_trim(char *line)
{
    char *comment = line[0] == '#' ? line : strstr(line, " #");
    size_t n = comment ? (size_t)(comment - line) : strlen(line);
    while (n > 0 && (line[n - 1] == ' ' || line[n - 1] == '\r'))
        n--;
    line[n] = 0;
}

/* A path of NULL gives an empty list. */
static inline int known_read(const char *path, struct known *out, struct err *e)
{
    *out = (struct known){ 0 };
    buf_init(&out->text, KNOWN_MAX_BYTES);
    int r = path ? io_read_file(path, KNOWN_MAX_BYTES - 1, &out->text, e) : 0;
    if (r < 0)
        return r;
    buf_add(&out->text, "", 1);
    size_t lines = 1;
    for (size_t i = 0; i < out->text.len; i++)
        lines += out->text.at[i] == '\n';
    out->line = calloc(lines, sizeof *out->line);
    if (!out->line)
        return err_set(e, -ENOMEM, "known failures: no memory");
    for (char *at = out->text.at, *end; at; at = end) {
        end = strchr(at, '\n');
        if (end)
            *end++ = 0;
        known_trim(at);
        if (*at)
            out->line[out->count++].key = at;
    }
    qsort(out->line, out->count, sizeof *out->line, known_compare);
    return 0;
}

/* Is it listed? Then it has been seen. */
static inline int known_has(struct known *k, const char *key)
{
    struct known_line want = { (char *)(uintptr_t)key, 0 };
    struct known_line *found = k->count == 0 ? NULL :
        bsearch(&want, k->line, k->count, sizeof *k->line, known_compare);
    if (found)
        found->seen = 1;
    return found != NULL;
}
