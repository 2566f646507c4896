/*
 * worker/program.h -- evaluate a program in whatever form it comes.
 *
 * One engine accepts all the ways people hand a value back: a script with a
 * completion value, a script with top-level await, an ES module, a body with a
 * top-level return, and a main() that nobody calls. Which one it is, the
 * parser says: the forms are compiled in turn until one is accepted, and if
 * none is, the error that got furthest into the text is the one to show.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "wire/messages.h"
#include "worker/engine.h"

/* What begin() of guest/js is told. */
enum program_kind { KIND_SCRIPT, KIND_ASYNC, KIND_MODULE, KIND_BODY };

struct evaluated {
    enum program_kind kind;
    jsval value;          /* completion value or promise; an exception if it threw */
    jsval namespace;      /* of a module */
    int   call_main;
    int   not_compiled;   /* the exception is about the text: a syntax error */
};

struct evaluated program_evaluate(struct str source, struct str name,
                                  enum program_mode mode);
