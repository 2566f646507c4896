/* base/json_read.c -- JSON that somebody wrote for us to read.
 * SPDX-License-Identifier: MIT */
#include "base/json_read.h"
#include "base/json.h"

#include <errno.h>
#include <string.h>

/* Everything below walks text that json_check() has accepted. */

const char *json_kind_text(enum json_kind kind)
{
    static const char *const texts[] = {
        [JSON_OBJECT] = "an object",  [JSON_ARRAY] = "an array",
        [JSON_STRING] = "a text",     [JSON_NUMBER] = "a number",
        [JSON_TRUE] = "true",         [JSON_FALSE] = "false",
        [JSON_NULL] = "null",
    };
    return texts[kind];
}

/* ---- strings ---------------------------------------------------------------- */

static unsigned hex4(const char *s)
{
    unsigned v = 0;
    for (int i = 0; i < 4; i++) {
        char c = s[i];
        v = v * 16 + (unsigned)(c <= '9' ? c - '0' : (c & ~0x20) - 'A' + 10);
    }
    return v;
}

static size_t put_utf8(char *out, unsigned c)
{
    static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; n > 1 && i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[n == 1 ? 0 : n] | c);
    return n;
}

/*
 * One character at s as UTF-8 into out[4]; *size is how many bytes that are.
 * Returns how many bytes of the text it takes.
 */
static size_t character(const char *s, char *out, size_t *size)
{
    static const char names[] = "bfnrt", bytes[] = "\b\f\n\r\t";
    if (*s != '\\') {
        *size = 1;
        out[0] = *s;
        return 1;    /* of a longer sequence byte by byte: the same text */
    }
    if (s[1] != 'u') {
        const char *known = strchr(names, s[1]);
        *size = 1;
        out[0] = known ? bytes[known - names] : s[1];
        return 2;
    }
    unsigned c = hex4(s + 2);
    int paired = (c & 0xfc00) == 0xd800;    /* json_check() saw the other half */
    if (paired)
        c = 0x10000 + ((c & 0x3ff) << 10) + (hex4(s + 8) & 0x3ff);
    *size = put_utf8(out, c);
    return paired ? 12 : 6;
}

static struct str inner(struct str quoted)
{
    return quoted.len < 2 ? STR("")
                          : (struct str){ quoted.at + 1, quoted.len - 2 };
}

static void add_text(struct str quoted, struct buf *out)
{
    struct str s = inner(quoted);
    for (size_t i = 0; i < s.len && !out->failed;) {
        char c[4];
        size_t n = 0;
        i += character(s.at + i, c, &n);
        buf_add(out, c, n);
    }
}

static int text_is(struct str quoted, struct str want)
{
    struct str s = inner(quoted);
    size_t seen = 0;
    for (size_t i = 0; i < s.len;) {
        char c[4];
        size_t n = 0;
        i += character(s.at + i, c, &n);
        if (want.len - seen < n || memcmp(want.at + seen, c, n) != 0)
            return 0;
        seen += n;
    }
    return seen == want.len;
}

/* ---- walking ---------------------------------------------------------------- */

static const char *skip_space(const char *s, const char *end)
{
    while (s < end && (*s == ' ' || *s == '\n' || *s == '\r' || *s == '\t'))
        s++;
    return s;
}

static const char *skip_string(const char *s, const char *end)
{
    for (s++; s < end && *s != '"'; s++)
        if (*s == '\\')
            s++;
    return s < end ? s + 1 : end;
}

/* Where the value that begins at s ends. */
static const char *skip_value(const char *s, const char *end)
{
    size_t depth = 0;
    do {
        if (*s == '"') {
            s = skip_string(s, end);
            continue;
        }
        if (*s == '{' || *s == '[')
            depth++;
        if (*s == '}' || *s == ']')
            depth--;
        s++;
        if (depth == 0)
            while (s < end && !strchr(",]} \n\r\t", *s))
                s++;    /* the rest of a number or word; nothing after a bracket */
    } while (depth > 0 && s < end);
    return s;
}

static struct json_value value_at(const char *s, const char *end)
{
    static const struct { char first; enum json_kind kind; } kinds[] = {
        { '{', JSON_OBJECT }, { '[', JSON_ARRAY }, { '"', JSON_STRING },
        { 't', JSON_TRUE },   { 'f', JSON_FALSE }, { 'n', JSON_NULL },
    };
    struct json_value v = { .kind = JSON_NUMBER };
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (*s == kinds[i].first)
            v.kind = kinds[i].kind;
    v.text = (struct str){ s, (size_t)(skip_value(s, end) - s) };
    return v;
}

