/* wire/reason.c -- the names of the endings.  SPDX-License-Identifier: MIT */
#include "wire/reason.h"
#include "base/base.h"

static const struct {
    const char *text;
    int         exit_code;
} rows[] = {
#define X(NAME, number, text, code) [number] = { text, code },
    REASONS(X)
#undef X
};

/* The number may come from a peer: anything unknown counts as our own fault. */
static size_t row_of(enum reason r)
{
    size_t i = (size_t)r;
    return i < COUNT(rows) && rows[i].text ? i : REASON_INTERNAL;
}

const char *reason_text(enum reason r) { return rows[row_of(r)].text; }
int reason_exit_code(enum reason r)    { return rows[row_of(r)].exit_code; }
