/* cli/term.c -- stdout and stderr.  SPDX-License-Identifier: MIT */
#include "cli/term.h"
#include "cli/interrupt.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wants_color(int terminal)
{
    const char *no = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE");
    const char *kind = getenv("TERM");
    if (no && *no)
        return 0;
    if (force && *force && strcmp(force, "0") != 0)
        return 1;
    return terminal && kind && *kind && strcmp(kind, "dumb") != 0;
}

void term_init(struct term *t, int no_color)
{
    *t = (struct term){ 0 };
    for (int i = 0; i < TO_STREAMS; i++) {
        t->terminal[i] = isatty(i + 1);
        t->color[i] = !no_color && wants_color(t->terminal[i]);
    }
}

/* Blocks while the reader is slow, but an interrupt gets through. */
void term_put(struct term *t, int to, struct str s)
{
    if (to == TO_STDOUT && t->broken)
        return;
    while (s.len) {
        ssize_t n = write(to + 1, s.at, s.len);
        if (n < 0 && errno == EINTR && !interrupt_seen())
            continue;
        if (n < 0) {
            if (to == TO_STDOUT && errno != EINTR)
                t->broken = errno;
            return;
        }
        s.at += n;
        s.len -= (size_t)n;
    }
}

__attribute__((format(printf, 3, 0)))
static void put_args(struct term *t, int to, const char *fmt, va_list ap)
{
    char line[2048];
    int n = vsnprintf(line, sizeof line, fmt, ap);
    if (n > 0)
        term_put(t, to, (struct str){ line, (size_t)n < sizeof line
                                                ? (size_t)n : sizeof line - 1 });
}

void term_putf(struct term *t, int to, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_args(t, to, fmt, ap);
    va_end(ap);
}

const char *term_ink(const struct term *t, int to, enum color c)
{
    static const char *const inks[] = {
        [PLAIN] = "\033[0m", [BOLD] = "\033[1m", [DIM] = "\033[2m",
        [RED] = "\033[31m", [GREEN] = "\033[32m", [YELLOW] = "\033[33m",
    };
    return t->color[to] ? inks[c] : "";
}

void term_say(struct term *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    term_progress_clear(t);
    term_put(t, TO_STDERR, STR("glovebox: "));
    put_args(t, TO_STDERR, fmt, ap);
    term_put(t, TO_STDERR, STR("\n"));
    va_end(ap);
}

void term_progress(struct term *t, const char *fmt, ...)
{
    if (!t->terminal[TO_STDERR])
        return;
    va_list ap;
    va_start(ap, fmt);
    term_put(t, TO_STDERR, STR("\r\033[K"));
    put_args(t, TO_STDERR, fmt, ap);
    va_end(ap);
    t->progress = 1;
}

void term_progress_clear(struct term *t)
{
    if (t->progress)
        term_put(t, TO_STDERR, STR("\r\033[K"));
    t->progress = 0;
}

/* ---- a guest's text ------------------------------------------------------- */

/* Show a control byte as people write it: ^[ for escape. */
static void show_byte(struct buf *out, unsigned char c)
{
    if (c >= 0x20 && c != 0x7f)
        buf_add(out, &c, 1);
    else
        buf_addf(out, "^%c", c ^ 0x40);
}

static void show_held(struct term *t, int to, struct buf *out)
{
    for (int i = 0; i < t->holds[to]; i++)
        show_byte(out, (unsigned char)t->held[to][i]);
    t->holds[to] = 0;
}

/* U+0080 to U+009F are escapes too; as UTF-8 they are C2 80 to C2 9F. */
static void after_c2(struct term *t, int to, unsigned char c, struct buf *out)
{
    t->holds[to] = 0;
    if (c >= 0x80 && c < 0xa0) {
        buf_addf(out, "<%02x>", c);
        return;
    }
    buf_add(out, "\xc2", 1);
    buf_add(out, &c, 1);
}

/*
 * Inside an escape sequence. Only ESC [ digits ; ... m passes, the one that
 * sets colours. Anything else is no longer held back but shown.
 */
static void hold(struct term *t, int to, unsigned char c, struct buf *out)
{
    int n = t->holds[to];
    if (n && (unsigned char)t->held[to][0] == 0xc2) {
        after_c2(t, to, c, out);
        return;
    }
    t->held[to][t->holds[to]++] = (char)c;
    if (n == 0 || (n == 1 && c == '['))
        return;
    if (n >= 2 && c == 'm') {
        buf_add(out, t->held[to], (size_t)t->holds[to]);
        t->holds[to] = 0;
        return;
    }
    int parameter = n >= 2 && ((c >= '0' && c <= '9') || c == ';' || c == ':');
    if (!parameter || t->holds[to] == sizeof t->held[to])
        show_held(t, to, out);
}

static void filter(struct term *t, int to, struct str s, struct buf *out)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.at[i];
        if (t->holds[to] || c == 0x1b || c == 0xc2)
            hold(t, to, c, out);
        else if (c == '\n' || c == '\t' || c == '\r')
            buf_add(out, &c, 1);
        else
            show_byte(out, c);
    }
}

void term_guest(struct term *t, int to, struct str s)
{
    if (!t->terminal[to]) {
        term_put(t, to, s);
        return;
    }
    AUTO_BUF out;
    buf_init(&out, s.len * 4 + 256);
    filter(t, to, s, &out);
    term_put(t, to, buf_str(&out));
}

void term_guest_end(struct term *t, int to)
{
    AUTO_BUF out;
    buf_init(&out, 256);
    show_held(t, to, &out);
    term_put(t, to, buf_str(&out));
}
