/*
 * cli/plan.h -- everything a run needs, read and checked before anything runs.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "cli/guest_plan.h"
#include "cli/js_network.h"
#include "cli/program.h"
#include "cli/run_options.h"
#include "cli/term.h"
#include "env/engine.h"
#include "env/setup.h"

struct plan {
    const struct run_options *options;     /* borrowed */
    struct program           *program;     /* what to run */
    size_t                    programs;
    struct program           *module;      /* their names are specifiers */
    size_t                    modules;
    struct program           *setup;
    size_t                    setups;
    struct module_source     *sources;     /* of module[], as a run brings them */
    struct buf                input;
    int                       root_fd;     /* -1: none */
    int                       worker_fd, image_fd;
    unsigned                  required;    /* WALL_* */
    struct msg_run            message;     /* what all runs have in common */
    enum engine               engine;      /* of all programs */
    struct engine_choice      choice;      /* and why, if it was not said */
    struct guest_plan        *guest;       /* of node and python; NULL: js */
    struct js_network         js_network;
};

#define PLAN_NONE { .root_fd = -1, .worker_fd = -1, .image_fd = -1 }

/* Read everything; args are for the program. Returns 0 or a negative errno with
 * why in e; -ENOENT when a file that was named does not exist. End it with
 * plan_free() either way. */
int  plan_make(struct plan *p, const struct run_options *o,
               const struct texts *files, const struct texts *args,
               struct err *e);
void plan_free(struct plan *p);

/* The message of one program's run; borrowed from the plan. */
struct msg_run plan_message(const struct plan *p, const struct program *program,
                            uint64_t id);
void plan_local(const struct plan *p, int interrupt_fd, struct local_spec *out);
/* How many runs there will be. */
size_t plan_runs(const struct plan *p);

/* The source text of a file the guest knows by name, for showing a line of it;
 * scratch holds it if it had to be read. Empty if there is none. */
struct str plan_source(const struct plan *p, struct str name,
                       struct buf *scratch);
