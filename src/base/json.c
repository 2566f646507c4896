/* base/json.c -- check JSON, write JSON.  SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- text ----------------------------------------------------------------- */

/*
 * How many bytes from s on need no second look: printable ASCII that is
 * neither quote nor backslash. Eight at a time; the sum of the three tests has
 * a high bit set exactly if one of the eight is something else.
 */
static size_t plain_bytes(const char *s, size_t len)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    size_t n = 0;

    for (; len - n >= 8; n += 8) {
        uint64_t w;
        memcpy(&w, s + n, 8);
        uint64_t control = w - each * 0x20;
        uint64_t quote   = (w ^ each * '"') - each;
        uint64_t slash   = (w ^ each * '\\') - each;
        if ((control | quote | slash | w) & each * 0x80)
            break;
    }
    while (n < len && (unsigned char)s[n] >= 0x20 && (unsigned char)s[n] < 0x80
           && s[n] != '"' && s[n] != '\\')
        n++;
    return n;
}

/*
 * The ranges of the Unicode standard, table 3-7: the second byte's range
 * depends on the first, which is what keeps out overlong forms (E0, F0),
 * surrogates (ED) and what lies past U+10FFFF (F4).
 */
size_t utf8_len(const char *s, size_t left)
{
    static const struct { unsigned char first, last, low, high, len; } row[] = {
        { 0x00, 0x7F, 0x00, 0x00, 1 },
        { 0xC2, 0xDF, 0x80, 0xBF, 2 },
        { 0xE0, 0xE0, 0xA0, 0xBF, 3 },
        { 0xE1, 0xEC, 0x80, 0xBF, 3 },
        { 0xED, 0xED, 0x80, 0x9F, 3 },
        { 0xEE, 0xEF, 0x80, 0xBF, 3 },
        { 0xF0, 0xF0, 0x90, 0xBF, 4 },
        { 0xF1, 0xF3, 0x80, 0xBF, 4 },
        { 0xF4, 0xF4, 0x80, 0x8F, 4 },
    };
    const unsigned char *u = (const unsigned char *)s;
    size_t i = 0;

    if (left == 0)
        return 0;
    while (i < COUNT(row) && u[0] > row[i].last)
        i++;
    if (i == COUNT(row) || u[0] < row[i].first || left < row[i].len)
        return 0;
    if (row[i].len > 1 && (u[1] < row[i].low || u[1] > row[i].high))
        return 0;
    for (size_t k = 2; k < row[i].len; k++)
        if ((u[k] & 0xC0) != 0x80)
            return 0;
    return row[i].len;
}

int utf8_check(struct str s, size_t *out_at)
{
    for (size_t i = 0; i < s.len; ) {
        size_t n = plain_bytes(s.at + i, s.len - i);
        if (n == 0)
            n = utf8_len(s.at + i, s.len - i);
        if (n == 0) {
            if (out_at)
                *out_at = i;
            return -EINVAL;
        }
        i += n;
    }
    return 0;
}

/* --- the checker ---------------------------------------------------------- */

enum want {
    WANT_VALUE, WANT_VALUE_OR_END, WANT_KEY, WANT_KEY_OR_END,
    WANT_COMMA_OR_END, WANT_NOTHING
};

/*
 * Where the checker stands. A guest chooses how deep its value is nested, so
 * the nesting is kept here and not in C's stack. On failure `at` is the first
 * wrong byte.
 */
struct scan {
    const char *at, *end;
    enum want   want;
    size_t      depth;
    char        close[JSON_MAX_DEPTH];    /* what ends each open bracket */
};

static int at_digit(const struct scan *s)
{
    return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

static int at_char(const struct scan *s, char c)
{
    return s->at < s->end && *s->at == c;
}

static void skip_space(struct scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n'
                              || *s->at == '\r' || *s->at == '\t'))
        s->at++;
}

static int scan_digits(struct scan *s)
{
    if (!at_digit(s))
        return -EINVAL;
    while (at_digit(s))
        s->at++;
    return 0;
}

