/*
 * zygote/cold.c -- glovebox-cold: a zygote without a runtime.
 *
 *   glovebox-cold -- PROGRAM ARG...
 *
 * For runtimes that cannot be forked while warm: each run is a fork of this
 * small program, sealed like any other, that becomes PROGRAM. The channel
 * stays open across exec; the environment is ours.
 *
 * SPDX-License-Identifier: MIT
 */
#include "zygote/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

enum { EXIT_USAGE = 2 };

/*
 * RLIMIT_DATA counts what a runtime maps at its start, before it runs anything.
 * Node.js 24 maps 512 MB for machine code, writable, up front: it touches few
 * of them, but does not start with less than 600 MB. Python starts with 7 MB,
 * and our part of it brings that to 20. What is not known here gets as much as
 * Node.js.
 */
static const struct { const char *name; uint64_t bytes; } bases[] = {
    { "python", 32 * MIB  },
    { "",       640 * MIB },
};

static uint64_t base_of(const char *program)
{
    const char *slash = strrchr(program, '/');
    const char *name = slash ? slash + 1 : program;
    size_t i = 0;
    while (strncmp(name, bases[i].name, strlen(bases[i].name)) != 0)
        i++;
    return bases[i].bytes;
}

int main(int argc, char **argv)
{
    if (argc < 3 || strcmp(argv[1], "--") != 0) {
        fputs("usage: glovebox-cold -- PROGRAM ARG...\n", stderr);
        return EXIT_USAGE;
    }
    const struct zygote_hooks hooks = {
        .version = "cold", .cold = 1, .cold_bytes = base_of(argv[2]),
    };
    struct zygote_child child;
    zygote_serve(&hooks, &child);
    if (fcntl(GUEST_CHANNEL_FD, F_SETFD, 0) == 0)
        execv(argv[2], argv + 2);
    channel_fatal(argv[2], errno);
}
