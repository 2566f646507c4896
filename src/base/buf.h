/*
 * base/buf.h -- bytes that grow up to a ceiling named at birth.
 *
 * A buf that failed once (no memory, or past its ceiling) stays failed and
 * swallows further appends, so a writer checks once, at the end.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/base.h"

struct buf {
    char  *at;
    size_t len, room, max;
    int    failed;    /* 0, -ENOMEM or -EMSGSIZE */
};

void buf_init(struct buf *b, size_t max);
void buf_free(struct buf *b);                  /* accepts a zeroed buf */
void buf_clear(struct buf *b);                 /* keeps the memory, forgets failure */
int  buf_add(struct buf *b, const void *at, size_t len);
int  buf_adds(struct buf *b, const char *text);
int  buf_addf(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Room for len more bytes at the end, or NULL. The caller then adds to len. */
char *buf_reserve(struct buf *b, size_t len);
void buf_drop(struct buf *b, size_t len);      /* remove from the front */
static inline struct str buf_str(const struct buf *b)
{
    return (struct str){ b->at, b->len };
}
#define AUTO_BUF __attribute__((cleanup(buf_free))) struct buf
