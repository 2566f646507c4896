/* base/buf.c -- bytes with a ceiling.  SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

void buf_init(struct buf *b, size_t max)
{
    size_t top = PTRDIFF_MAX - 1;    /* so that no sum below can wrap */
    *b = (struct buf){ .max = max < top ? max : top };
}

void buf_free(struct buf *b)
{
    free(b->at);
    *b = (struct buf){ .max = b->max };
}

void buf_clear(struct buf *b)
{
    b->len = 0;
    b->failed = 0;
}

static int fail(struct buf *b, int code)
{
    if (!b->failed)
        b->failed = code;
    return b->failed;
}

/*
 * Doubling keeps the cost of n appends linear. One byte more than room is
 * always allocated: vsnprintf() ends its text with a NUL that is not ours.
 */
static int grow(struct buf *b, size_t need)
{
    if (b->failed)
        return b->failed;
    if (need > b->max - b->len)
        return fail(b, -EMSGSIZE);
    need += b->len;
    if (b->at && need <= b->room)
        return 0;

    size_t room = b->room < b->max / 2 ? b->room * 2 : b->max;
    if (room < FIRST_ROOM)
        room = FIRST_ROOM < b->max ? FIRST_ROOM : b->max;
    if (room < need)
        room = need;
    char *at = realloc(b->at, room + 1);
    if (!at)
        return fail(b, -ENOMEM);
    b->at = at;
    b->room = room;
    return 0;
}

char *buf_reserve(struct buf *b, size_t len)
{
    return grow(b, len) < 0 ? NULL : b->at + b->len;
}

int buf_add(struct buf *b, const void *at, size_t len)
{
    if (grow(b, len) < 0)
        return b->failed;
    if (len > 0)
        memcpy(b->at + b->len, at, len);
    b->len += len;
    return 0;
}

int buf_adds(struct buf *b, const char *text)
{
    return buf_add(b, text, strlen(text));
}

/* Formats at the end of b; returns the text's length, which may be too much. */
__attribute__((format(printf, 2, 0)))
static int format(struct buf *b, const char *fmt, va_list ap)
{
    return vsnprintf(b->at + b->len, b->room - b->len + 1, fmt, ap);
}

int buf_addf(struct buf *b, const char *fmt, ...)
{
    if (grow(b, 0) < 0)
        return b->failed;

    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = format(b, fmt, ap);
    if (n < 0)
        fail(b, -EMSGSIZE);
    else if ((size_t)n > b->room - b->len && grow(b, (size_t)n) == 0)
        n = format(b, fmt, again);
    va_end(again);
    va_end(ap);

    if (!b->failed)
        b->len += (size_t)n;
    return b->failed;
}

void buf_drop(struct buf *b, size_t len)
{
    if (len > b->len)
        len = b->len;
    if (len > 0)
        memmove(b->at, b->at + len, b->len - len);
    b->len -= len;
}
