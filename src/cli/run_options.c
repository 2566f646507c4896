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

/* The order of enum engine_wish. */
static const char *const engines[] = { "auto", "js", "node", "python", NULL };

static const uint64_t max_jobs = LOCAL_MAX_JOBS, max_repeat = 10000000,
                      max_spares = 64;

#define HEADING(title) { "", 0, OPTION_HEADING, NULL, title, 0 }
#define AT(field)      .offset = offsetof(struct run_options, field)
#define CEILING(field) .least = 1, .most = &run_limits_ceiling.field

/* Limits that every engine has, and those of js alone. */
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
    { "max-output", 0, OPTION_SIZE, "SIZE",                                    \
      "stdout and stderr together (1mb)", AT(output), CEILING(output_bytes) }, \
    { "max-result", 0, OPTION_SIZE, "SIZE", "its value as JSON (16mb)",        \
      AT(result), CEILING(result_bytes) }

#define JS_LIMIT_ROWS                                                          \
    { "stack", 0, OPTION_SIZE, "SIZE", "js: depth of its calls (832kb)",       \
      AT(stack), CEILING(stack_bytes) },                                       \
    { "max-timers", 0, OPTION_NUMBER, "N", "js: timers at once (1000)",        \
      AT(timers), CEILING(timers) },                                           \
    { "max-module-loads", 0, OPTION_NUMBER, "N", "js: imports in all (1000)",  \
      AT(module_loads), CEILING(module_loads) }

#define GUEST_LIMIT_ROWS                                                       \
    { "max-processes", 0, OPTION_NUMBER, "N",                                  \
      "node, python: processes and threads at once (64)",                      \
      AT(processes), CEILING(processes) },                                     \
    { "max-open-files", 0, OPTION_NUMBER, "N",                                 \
      "node, python: open files of one process (256)",                         \
      AT(open_files), CEILING(open_files) },                                   \
    { "disk", 0, OPTION_SIZE, "SIZE",                                          \
      "node, python: all files together (64mb)",                               \
      AT(disk), CEILING(disk_bytes) },                                         \
    { "max-files", 0, OPTION_NUMBER, "N", "node, python: how many (4096)",     \
      AT(max_files), CEILING(files) },                                         \
    { "max-file", 0, OPTION_SIZE, "SIZE", "node, python: one file (64mb)",     \
      AT(max_file), CEILING(file_bytes) },                                     \
    { "cpus", 0, OPTION_NUMBER, "N", "node, python: processors (2)",           \
      AT(cpus), CEILING(cpus) },                                               \
    { "max-egress", 0, OPTION_SIZE, "SIZE",                                    \
      "bytes sent and received (64mb)",                          \
      AT(egress), CEILING(egress_bytes) }

#define IMPORT_ROWS                                                            \
    { "root", 0, OPTION_TEXT, "DIR", "js: ./ and ../ imports come from here",  \
      AT(root) },                                                              \
    { "module", 0, OPTION_LIST, "NAME=FILE",                                   \
      "js: what `import NAME` gives; repeatable", AT(modules) }

#define SETUP_ROW                                                              \
    { "setup", 0, OPTION_LIST, "FILE",                                         \
      "js: run FILE once, start each run from there; repeatable",              \
      AT(setup) }

#define SANDBOX_ROWS                                                           \
    { "seed", 0, OPTION_NUMBER, "N", "the same random numbers every time",     \
      AT(seed) },                                                              \
    { "clock", 0, OPTION_TEXT, "TIME",                                         \
      "js: begin then (ISO 8601, or ms) and wait for nothing",                 \
      AT(clock) },                                                             \
    { "require", 0, OPTION_LIST, "WALL",                                       \
      "do not run without this wall (see doctor); repeatable",                 \
      AT(require) },                                                           \
    { "no-color", 0, OPTION_FLAG, NULL, "no colours", AT(no_color) }

#define ENGINE_ROWS                                                            \
    { "engine", 0, OPTION_CHOICE, "NAME",                                      \
      "js, node, python, or what the program needs (auto)",                    \
      AT(engine), .choices = engines },                                        \
    { "node", 0, OPTION_TEXT, "PATH", "which Node.js (20 or newer)", AT(node) },\
    { "python", 0, OPTION_TEXT, "PATH",                                        \
      "which Python (3.9 or newer), e.g. of a venv",                           \
      AT(python) },                                                            \
    { "packages", 0, OPTION_TEXT, "DIR",                                       \
      "node: packages to import: node_modules or its project",                 \
      AT(packages) },                                                          \
    { "preload", 0, OPTION_LIST, "NAME",                                       \
      "load this package while warming up; repeatable", AT(preload) },         \
    { "spares", 0, OPTION_NUMBER, "N", "keep N runs ready ahead of time (0)",  \
      AT(spares), .most = &max_spares },                                       \
    { "cold", 0, OPTION_FLAG, NULL,                                            \
      "a process for each run, as one run alone always is", AT(cold) }

