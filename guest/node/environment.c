/*
 * guest/node/environment.c -- the environment that the zygote was started with.
 *
 * Taking a variable out of the environment leaves its text where the kernel put
 * it, and /proc/self/environ shows that place. What is ours is wiped there
 * before there are forks; a guest learns nothing that matters from it, but what
 * it is not told it cannot misuse.
 *
 * SPDX-License-Identifier: MIT
 */
#include "inside.h"

#include <string.h>

enum { MAX_OURS = 8 };
static char *ours[MAX_OURS];
static size_t count;

/* Before anybody has moved a text. */
__attribute__((constructor)) static void environment_note(void)
{
    static const char *const name[] = { "LD_PRELOAD=", "GLOVEBOX_" };
    for (char **e = environ; e && *e; e++)
        for (size_t i = 0; i < COUNT(name); i++)
            if (strncmp(*e, name[i], strlen(name[i])) == 0 && count < MAX_OURS)
                ours[count++] = *e;
}

void environment_wipe(void)
{
    for (size_t i = 0; i < count; i++)
        explicit_bzero(ours[i], strlen(ours[i]));
}
