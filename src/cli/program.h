/*
 * cli/program.h -- a program as the caller handed it over: read and checked.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/buf.h"
#include "base/err.h"

#define STDIN_NAME "[stdin]"    /* of a program that was read from there */

struct program {
    const char *path;      /* as given, for messages; borrowed */
    char       *name;      /* what the guest sees: never a path of the host */
    struct buf  source;
    int         ts;        /* by its extension */
};

/*
 * Read a file, or stdin for "-". root may be NULL; else the file must lie
 * under it, and its name is its path from there. Text only: no NUL bytes,
 * valid UTF-8, at most 16 MiB. -ENOENT when there is no such file.
 */
int  program_read(struct program *p, const char *path, const char *root,
                  struct err *e);
/* The text of -e. */
int  program_eval(struct program *p, const char *code, struct err *e);
/* An empty one, to be filled in. */
int  program_named(struct program *p, const char *name, struct err *e);
void program_free(struct program *p);    /* accepts a zeroed one */

/* Is text a program at all? what names it in the message. */
int  program_check(const char *what, struct str text, struct err *e);
