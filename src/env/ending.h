/*
 * env/ending.h -- which ending a run of node or python had, from evidence.
 *
 * The guest's own word, its result, counts only where nothing that we saw
 * ourselves says otherwise: the wait status, what the kernel counted, the full
 * disk. A run that was stopped by us has its ending already.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "env/result.h"

struct evidence {
    int      reaped;               /* status is known */
    int      status;               /* of the first process, as wait() gives it */
    int      has_result;           /* a result was taken over */
    int      out_of_memory;        /* the kernel killed for memory */
    int      out_of_processes;     /* a fork or a thread was refused */
    int      disk_full, files_full;
    uint64_t cpu_ns, memory_peak_bytes, egress_bytes;
    enum counted_by counted_by;
    char     words[400];           /* last words, or why nothing is known */
};

/* The run ended by itself: decide, and write it into r. */
void ending_decide(struct run_result *r, const struct evidence *ev);

/* What was used, whoever ended it; and a value that is none is dropped. */
void ending_close(struct run_result *r, const struct evidence *ev);
