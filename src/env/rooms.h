/*
 * env/rooms.h -- what a zygote's jail holds, and how its runtime is started.
 *
 * Tables: one of the rows that every engine needs, one of words and variables
 * for each engine. Everything is read-only but what a caller mounted writable.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "env/guest.h"
#include "jail/jail.h"

enum { ROOMS_WORDS = 32 };

struct rooms {
    struct jail_item *item;
    size_t            items, room;
    char            **text;                    /* owned: what rows point at */
    size_t            texts, text_room;
    const char       *argv[ROOMS_WORDS];
    const char       *envp[ROOMS_WORDS];
    int               failed;
};

/* Rows, command line and environment for this image. */
int  rooms_furnish(struct rooms *out, const struct guest_image *image,
                   struct err *e);
void rooms_free(struct rooms *r);    /* accepts a zeroed one */
