/* cli/report.c -- how a run ended, for a person at a terminal.
 * SPDX-License-Identifier: MIT */
#include "cli/report.h"
#include "base/json.h"

#include <string.h>

enum { SNIPPET_CHARS = 100, SNIPPET_BEFORE = 60, MAX_REPORT = 1 << 30 };

/* Line number n (from 1) of a text, without its end. */
static struct str line_of(struct str text, uint32_t n)
{
    while (n > 1) {
        const char *end = text.len ? memchr(text.at, '\n', text.len) : NULL;
        if (!end)
            return STR("");
        text.len -= (size_t)(end + 1 - text.at);
        text.at = end + 1;
        n--;
    }
    const char *end = text.len ? memchr(text.at, '\n', text.len) : NULL;
    if (end)
        text.len = (size_t)(end - text.at);
    if (text.len && text.at[text.len - 1] == '\r')
        text.len--;
    return text;
}

/* How many bytes the first n characters take. */
static size_t bytes_of(struct str s, size_t n)
{
    size_t at = 0;
    while (n-- && at < s.len) {
        size_t len = utf8_len(s.at + at, s.len - at);
        at += len ? len : 1;
    }
    return at;
}

/*
 * The line and a caret under its column. Of a long line only the part around
 * the column is shown; tabs before the caret stay tabs, so it stands right.
 */
static void add_snippet(struct buf *out, struct str line, uint32_t column)
{
    size_t before = column ? column - 1 : 0;
    int cut_left = 0;
    if (before > SNIPPET_BEFORE) {
        size_t skip = bytes_of(line, before - SNIPPET_BEFORE);
        line.at += skip;
        line.len -= skip;
        before = SNIPPET_BEFORE;
        cut_left = 1;
    }
    size_t shown = bytes_of(line, SNIPPET_CHARS);
    buf_addf(out, "%s%.*s%s\n", cut_left ? "…" : "", (int)shown, line.at,
             shown < line.len ? "…" : "");
    if (!column)
        return;
    buf_adds(out, cut_left ? " " : "");
    size_t at = 0;
    for (size_t i = 0; i < before && at < line.len; i++) {
        size_t len = utf8_len(line.at + at, line.len - at);
        buf_adds(out, line.at[at] == '\t' ? "\t" : " ");
        at += len ? len : 1;
    }
    buf_adds(out, "^\n");
}

static void put_snippet(struct term *t, const struct plan *p,
                        const struct run_result *r)
{
    AUTO_BUF scratch;
    AUTO_BUF out;
    buf_init(&scratch, MAX_SOURCE_BYTES + (1 << 20));
    buf_init(&out, 16 << 10);
    struct str line = line_of(plan_source(p, r->file, &scratch), r->line);
    if (!line.len)
        return;    /* a file of nobody's, or a line that is not there */
    buf_addf(&out, "%.*s:%u\n", (int)r->file.len, r->file.at, r->line);
    add_snippet(&out, line, r->column);
    buf_adds(&out, "\n");
    term_guest(t, TO_STDERR, buf_str(&out));
}

static int is_guest_error(const struct run_result *r)
{
    return r->reason == REASON_EXCEPTION || r->reason == REASON_SYNTAX_ERROR;
}

static void put_error(struct term *t, const struct run_result *r)
{
    term_put(t, TO_STDERR, str_of(term_ink(t, TO_STDERR, RED)));
    if (r->error_printed.len) {
        term_guest(t, TO_STDERR, r->error_printed);
    } else {
        AUTO_BUF text;
        buf_init(&text, 1 << 20);
        buf_addf(&text, "%.*s%s%.*s", (int)r->error_name.len, r->error_name.at,
                 r->error_name.len ? ": " : "", (int)r->error_message.len,
                 r->error_message.at);
        term_guest(t, TO_STDERR, buf_str(&text));
    }
    term_guest_end(t, TO_STDERR);
    term_putf(t, TO_STDERR, "%s\n", term_ink(t, TO_STDERR, PLAIN));
}

/* "glovebox: memory_limit: the program held more than 64 MB (limit memory_mb
 * 64). Raise it with --memory, or hold less at once." */
