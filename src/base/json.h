/*
 * base/json.h -- JSON as text: check what a guest wrote, write what we say.
 *
 * A guest's value is embedded into a result verbatim, never rebuilt: numbers
 * keep their digits and 16 MiB cost one pass. So what we need is a strict
 * checker and an escaping writer, and no tree (docs/decisions/0006).
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/buf.h"

enum { JSON_MAX_DEPTH = 2100 };

/*
 * Is text exactly one JSON value (RFC 8259), in valid UTF-8 without
 * surrogates, nested no deeper than JSON_MAX_DEPTH? Returns 0, or -EINVAL with
 * the byte offset of the first wrong byte in *out_at (may be NULL).
 */
int json_check(struct str text, size_t *out_at);

/*
 * The writer: json_key() and json_sep() place commas by looking at what stands
 * before. All errors are the buf's.
 */
void json_open(struct buf *b, char bracket);   /* '{' or '[' */
void json_close(struct buf *b, char bracket);  /* '}' or ']' */
void json_key(struct buf *b, const char *key); /* adds a comma when needed */
void json_item(struct buf *b);                 /* next element of an array */
/* A quoted string. Bytes that are not UTF-8 become U+FFFD. */
void json_string(struct buf *b, struct str s);
void json_u64(struct buf *b, uint64_t v);
void json_i64(struct buf *b, int64_t v);
void json_real(struct buf *b, double v, int decimals);
void json_bool(struct buf *b, int v);
void json_null(struct buf *b);
void json_raw(struct buf *b, struct str json);  /* checked by json_check() */

/* Length of the UTF-8 sequence at s (1..4), or 0 if it is not valid. */
size_t utf8_len(const char *s, size_t left);
int    utf8_check(struct str s, size_t *out_at);
