/* base/err.c -- what went wrong, for a person.  SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A failure must never look like success to a caller that tests for < 0. */
static int as_failure(int code)
{
    return code < 0 ? code : code > 0 ? -code : -EIO;
}

/*
 * Formats beside e->msg and copies, so that a caller may add context to an
 * error it was given: err_set(e, e->code, "image: %s", e->msg). When it does
 * not all fit, the front is cut short and the reason at the end stays.
 */
__attribute__((format(printf, 3, 0)))
static void say(struct err *e, const char *reason, const char *fmt, va_list ap)
{
    char   text[sizeof e->msg];
    size_t tail = reason ? strlen(reason) + 2 : 0;
    size_t room = tail < sizeof text ? sizeof text - tail : 1;

    int n = vsnprintf(text, room, fmt, ap);
    size_t len = n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
    text[len] = 0;
    if (reason)
        (void)snprintf(text + len, sizeof text - len, ": %s", reason);
    memcpy(e->msg, text, sizeof text);
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
    code = as_failure(code);
    if (e) {
        va_list ap;
        va_start(ap, fmt);
        say(e, NULL, fmt, ap);
        va_end(ap);
        e->code = code;
    }
    return code;
}

int err_sys(struct err *e, const char *fmt, ...)
{
    int code = as_failure(errno);
    if (e) {
        va_list ap;
        va_start(ap, fmt);
        say(e, strerror(-code), fmt, ap);
        va_end(ap);
        e->code = code;
    }
    return code;
}
