/* cli/run_options.c -- what `glovebox run` and `repl` can be told.
 * SPDX-License-Identifier: MIT */
#include "cli/run_options.h"
#include "env/local.h"
#include "wire/messages.h"

/* The order of enum program_mode. */
static const char *const modes[MODE_COUNT + 1] = {
    [MODE_AUTO] = "auto", [MODE_SCRIPT] = "script", [MODE_MODULE] = "module",
    [MODE_BODY] = "function", [MODE_MAIN] = "main",
};

static const uint64_t max_jobs = LOCAL_MAX_JOBS, max_repeat = 10000000;

#define AT(field)      .offset = offsetof(struct run_options, field)
#define CEILING(field) .least = 1, .most = &run_limits_ceiling.field

#define LIMIT_ROWS                                                             \
    { "timeout", 0, OPTION_DURATION, "TIME",                                   \
      "end the run after this long (30s); waiting counts",                     \
      AT(wall), CEILING(wall_time_ms) },                                       \
    { "wall", 0, OPTION_DURATION, "TIME", NULL,                                \
      AT(wall), CEILING(wall_time_ms) },                                       \
    { "cpu", 0, OPTION_DURATION, "TIME",                                       \
      "... after this much computing (10s)",                                   \
      AT(cpu), CEILING(cpu_time_ms) },                                         \
    { "memory", 0, OPTION_SIZE, "SIZE",                                        \
      "memory of the program, all of it (128mb)",                              \
      AT(memory), CEILING(memory_bytes) },                                     \
    { "stack", 0, OPTION_SIZE, "SIZE", "depth of its calls (832kb)",           \
      AT(stack), CEILING(stack_bytes) },                                       \
    { "max-output", 0, OPTION_SIZE, "SIZE",                                    \
      "stdout and stderr together (1mb)", AT(output), CEILING(output_bytes) }, \
    { "max-result", 0, OPTION_SIZE, "SIZE", "its value as JSON (16mb)",        \
      AT(result), CEILING(result_bytes) },                                     \
    { "max-timers", 0, OPTION_NUMBER, "N", "timers at once (1000)",            \
      AT(timers), CEILING(timers) },                                           \
    { "max-module-loads", 0, OPTION_NUMBER, "N", "imports in all (1000)",      \
      AT(module_loads), CEILING(module_loads) }

#define IMPORT_ROWS                                                            \
    { "root", 0, OPTION_TEXT, "DIR", "./ and ../ imports come from here",      \
      AT(root) },                                                              \
    { "module", 0, OPTION_LIST, "NAME=FILE",                                   \
      "what `import NAME` gives; repeatable", AT(modules) }

#define SANDBOX_ROWS                                                           \
    { "setup", 0, OPTION_LIST, "FILE",                                         \
      "run FILE once and start every run from its state; repeatable",          \
      AT(setup) },                                                             \
    { "seed", 0, OPTION_NUMBER, "N", "the same random numbers every time",     \
      AT(seed) },                                                              \
    { "clock", 0, OPTION_TEXT, "TIME",                                         \
      "begin at this time, ISO 8601 or ms since 1970, and wait for nothing",   \
      AT(clock) },                                                             \
    { "require", 0, OPTION_LIST, "WALL",                                       \
      "refuse to run without this wall (see doctor); repeatable",              \
      AT(require) },                                                           \
    { "no-color", 0, OPTION_FLAG, NULL, "no colours", AT(no_color) }

const struct option run_option_rows[] = {
    { "eval", 'e', OPTION_ONCE, "CODE", "run CODE instead of a file", AT(eval) },
    { "input", 'i', OPTION_TEXT, "JSON",
      "what the program finds in `input`; @FILE reads it", AT(input) },
    IMPORT_ROWS,
    { "ts", 0, OPTION_FLAG, NULL, "TypeScript, whatever the file's name", AT(ts) },
    { "mode", 0, OPTION_CHOICE, "MODE",
      "auto, script, module, function or main", AT(mode), .choices = modes },
    LIMIT_ROWS,
    SANDBOX_ROWS,
    { "json", 0, OPTION_FLAG, NULL, "print the whole result as JSON", AT(json) },
    { "pretty", 0, OPTION_FLAG, NULL, "the same, indented", AT(pretty) },
    { "plain", 0, OPTION_FLAG, NULL, "the value as plain JSON, without tags",
      AT(plain) },
    { "quiet", 'q', OPTION_FLAG, NULL, "do not print the value", AT(quiet) },
    { "jobs", 'j', OPTION_NUMBER, "N", "several files at once (1)",
      AT(jobs), .least = 1, .most = &max_jobs },
    { "repeat", 0, OPTION_NUMBER, "N",
      "run it N times, each time fresh, and print the times taken",
      AT(repeat), .least = 1, .most = &max_repeat },
    { NULL }
};

const struct option repl_option_rows[] = {
    { "input", 'i', OPTION_TEXT, "JSON",
      "what a line finds in `input`; @FILE reads it", AT(input) },
    IMPORT_ROWS,
    { "ts", 0, OPTION_FLAG, NULL, "TypeScript", AT(ts) },
    LIMIT_ROWS,
    SANDBOX_ROWS,
    { NULL }
};
