/*
 * cli/options.h -- flags as tables: parsed, checked and explained from one row.
 *
 * Flags may stand before, between and after the operands; `--` ends them and
 * `-` is an operand. A row writes into the caller's struct at its offset; the
 * type there is given by the kind. What is not given is left alone, so the
 * caller fills in the defaults first.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/buf.h"
#include "base/err.h"

enum option_kind {
    OPTION_FLAG,        /* int, becomes 1 */
    OPTION_TEXT,        /* const char * */
    OPTION_ONCE,        /* the same; a second one is refused */
    OPTION_LIST,        /* struct text_list: every one given, in order */
    OPTION_DURATION,    /* struct option_number, in ms */
    OPTION_SIZE,        /* struct option_number, in bytes */
    OPTION_NUMBER,      /* struct option_number */
    OPTION_CHOICE,      /* int, index into choices */
    OPTION_HEADING,     /* no flag: help begins a group of this title */
};

enum { MAX_LIST = 256 };
struct text_list {
    const char *at[MAX_LIST];
    size_t      n;
};

/* Texts that belong to somebody else. */
struct texts {
    const char *const *at;
    size_t             n;
    size_t             ahead;    /* of operands: how many stood before `--` */
};

struct option_number {
    uint64_t value;
    int      given;
};

struct option {
    const char        *name;       /* without its dashes; "" is a heading, and
                                      NULL ends the table */
    char               letter;     /* 0: none */
    enum option_kind   kind;
    const char        *argument;   /* "SIZE"; NULL for a flag */
    const char        *help;       /* NULL: another name, not shown */
    size_t             offset;
    uint64_t           least;      /* of a number */
    const uint64_t    *most;       /* of a number; NULL: any */
    const char *const *choices;    /* of a choice, ended by NULL */
};

/*
 * Parse argv[0..argc), which begins after the command's name. The operands are
 * gathered in order at the front of argv, and *operands borrows them there.
 * Returns 0, or -EINVAL with a sentence in e.
 */
int options_parse(const struct option *rows, int argc, char **argv,
                  void *target, struct texts *operands, struct err *e);

/* One line for each row that has a help text. */
void options_help(const struct option *rows, struct buf *out);

/* The row of a flag by its name, or NULL. */
const struct option *option_named(const struct option *rows, const char *name);
/* Was this flag given? As far as target shows: a choice that is the first one
 * looks like none. */
int option_given(const struct option *row, const void *target);