#define WORLD_ROWS                                                             \
    { "arg", 0, OPTION_LIST, "TEXT",                                           \
      "an argument, as is what follows --; repeatable",                        \
      AT(args) },                                                              \
    { "env", 0, OPTION_LIST, "NAME[=VALUE]",                                   \
      "a variable; without VALUE the one of here; repeatable",                 \
      AT(env) },                                                               \
    { "stdin", 0, OPTION_TEXT, "FILE",                                         \
      "its input: a file, - for ours (if piped in), or none",                  \
      AT(stdin_from) },                                                        \
    { "file", 0, OPTION_LIST, "PATH=FILE",                                     \
      "put a copy of FILE into /workspace; repeatable", AT(files) },           \
    { "out", 0, OPTION_TEXT, "DIR",                                            \
      "copy what it leaves in /workspace to DIR", AT(out) },                   \
    { "mount", 0, OPTION_LIST, "DIR:AT[:rw]",                                  \
      "show a folder at AT, read-only unless rw; repeatable",                  \
      AT(mounts) },                                                            \
    { "cwd", 0, OPTION_TEXT, "DIR", "where it starts (/workspace)", AT(cwd) }, \
    { "hostname", 0, OPTION_TEXT, "NAME", "what it sees (glovebox)",           \
      AT(hostname) }

#define PERMISSION_ROWS                                                        \
    { "permissions", 0, OPTION_TEXT, "JSON",                                   \
      "net, fs, child_process, process, env; @FILE reads it",                  \
      AT(permissions) },                                                       \
    { "allow-net", 0, OPTION_LIST, "HOST[:PORT]",                              \
      "let it talk to this host; repeatable", AT(allow_net) },                 \
    { "secret", 0, OPTION_LIST, "NAME@HOST",                                   \
      "js: put our variable NAME into requests to HOST; repeatable",           \
      AT(secrets) },                                                           \
    { "allow-import", 0, OPTION_LIST, "NAME",                                  \
      "python: nothing else may be imported; repeatable",                      \
      AT(allow_imports) },                                                     \
    { "allow-missing", 0, OPTION_LIST, "WALL",                                 \
      "do without landlock, cgroup_ns or uts_ns; repeatable",                  \
      AT(allow_missing) }

/* For control runs of tests: what happens when a wall is not there. */
#ifdef GB_TESTING
#define TESTING_ROWS                                                           \
    { "leave-out", 0, OPTION_LIST, "WALL", NULL, AT(leave_out) },
#else
#define TESTING_ROWS
#endif

const struct option run_option_rows[] = {
    HEADING("The program"),
    { "eval", 'e', OPTION_ONCE, "CODE", "run CODE instead of a file", AT(eval) },
    { "input", 'i', OPTION_TEXT, "JSON",
      "its `input` (python: input_data); @FILE reads it", AT(input) },
    { "ts", 0, OPTION_FLAG, NULL, "TypeScript, whatever the file's name", AT(ts) },
    { "mode", 0, OPTION_CHOICE, "MODE",
      "auto, script, module, function or main", AT(mode), .choices = modes },
    IMPORT_ROWS,
    SETUP_ROW,
    HEADING("The engine"),
    ENGINE_ROWS,
    HEADING("What a node or python program finds"),
    WORLD_ROWS,
    HEADING("What it may do"),
    PERMISSION_ROWS,
    HEADING("Limits"),
    LIMIT_ROWS,
    JS_LIMIT_ROWS,
    GUEST_LIMIT_ROWS,
    HEADING("The sandbox"),
    SANDBOX_ROWS,
    TESTING_ROWS
    HEADING("What is printed"),
    { "json", 0, OPTION_FLAG, NULL, "print the whole result as JSON", AT(json) },
    { "pretty", 0, OPTION_FLAG, NULL, "the same, indented", AT(pretty) },
    { "plain", 0, OPTION_FLAG, NULL, "the value as plain JSON, without tags",
      AT(plain) },
    { "quiet", 'q', OPTION_FLAG, NULL, "do not print the value", AT(quiet) },
    { "verbose", 'v', OPTION_FLAG, NULL, "say which engine runs it, and why",
      AT(verbose) },
    { "jobs", 'j', OPTION_NUMBER, "N", "several files at once (1)",
      AT(jobs), .least = 1, .most = &max_jobs },
    { "repeat", 0, OPTION_NUMBER, "N",
      "run it N times, each time fresh, and time it",
      AT(repeat), .least = 1, .most = &max_repeat },
    { NULL }
};

const struct option repl_option_rows[] = {
    { "input", 'i', OPTION_TEXT, "JSON",
      "what a line finds in `input`; @FILE reads it", AT(input) },
    IMPORT_ROWS,
    { "ts", 0, OPTION_FLAG, NULL, "TypeScript", AT(ts) },
    LIMIT_ROWS,
    JS_LIMIT_ROWS,
    SETUP_ROW,
    SANDBOX_ROWS,
    { "engine", 0, OPTION_CHOICE, "NAME", NULL, AT(engine), .choices = engines },
    { NULL }
};