static void put_ending(struct term *t, const struct run_result *r)
{
    AUTO_BUF out;
    buf_init(&out, 4096);
    buf_addf(&out, "glovebox: %s%s%s: ", term_ink(t, TO_STDERR, BOLD),
             reason_text(r->reason), term_ink(t, TO_STDERR, PLAIN));
    result_sentence(r, &out);
    if (r->limit != LIMIT_NONE) {
        buf_adds(&out, " (limit ");
        result_limit_text(r, &out);
        buf_adds(&out, ")");
    }
    const char *hint = result_hint(r);
    if (hint)
        buf_addf(&out, ". %c%s", hint[0] & ~0x20, hint + 1);
    buf_adds(&out, ".\n");
    term_guest(t, TO_STDERR, buf_str(&out));
    term_guest_end(t, TO_STDERR);
}

void report_failure(struct term *t, const struct plan *p,
                    const struct run_result *r)
{
    term_progress_clear(t);
    if (r->line && r->file.len)
        put_snippet(t, p, r);
    if (is_guest_error(r) || r->error_printed.len)
        put_error(t, r);
    if (!is_guest_error(r))
        put_ending(t, r);
}

static unsigned hex4(const char *s)
{
    unsigned v = 0;
    for (int i = 0; i < 4; i++) {
        char c = s[i];
        v = v * 16 + (unsigned)(c <= '9' ? c - '0' : (c & ~0x20) - 'A' + 10);
    }
    return v;
}

static void add_utf8(struct buf *out, unsigned c)
{
    unsigned char b[4] = { (unsigned char)c };
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    for (size_t i = n; n > 1 && i-- > 0; c >>= 6)
        b[i] = (unsigned char)(i ? 0x80 | (c & 0x3f) : lead[n] | c);
    buf_add(out, b, n);
}

/* One escape of a JSON string at s, checked before; how many bytes it takes. */
static size_t add_escape(struct buf *out, const char *s)
{
    static const char names[] = "bfnrt", bytes[] = "\b\f\n\r\t";
    const char *known = strchr(names, s[1]);
    if (s[1] != 'u') {
        buf_add(out, known ? &bytes[known - names] : &s[1], 1);
        return 2;
    }
    unsigned c = hex4(s + 2);
    int paired = (c & 0xfc00) == 0xd800 && s[6] == '\\' && s[7] == 'u' &&
                 (hex4(s + 8) & 0xfc00) == 0xdc00;
    if (paired)
        c = 0x10000 + ((c & 0x3ff) << 10) + (hex4(s + 8) & 0x3ff);
    add_utf8(out, (c & ~0x7ffu) == 0xd800 ? 0xfffd : c);
    return paired ? 12 : 6;
}

/* The text that a JSON string means. */
static void add_string(struct buf *out, struct str json)
{
    for (size_t i = 1; i + 1 < json.len;) {
        if (json.at[i] == '\\') {
            i += add_escape(out, json.at + i);
        } else {
            size_t n = strcspn(json.at + i, "\\\"");
            buf_add(out, json.at + i, n);
            i += n;
        }
    }
}

void report_value(struct term *t, const struct run_result *r)
{
    AUTO_BUF text;
    buf_init(&text, MAX_REPORT);
    if (!r->value.len)
        return;
    term_progress_clear(t);
    if (r->value.at[0] == '"')
        add_string(&text, r->value);
    else
        buf_add(&text, r->display.len ? r->display.at : r->value.at,
                r->display.len ? r->display.len : r->value.len);
    term_guest(t, TO_STDOUT, buf_str(&text));
    term_guest_end(t, TO_STDOUT);
    term_put(t, TO_STDOUT, STR("\n"));
}

int report_json(struct term *t, const struct run_result *r,
                enum json_layout layout)
{
    AUTO_BUF out;
    buf_init(&out, MAX_REPORT);
    result_json(&out, r, layout);
    buf_adds(&out, "\n");
    term_progress_clear(t);
    if (out.failed)
        term_say(t, "the result is too large to print: %s", strerror(-out.failed));
    else
        term_put(t, TO_STDOUT, buf_str(&out));
    return out.failed;
}
