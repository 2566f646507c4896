/*
 * wire/inside.h -- private to this folder: put_X and get_X out of one list.
 *
 * The fields of a message are written down once, F(kind, name) in wire order,
 * and both directions are generated from that list, so they cannot disagree. A
 * field has a kind; the kind says how it is encoded and which values are legal,
 * and both directions refuse all others.
 *
 * A file that uses MESSAGE_OF() has a max_body() of its own: the largest legal
 * body of a message, by its number.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "wire/messages.h"

#include <errno.h>

/* --- which messages there are --------------------------------------------- */

/* The rule of a message in a table by number, or NULL: there is none. */
static inline const struct message_rule *
rule_in(const struct message_rule *rules, size_t count, uint32_t type)
{
    return type < count && rules[type].name ? &rules[type] : NULL;
}

/* --- kinds of fields ------------------------------------------------------ */

/* The first refusal is the one that is told. */
static inline void refuse(struct buf *b, int code)
{
    if (!b->failed)
        b->failed = code;
}

/* Its name, its type in C, its encoding, and which values v are legal. */
#define KIND(kind, type, code, legal)                                     \
    static inline void add_##kind(struct buf *b, type v)                  \
    {                                                                     \
        if (!(legal))                                                     \
            refuse(b, -EPROTO);                                           \
        put_##code(b, v);                                                 \
    }                                                                     \
    static inline type take_##kind(struct fields *f)                      \
    {                                                                     \
        type v = get_##code(f);                                           \
        if (!(legal))                                                     \
            f->failed = 1;                                                \
        return v;                                                         \
    }

static inline int are_headers(struct str s)
{
    struct str name, value;
    int r, n = 0;
    if (s.len > MAX_HEADERS_BYTES)
        return 0;
    while ((r = header_next(&s, &name, &value)) > 0)
        if (++n > MAX_HEADERS)
            return 0;
    return r == 0;
}

/* Kinds that mean the same on every channel. */
KIND(u32,      uint32_t,   u32, 1)
KIND(u64,      uint64_t,   u64, 1)
KIND(yesno,    uint8_t,    u8,  v <= 1)
KIND(redirect, uint8_t,    u8,  v < REDIRECTS)
KIND(headers,  struct str, str, are_headers(v))
KIND(body,     struct str, str, v.len <= MAX_FETCH_BODY)
KIND(text,     struct str, str, 1)    /* as long as the message may be */

/* --- put and get ---------------------------------------------------------- */

/* A body the other side would refuse for its size never leaves this one. What
 * stood in b before a refused message stays whole. */
static inline void close_frame(struct buf *b, size_t start, uint64_t max)
{
    frame_end(b, start);
    if (!b->failed && b->len - start - FRAME_HEAD_BYTES > max)
        refuse(b, -EMSGSIZE);
    if (b->failed)
        b->len = start;
}

/* 0 if all of a body was legal fields and it is no larger than max. */
static inline int close_body(const struct fields *f, struct str body,
                             uint64_t max)
{
    return get_end(f) < 0 || body.len > max ? -EPROTO : 0;
}

#define ADD_FIELD(kind, field)  add_##kind(b, m->field);
#define TAKE_FIELD(kind, field) m->field = take_##kind(f);

/* The fields of a struct, without a frame: add_X_fields and take_X_fields. */
#define FIELDS_OF(name, type, LIST)                                       \
    static void add_##name##_fields(struct buf *b, const type *m)         \
    {                                                                     \
        LIST(ADD_FIELD)                                                   \
    }                                                                     \
    static void take_##name##_fields(struct fields *f, type *m)           \
    {                                                                     \
        LIST(TAKE_FIELD)                                                  \
    }

/* A message that is nothing but its fields: put_X and get_X. What get_X refuses
 * leaves *out as it was. */
#define MESSAGE_OF(name, type, number, LIST)                              \
    FIELDS_OF(name, type, LIST)                                           \
    void put_##name(struct buf *b, const type *m)                         \
    {                                                                     \
        size_t start = frame_begin(b, number);                            \
        add_##name##_fields(b, m);                                        \
        close_frame(b, start, max_body(number));                          \
    }                                                                     \
    int get_##name(struct str body, type *out)                            \
    {                                                                     \
        struct fields f = fields_of(body);                                \
        type m;                                                           \
        take_##name##_fields(&f, &m);                                     \
        if (close_body(&f, body, max_body(number)) < 0)                   \
            return -EPROTO;                                               \
        *out = m;                                                         \
        return 0;                                                         \
    }