static int scan_number(struct scan *s)
{
    if (at_char(s, '-'))
        s->at++;
    if (at_char(s, '0'))
        s->at++;
    else if (scan_digits(s) < 0)
        return -EINVAL;

    if (at_char(s, '.')) {
        s->at++;
        if (scan_digits(s) < 0)
            return -EINVAL;
    }
    if (at_char(s, 'e') || at_char(s, 'E')) {
        s->at++;
        if (at_char(s, '+') || at_char(s, '-'))
            s->at++;
        if (scan_digits(s) < 0)
            return -EINVAL;
    }
    return 0;
}

static int scan_word(struct scan *s, const char *word)
{
    for (; *word; word++, s->at++)
        if (!at_char(s, *word))
            return -EINVAL;
    return 0;
}

static int scan_hex4(struct scan *s, unsigned *out)
{
    unsigned v = 0;
    for (int i = 0; i < 4; i++, s->at++) {
        char c = s->at < s->end ? *s->at : 0;
        if (c >= '0' && c <= '9')
            v = v * 16 + (unsigned)(c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            v = v * 16 + (unsigned)((c | 0x20) - 'a' + 10);
        else
            return -EINVAL;
    }
    *out = v;
    return 0;
}

/*
 * RFC 8259 lets half a surrogate pair stand in an escape, and every reader
 * then does something else with it; we hand on only what all read alike.
 */
static int scan_unicode_escape(struct scan *s)
{
    const char *start = s->at;
    unsigned unit = 0, low = 0;

    s->at += 2;
    if (scan_hex4(s, &unit) < 0)
        return -EINVAL;
    if ((unit & 0xF800) != 0xD800)
        return 0;
    if (unit < 0xDC00 && s->end - s->at >= 2 && !memcmp(s->at, "\\u", 2)) {
        s->at += 2;
        if (scan_hex4(s, &low) < 0)
            return -EINVAL;
        if ((low & 0xFC00) == 0xDC00)
            return 0;
    }
    s->at = start;
    return -EINVAL;
}

static int scan_escape(struct scan *s)
{
    if (s->end - s->at >= 2 && s->at[1] == 'u')
        return scan_unicode_escape(s);
    s->at++;
    if (s->at == s->end || !memchr("\"\\/bfnrt", *s->at, 8))
        return -EINVAL;
    s->at++;
    return 0;
}

static int scan_string(struct scan *s)
{
    if (!at_char(s, '"'))
        return -EINVAL;
    s->at++;
    for (;;) {
        s->at += plain_bytes(s->at, (size_t)(s->end - s->at));
        if (s->at == s->end)
            return -EINVAL;
        if (*s->at == '"')
            break;
        if (*s->at == '\\') {
            if (scan_escape(s) < 0)
                return -EINVAL;
            continue;
        }
        size_t n = utf8_len(s->at, (size_t)(s->end - s->at));
        if (n == 0 || (unsigned char)*s->at < 0x20)
            return -EINVAL;
        s->at += n;
    }
    s->at++;
    return 0;
}

static int value_done(struct scan *s)
{
    s->want = s->depth > 0 ? WANT_COMMA_OR_END : WANT_NOTHING;
    return 0;
}

static int enter(struct scan *s, char close, enum want want)
{
    if (s->depth == JSON_MAX_DEPTH)
        return -EINVAL;
    s->close[s->depth++] = close;
    s->want = want;
    s->at++;
    return 0;
}

static int leave(struct scan *s)
{
    s->depth--;
    s->at++;
    return value_done(s);
}

static int scan_value(struct scan *s)
{
    int r;
    switch (*s->at) {
    case '{': return enter(s, '}', WANT_KEY_OR_END);
    case '[': return enter(s, ']', WANT_VALUE_OR_END);
    case '"': r = scan_string(s);        break;
    case 't': r = scan_word(s, "true");  break;
    case 'f': r = scan_word(s, "false"); break;
    case 'n': r = scan_word(s, "null");  break;
    default:  r = scan_number(s);        break;
    }
    return r < 0 ? r : value_done(s);
}

static int scan_key(struct scan *s)
{
    if (scan_string(s) < 0)
        return -EINVAL;
    skip_space(s);
    if (!at_char(s, ':'))
        return -EINVAL;
    s->at++;
    s->want = WANT_VALUE;
    return 0;
}

static int scan_comma(struct scan *s)
{
    if (!at_char(s, ','))
        return -EINVAL;
    s->at++;
    s->want = s->close[s->depth - 1] == '}' ? WANT_KEY : WANT_VALUE;
    return 0;
}

static int scan_next(struct scan *s)
{
    int may_end = s->want == WANT_COMMA_OR_END || s->want == WANT_KEY_OR_END
                  || s->want == WANT_VALUE_OR_END;
    if (may_end && *s->at == s->close[s->depth - 1])
        return leave(s);

    switch (s->want) {
    case WANT_VALUE:
    case WANT_VALUE_OR_END: return scan_value(s);
    case WANT_KEY:
    case WANT_KEY_OR_END:   return scan_key(s);
    case WANT_COMMA_OR_END: return scan_comma(s);
    case WANT_NOTHING:      break;
    }
    return -EINVAL;
}

int json_check(struct str text, size_t *out_at)
{
    struct str in = text.len > 0 ? text : STR("");
    struct scan s;    /* close[] is large and filled as it is needed */
    s.at = in.at;
    s.end = in.at + in.len;
    s.want = WANT_VALUE;
    s.depth = 0;

    int r = 0;
    for (skip_space(&s); s.at < s.end; skip_space(&s)) {
        r = scan_next(&s);
        if (r < 0)
            break;
    }
    if (r == 0 && s.want == WANT_NOTHING)
        return 0;
    if (out_at)
        *out_at = (size_t)(s.at - in.at);
    return -EINVAL;
}

/* --- the writer ----------------------------------------------------------- */

/* No value ends in an opening bracket, so the last byte tells if one is due. */
static void comma_unless(struct buf *b, char bracket)
{
    if (!b->failed && b->len > 0 && b->at[b->len - 1] != bracket)
        buf_adds(b, ",");
}

void json_open(struct buf *b, char bracket)  { buf_add(b, &bracket, 1); }
void json_close(struct buf *b, char bracket) { buf_add(b, &bracket, 1); }
void json_item(struct buf *b)                { comma_unless(b, '['); }

void json_key(struct buf *b, const char *key)
{
    comma_unless(b, '{');
    json_string(b, str_of(key));
    buf_adds(b, ":");
}

static void add_escaped(struct buf *b, unsigned char c)
{
    static const char letter[] = {
        ['"'] = '"', ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
        ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't',
    };
    if (c < COUNT(letter) && letter[c])
        buf_add(b, (char[]){ '\\', letter[c] }, 2);
    else
        buf_addf(b, "\\u%04x", c);
}

void json_string(struct buf *b, struct str s)
{
    buf_adds(b, "\"");
    for (size_t i = 0; i < s.len && !b->failed; ) {
        const char *at = s.at + i;
        size_t n = plain_bytes(at, s.len - i);
        if (n == 0 && (unsigned char)*at >= 0x80)
            n = utf8_len(at, s.len - i);
        if (n > 0)
            buf_add(b, at, n);
        else if ((unsigned char)*at >= 0x80)
            buf_adds(b, "\xEF\xBF\xBD");    /* U+FFFD */
        else
            add_escaped(b, (unsigned char)*at);
        i += n > 0 ? n : 1;
    }
    buf_adds(b, "\"");
}

void json_u64(struct buf *b, uint64_t v) { buf_addf(b, "%" PRIu64, v); }
void json_i64(struct buf *b, int64_t v)  { buf_addf(b, "%" PRId64, v); }
void json_bool(struct buf *b, int v)     { buf_adds(b, v ? "true" : "false"); }
void json_null(struct buf *b)            { buf_adds(b, "null"); }

/*
 * At most that many decimals: zeros at the end say nothing. JSON has no word
 * for what is not finite; JavaScript writes null, and so do we.
 */
void json_real(struct buf *b, double v, int decimals)
{
    if (!(v - v == 0)) {
        json_null(b);
        return;
    }
    size_t start = b->len;
    buf_addf(b, "%.*f", decimals, v);
    if (b->failed)
        return;
    if (memchr(b->at + start, '.', b->len - start)) {
        while (b->at[b->len - 1] == '0')
            b->len--;
        if (b->at[b->len - 1] == '.')
            b->len--;
    }
    if (b->len - start == 2 && !memcmp(b->at + start, "-0", 2)) {
        b->at[start] = '0';
        b->len--;
    }
}

void json_raw(struct buf *b, struct str json) { buf_add(b, json.at, json.len); }
