/* cli/run_options.h -- what `glovebox run` and `repl` can be told.
 * SPDX-License-Identifier: MIT */
#pragma once
#include "cli/options.h"

struct run_options {
    const char          *eval, *input, *root, *clock;
    struct text_list     modules, setup, require;
    int                  ts, plain, json, pretty, quiet, no_color, mode;
    struct option_number wall, cpu, memory, stack, output, result, timers,
                         module_loads;
    struct option_number seed, jobs, repeat;
};

extern const struct option run_option_rows[], repl_option_rows[];
