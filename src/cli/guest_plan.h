/*
 * cli/guest_plan.h -- what a run of node or python needs, read and checked
 * before anything is started.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "cli/options.h"
#include "cli/run_options.h"
#include "env/network.h"
#include "env/permissions.h"

/* What is decided elsewhere; borrowed. */
struct guest_ask {
    enum engine              engine;
    const struct run_options *options;
    struct texts             args;        /* what followed -- */
    struct run_limits        limits;
    unsigned                 required;    /* WALL_* */
    size_t                   runs;        /* in all */
    int                      stdin_taken; /* a program was read from it */
};

struct guest_plan {
    struct guest_image image;
    struct guest_run   run;

    /* What these two point into. */
    struct runtime     runtime;
    struct guest_mount mount[MAX_LIST];
    struct guest_file  file[MAX_LIST];
    struct buf         file_bytes[MAX_LIST];
    size_t             files;
    const char        *preload[MAX_LIST], *arg[2 * MAX_LIST], *env[MAX_LIST];
    char             **owned;             /* texts that were made */
    size_t             owns, owned_room;
    char              *packages;
    struct buf         input, words;
    struct permissions permissions;
    struct net_policy  net;
    struct network    *network;           /* carries it; NULL: none */
    int                input_fd, out_fd;
};

/* Gives *out, to be ended with guest_plan_free(); -ENOENT when something that
 * was named is not there. */
int  guest_plan_make(const struct guest_ask *ask, struct guest_plan **out,
                     struct err *e);
void guest_plan_free(struct guest_plan *g);    /* accepts NULL */
