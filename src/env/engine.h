/*
 * env/engine.h -- which engine a program needs, by its name and its text.
 *
 * The documented rule: .py is python, .cjs is node; a first line "#!" that
 * names python or node decides as well. All else is js, unless the program
 * imports what js does not have: a builtin of Node.js (node:fs, fs) or an npm
 * package, that is a bare name which no --module gives, or unless it calls
 * require(). A `require` that the program declares itself is its own, and what
 * only TypeScript's types import is not imported at all.
 *
 * The text is read as tokens, so that what stands in strings, comments,
 * templates and regular expressions decides nothing. A wrong guess costs a
 * clear error in the run, never safety: both engines are sandboxes.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "env/guest.h"

struct engine_choice {
    enum engine engine;
    char        why[160];    /* "it imports node:fs (line 1)"; "" if by default */
};

/* known: module names that the caller gives (--module). name may be any text;
 * only its end counts. */
void engine_of_program(const char *name, struct str source,
                       const struct str *known, size_t knowns,
                       struct engine_choice *out);

/* Is this a name that only a package or a builtin can have: no path, no URL? */
int engine_is_bare(struct str specifier);
