/*
 * worker/form.h -- what shape of program is this? A look at the words only.
 *
 * The answer is a hint: program.c tries to compile in the order it suggests,
 * and the engine's own parser decides. So a wrong guess costs time, never
 * meaning, with one exception that is documented: whether `main` is called.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/buf.h"

struct form {
    int has_await;        /* the word stands somewhere outside of text */
    int has_return;
    int has_module_word;  /* import or export */
    int declares_main;    /* function main() { }, async or not, at the top */
    int names_main;       /* how often the word main stands there at all */
};

struct form form_of(struct str source);

/*
 * The same program with let, const and class at its top level made into var,
 * so that a session can declare a name again. Columns move only behind a
 * class. Appends to out.
 */
int form_for_session(struct str source, struct buf *out);
