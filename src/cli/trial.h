/*
 * cli/trial.h -- a tiny program in a real sandbox: what doctor and version ask.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/err.h"
#include "env/result.h"

struct trial {
    char     engine[128], engine_id[65];    /* "" if no worker said hello */
    unsigned walls;                         /* WALL_* of the run */
    int      ran;                           /* 1 + 1 was 2 */
    double   start_ms, run_ms;              /* to hello; the run itself */
    char     program[4096];                 /* of node and python: the binary */
    char     fallback[400];                 /* why it ran otherwise than asked */
    enum counted_by counted_by;             /* who counts memory and processes */
};

/* Start a worker, and run `1 + 1` in it. What was reached before a failure is
 * in *out; e says what failed. */
int trial_run(struct trial *out, struct err *e);
/* The same in a zygote of node or python: start_ms is until its first result,
 * run_ms the run after that. */
int trial_guest(enum engine engine, struct trial *out, struct err *e);
/* Only start it. */
int trial_greet(struct trial *out, struct err *e);
