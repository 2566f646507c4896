/* cli/timing.h -- how long runs took.  SPDX-License-Identifier: MIT */
#pragma once
#include "base/err.h"
#include "cli/term.h"

struct timing {
    uint64_t *took_ns;
    size_t    n, room;
    uint64_t  first_ns, last_ns;    /* begin of the first, end of the last */
};

int  timing_open(struct timing *t, size_t room, struct err *e);
/* A run that was sent to its worker at began_ns is over now; 0: never was. */
void timing_add(struct timing *t, uint64_t began_ns);
/* "glovebox: 1000 runs, mean 31.0 µs, p50 30.1 µs, p99 52.0 µs, 31000 runs/s" */
void timing_say(struct timing *t, struct term *term);
void timing_close(struct timing *t);
