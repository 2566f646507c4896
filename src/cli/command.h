/*
 * cli/command.h -- one command: its name, its flags, what it does.
 *
 * A command file exports one struct command; main.c lists them.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "cli/options.h"
#include "cli/term.h"

/* Exit codes of our own; a run's come from wire/reason.h. */
enum { EXIT_OURS = 125, EXIT_NOT_FOUND = 127 };

struct command {
    const char          *name, *usage, *summary;
    const char          *more;        /* shown below the flags; may be NULL */
    const struct option *options;
    /* argv begins after the command's name. Returns the exit code. */
    int (*run)(const struct command *c, int argc, char **argv);
};

extern const struct command command_run, command_repl, command_doctor,
    command_version;

/* Parse a command's flags. Returns -1 to go on, or the exit code: --help was
 * asked for and printed, or the flags were wrong and it was said. */
int command_options(const struct command *c, int argc, char **argv,
                    void *target, struct texts *operands);
void command_help(const struct command *c, struct buf *out);
int  command_is_help(const char *word);           /* --help or -h */
int  command_print(const struct buf *text);       /* to stdout; an exit code */
