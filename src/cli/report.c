/* cli/report.c -- how a run ended, for a person at a terminal.
 * SPDX-License-Identifier: MIT */
#include "cli/report.h"
#include "base/json.h"
#include "base/json_read.h"

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

/* What a guest had a say in, on one line. */
static void add_word(struct buf *out, const char *before, const char *text)
{
    if (!text[0])
        return;
    buf_adds(out, before);
    for (; *text; text++)
        buf_add(out, (unsigned char)*text < 0x20 || *text == 0x7f ? " " : text, 1);
}

/* "glovebox: denied: connect example.com:443 (rule: default). Allow it with
 * --allow-net example.com" */
static void put_denials(struct term *t, const struct run_result *r)
{
    enum { SHOWN = 10 };
    for (size_t i = 0; i < r->denials && i < SHOWN; i++) {
        const struct denial *d = &r->denial[i];
        AUTO_BUF out;
        buf_init(&out, 4096);
        add_word(&out, "glovebox: denied: ", d->what);
        add_word(&out, " ", d->subject);
        if (d->count > 1)
            buf_addf(&out, " (%llu times)", (unsigned long long)d->count);
        add_word(&out, "; rule: ", d->rule);
        add_word(&out, ". ", d->hint);
        buf_adds(&out, "\n");
        term_guest(t, TO_STDERR, buf_str(&out));
        term_guest_end(t, TO_STDERR);
    }
    uint64_t more = r->denials_lost + (r->denials > SHOWN ? r->denials - SHOWN : 0);
    if (more)
        term_say(t, "and %llu more denials", (unsigned long long)more);
}

static void native_failure(struct term *t, const struct run_result *r)
{
    if (r->reason == REASON_NONZERO_EXIT)
        term_say(t, "the program ended with code %d", result_exit_code(r));
    else if (!is_guest_error(r))
        put_ending(t, r);
    put_denials(t, r);
}

void report_failure(struct term *t, const struct plan *p,
                    const struct run_result *r)
{
    term_progress_clear(t);
    if (p->guest) {
        native_failure(t, r);
        return;
    }
    if (r->line && r->file.len)
        put_snippet(t, p, r);
    if (is_guest_error(r) || r->error_printed.len)
        put_error(t, r);
    if (!is_guest_error(r))
        put_ending(t, r);
    put_denials(t, r);
}

void report_files(struct term *t, const struct plan *p,
                  const struct run_result *r)
{
    size_t copied = 0;
    uint64_t left = 0;
    if (!p->options->out)
        return;
    for (size_t i = 0; i < r->files.files; i++)
        copied += r->files.file[i].copied != 0;
    if (t->terminal[TO_STDERR] && copied)
        term_putf(t, TO_STDERR, "%s%zu file%s written to %s%s\n",
                  term_ink(t, TO_STDERR, DIM), copied, copied == 1 ? "" : "s",
                  p->options->out, term_ink(t, TO_STDERR, PLAIN));
    AUTO_BUF why;
    buf_init(&why, 1024);
    for (int i = 0; i < FILE_SKIP_KINDS; i++) {
        uint64_t n = r->files.skipped[i];
        if (n)
            buf_addf(&why, "%s%llu %s", left ? ", " : "", (unsigned long long)n,
                     file_skip_text((enum file_skip)i));
        left += n;
    }
    if (r->files_error[0])
        term_say(t, "--out: %s", r->files_error);
    if (left)
        term_say(t, "--out: %llu left out: %.*s", (unsigned long long)left,
                 (int)why.len, why.at);
}

void report_value(struct term *t, const struct run_result *r)
{
    AUTO_BUF text;
    buf_init(&text, MAX_REPORT);
    int none = r->engine == ENGINE_PYTHON && str_is(r->value, "null");
    if (!r->value.len || none)
        return;
    term_progress_clear(t);
    if (r->value.at[0] == '"')    /* checked when it was taken over */
        json_string_text(&(struct json_value){ JSON_STRING, r->value }, &text);
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
