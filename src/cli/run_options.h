/* cli/run_options.h -- what `glovebox run` and `repl` can be told.
 * SPDX-License-Identifier: MIT */
#pragma once
#include "cli/options.h"

/* The choices of --engine; env/guest.h has the engines themselves. */
enum engine_wish { WISH_AUTO, WISH_JS, WISH_NODE, WISH_PYTHON };

struct run_options {
    const char          *eval, *input, *root, *clock;
    struct text_list     modules, setup, require;
    int                  ts, plain, json, pretty, quiet, no_color, mode, verbose;
    struct option_number wall, cpu, memory, stack, output, result, timers,
                         module_loads;
    struct option_number seed, jobs, repeat;

    int                  engine;        /* enum engine_wish */
    const char          *node, *python, *packages, *out, *stdin_from, *cwd,
                        *hostname, *permissions;
    struct text_list     files, mounts, env, args, preload, allow_net, secrets,
                         allow_imports, allow_missing, leave_out;
    int                  cold;
    struct option_number spares, processes, open_files, disk, max_files, max_file,
                         cpus, egress;
};

extern const struct option run_option_rows[], repl_option_rows[];