void json_walk_begin(struct json_walk *w, const struct json_value *of)
{
    *w = (struct json_walk){ .keyed = of->kind == JSON_OBJECT };
    if (of->kind != JSON_OBJECT && of->kind != JSON_ARRAY)
        return;
    w->at = of->text.at + 1;
    w->end = of->text.at + of->text.len - 1;
}

int json_walk_next(struct json_walk *w, struct json_value *out)
{
    const char *s = skip_space(w->at, w->end);
    if (s < w->end && *s == ',')
        s = skip_space(s + 1, w->end);
    if (s == w->end)
        return 0;
    if (w->keyed) {
        const char *after = skip_string(s, w->end);
        w->key = (struct str){ s, (size_t)(after - s) };
        s = skip_space(skip_space(after, w->end) + 1, w->end);    /* the colon */
    }
    *out = value_at(s, w->end);
    w->at = s + out->text.len;
    return 1;
}

/* ---- the whole text --------------------------------------------------------- */

static int key_before(const struct json_value *object, struct str key)
{
    AUTO_BUF text;
    buf_init(&text, JSON_READ_BYTES);
    add_text(key, &text);
    struct json_walk w;
    struct json_value v;
    for (json_walk_begin(&w, object); json_walk_next(&w, &v);) {
        if (w.key.at == key.at)
            return 0;
        if (text_is(w.key, buf_str(&text)))
            return 1;
    }
    return 0;
}

static int look_into(const struct json_value *of, unsigned depth, struct err *e)
{
    struct json_walk w;
    struct json_value v;
    size_t members = 0;
    if (of->kind != JSON_OBJECT && of->kind != JSON_ARRAY)
        return 0;
    if (depth == JSON_READ_DEPTH)
        return err_set(e, -EINVAL, "nested deeper than %d", JSON_READ_DEPTH);
    for (json_walk_begin(&w, of); json_walk_next(&w, &v);) {
        if (w.keyed && ++members > JSON_READ_MEMBERS)
            return err_set(e, -EINVAL, "an object of more than %d members",
                           JSON_READ_MEMBERS);
        if (w.keyed && key_before(of, w.key))
            return err_set(e, -EINVAL, "the key %.*s stands twice",
                           (int)(w.key.len < 60 ? w.key.len : 60), w.key.at);
        int r = look_into(&v, depth + 1, e);
        if (r < 0)
            return r;
    }
    return 0;
}

int json_read(struct str text, struct json_value *out, struct err *e)
{
    size_t at = 0;
    if (text.len > JSON_READ_BYTES)
        return err_set(e, -EINVAL, "larger than 1 MB");
    if (json_check(text, &at) < 0)
        return err_set(e, -EINVAL, "not JSON (at byte %zu)", at);
    const char *end = text.at + text.len;
    struct json_value v = value_at(skip_space(text.at, end), end);
    int r = look_into(&v, 0, e);
    if (r < 0)
        return r;
    *out = v;
    return 0;
}

/* ---- what values mean ------------------------------------------------------- */

int json_key_is(const struct json_walk *w, const char *name)
{
    return w->keyed && text_is(w->key, str_of(name));
}

void json_key_text(const struct json_walk *w, struct buf *out)
{
    add_text(w->key, out);
}

void json_string_text(const struct json_value *v, struct buf *out)
{
    if (v->kind == JSON_STRING)
        add_text(v->text, out);
}

int json_string_is(const struct json_value *v, const char *text)
{
    return v->kind == JSON_STRING && text_is(v->text, str_of(text));
}

int json_whole(const struct json_value *v, uint64_t *out)
{
    uint64_t n = 0;
    if (v->kind != JSON_NUMBER)
        return -EINVAL;
    for (size_t i = 0; i < v->text.len; i++) {
        char c = v->text.at[i];
        if (c < '0' || c > '9' || __builtin_mul_overflow(n, 10, &n) ||
            __builtin_add_overflow(n, (unsigned)(c - '0'), &n))
            return -EINVAL;
    }
    *out = n;
    return 0;
}

int json_member(const struct json_value *of, const char *name,
                struct json_value *out)
{
    struct json_walk w;
    struct json_value v;
    if (of->kind != JSON_OBJECT)
        return 0;
    for (json_walk_begin(&w, of); json_walk_next(&w, &v);) {
        if (!json_key_is(&w, name))
            continue;
        *out = v;
        return 1;
    }
    return 0;
}
