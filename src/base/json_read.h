/*
 * base/json_read.h -- JSON that somebody wrote for us to read: options, not
 * values of guests (those are checked and passed on as they are, base/json.h).
 *
 * json_read() looks at the whole text first; what it accepts can be walked
 * without any further failure. Nothing is copied: values are places in the
 * text, borrowed for as long as it stands. An object that has a key twice is
 * refused, however the two are spelt, because readers differ in which they
 * take.
 *
 *     struct json_value all, v;
 *     struct json_walk w;
 *     if (json_read(text, &all, &e) == 0 && all.kind == JSON_OBJECT)
 *         for (json_walk_begin(&w, &all); json_walk_next(&w, &v);)
 *             if (json_key_is(&w, "name")) ...
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/buf.h"
#include "base/err.h"

enum { JSON_READ_BYTES = 1 << 20, JSON_READ_DEPTH = 32, JSON_READ_MEMBERS = 1024 };

enum json_kind {
    JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_NUMBER, JSON_TRUE, JSON_FALSE,
    JSON_NULL
};
const char *json_kind_text(enum json_kind kind);    /* "an object" */

struct json_value {
    enum json_kind kind;
    struct str     text;    /* with its brackets or quotes */
};

/* Returns 0, or -EINVAL: no JSON, too long, too deep, or a key twice. */
int json_read(struct str text, struct json_value *out, struct err *e);

/* The members of an object or the items of an array, in order. */
struct json_walk {
    const char *at, *end;
    int         keyed;
    struct str  key;        /* as written, with its quotes; empty in an array */
};
void json_walk_begin(struct json_walk *w, const struct json_value *of);
int  json_walk_next(struct json_walk *w, struct json_value *out);    /* 0: end */

int  json_key_is(const struct json_walk *w, const char *name);
/* What the key, or a string, means. Errors are the buf's. */
void json_key_text(const struct json_walk *w, struct buf *out);
void json_string_text(const struct json_value *v, struct buf *out);
int  json_string_is(const struct json_value *v, const char *text);
/* A whole number of at least 0; -EINVAL for all else. */
int  json_whole(const struct json_value *v, uint64_t *out);
/* The member of an object; 0 if there is none, or if of is no object. */
int  json_member(const struct json_value *of, const char *name,
                 struct json_value *out);
