/*
 * wire/frame.h -- how our processes talk: typed frames on a stream socket.
 *
 * A frame is a 16-byte head and a body:
 *   u32 magic 'GBX1' | u32 type | u64 body length        (little endian)
 * The body is a sequence of fields in a fixed order, each written by put_*()
 * and read back by the get_*() of the same type; get_end() refuses what is
 * left over. The reader of a frame knows the largest body that is legal for
 * its type before it reads it (wire/messages.h), so a peer cannot make us
 * allocate by announcing a size.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/buf.h"
#include "base/err.h"

enum { FRAME_HEAD_BYTES = 16 };
#define FRAME_MAGIC 0x31584247u    /* "GBX1" */

struct frame_head {
    uint32_t type;
    uint64_t len;
};

/* Returns 0, or -EPROTO if these 16 bytes are not the head of a frame. */
int  frame_head_read(const unsigned char head[FRAME_HEAD_BYTES],
                     struct frame_head *out);

/* Start a frame in b (appends a head with the length open) ... */
size_t frame_begin(struct buf *b, uint32_t type);
/* ... and close it: start is what frame_begin() returned. */
void   frame_end(struct buf *b, size_t start);

void put_u8(struct buf *b, uint8_t v);
void put_u32(struct buf *b, uint32_t v);
void put_u64(struct buf *b, uint64_t v);
void put_str(struct buf *b, struct str s);    /* u32 length and the bytes */

/* A cursor over one body. After a failed get the cursor stays failed and every
 * further get gives zero or the empty str: check once, with get_end(). */
struct fields {
    const unsigned char *at, *end;
    int failed;
};
struct fields fields_of(struct str body);
uint8_t    get_u8(struct fields *f);
uint32_t   get_u32(struct fields *f);
uint64_t   get_u64(struct fields *f);
struct str get_str(struct fields *f);         /* borrowed from the body */
/* 0 if every get succeeded and nothing is left, else -EPROTO. */
int        get_end(const struct fields *f);
