/*
 * cli/term.h -- stdout and stderr: colours, and what a guest may do to them.
 *
 * A guest's text that goes to a terminal is filtered: colours and text pass,
 * other escape sequences are shown instead of obeyed, so that a hostile
 * program cannot retitle the window, write the clipboard or rewrite what was
 * printed before. Into a file or a pipe every byte goes as it is.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/buf.h"

enum { TO_STDOUT, TO_STDERR, TO_STREAMS };

enum color { PLAIN, BOLD, DIM, RED, GREEN, YELLOW };

struct term {
    int  terminal[TO_STREAMS];    /* is it one? */
    int  color[TO_STREAMS];
    int  broken;                  /* errno of a failed write to stdout; 0: none */
    char held[TO_STREAMS][32];    /* the start of an escape sequence */
    int  holds[TO_STREAMS];
    int  progress;                /* a progress line stands on stderr */
};

/* no_color is what the caller's --no-color said. */
void term_init(struct term *t, int no_color);

/* Our own text, as it is. */
void term_put(struct term *t, int to, struct str s);
void term_putf(struct term *t, int to, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* What switches to a colour there, or "". */
const char *term_ink(const struct term *t, int to, enum color c);

/* A guest's text, filtered if it goes to a terminal. */
void term_guest(struct term *t, int to, struct str s);
/* End of a guest's text: show what was held back. */
void term_guest_end(struct term *t, int to);

/* "glovebox: ..." on stderr, and a newline. */
void term_say(struct term *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A line that the next one replaces; only on a terminal. */
void term_progress(struct term *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void term_progress_clear(struct term *t);
