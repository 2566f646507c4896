/*
 * base/err.h -- what went wrong, for a person to read.
 *
 * A struct err is plain memory owned by whoever declares it, so reporting a
 * failure never allocates, and the value can cross a pipe from a forked child.
 * Every function that takes one accepts NULL: the caller only wants the code.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

struct err {
    int  code;      /* negative errno; 0 while nothing has failed */
    char msg[400];  /* "image: open base.image: No such file or directory" */
};

/* Record a failure and return its code, so callers can `return err_...`. */
int err_set(struct err *e, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a failed system call: code and text come from errno. */
int err_sys(struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
