/* wire/frame.c -- heads and fields.  SPDX-License-Identifier: MIT */
#include "wire/frame.h"

#include <errno.h>

static void store(unsigned char *at, uint64_t v, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(v >> (8 * i));
}

static uint64_t load(const unsigned char *at, size_t bytes)
{
    uint64_t v = 0;
    for (size_t i = 0; i < bytes; i++)
        v |= (uint64_t)at[i] << (8 * i);
    return v;
}

/* --- the head ------------------------------------------------------------- */

int frame_head_read(const unsigned char head[FRAME_HEAD_BYTES],
                    struct frame_head *out)
{
    if (load(head, 4) != FRAME_MAGIC)
        return -EPROTO;
    out->type = (uint32_t)load(head + 4, 4);
    out->len  = load(head + 8, 8);
    return 0;
}

size_t frame_begin(struct buf *b, uint32_t type)
{
    size_t start = b->len;
    put_u32(b, FRAME_MAGIC);
    put_u32(b, type);
    put_u64(b, 0);
    return start;
}

void frame_end(struct buf *b, size_t start)
{
    if (b->failed)
        return;
    size_t len = b->len - start - FRAME_HEAD_BYTES;
    store((unsigned char *)b->at + start + 8, len, 8);
}

/* --- fields out ----------------------------------------------------------- */

static void put(struct buf *b, uint64_t v, size_t bytes)
{
    unsigned char at[8];
    store(at, v, bytes);
    buf_add(b, at, bytes);
}

void put_u8(struct buf *b, uint8_t v)   { put(b, v, 1); }
void put_u32(struct buf *b, uint32_t v) { put(b, v, 4); }
void put_u64(struct buf *b, uint64_t v) { put(b, v, 8); }

void put_str(struct buf *b, struct str s)
{
    if (s.len > UINT32_MAX && !b->failed)
        b->failed = -EMSGSIZE;
    put_u32(b, (uint32_t)s.len);
    buf_add(b, s.at, s.len);
}

/* --- fields in ------------------------------------------------------------ */

struct fields fields_of(struct str body)
{
    const char *at = body.len > 0 ? body.at : "";
    return (struct fields){
        .at  = (const unsigned char *)at,
        .end = (const unsigned char *)at + body.len,
    };
}

/* The next len bytes of the body, or NULL; then the cursor has failed. */
static const unsigned char *take(struct fields *f, size_t len)
{
    if (f->failed || (size_t)(f->end - f->at) < len) {
        f->failed = 1;
        return NULL;
    }
    f->at += len;
    return f->at - len;
}

static uint64_t get(struct fields *f, size_t bytes)
{
    const unsigned char *at = take(f, bytes);
    return at ? load(at, bytes) : 0;
}

uint8_t  get_u8(struct fields *f)  { return (uint8_t)get(f, 1); }
uint32_t get_u32(struct fields *f) { return (uint32_t)get(f, 4); }
uint64_t get_u64(struct fields *f) { return get(f, 8); }

struct str get_str(struct fields *f)
{
    size_t len = get_u32(f);
    const unsigned char *at = take(f, len);
    return at ? (struct str){ (const char *)at, len } : STR("");
}

int get_end(const struct fields *f)
{
    return f->failed || f->at != f->end ? -EPROTO : 0;
}
