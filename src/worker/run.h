/*
 * worker/run.h -- the life of one run inside a cell.
 *
 *   run_start   evaluate the program
 *   run_step    drain jobs, fire what is due, until done or nothing to do
 *   run_finish  the verdict and everything the guest handed over, as a message
 *
 * Between steps no guest code is on any stack: the state of a waiting run is
 * the cell's memory and nothing else.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "wire/messages.h"
#include "worker/engine.h"
#include "worker/image.h"

enum run_state { RUN_DONE, RUN_WAITS };

/* One run is on at a time. req and cell are borrowed until run_finish(). */
void run_start(struct cell *cell, const struct msg_run *req);
/* RUN_WAITS: *out_ns is how long until a timer is due. */
enum run_state run_step(uint64_t *out_ns);
/* Fills *out (strs borrowed until the next run_start()). The cell is then as
 * the run left it, or rolled back (out->state_lost): reset it or keep it. */
void run_finish(struct msg_result *out);

/* Called by imports.c, inside guest code. */
void run_write(int stream, jsval text);
void run_deliver(jsval value, jsval exports, jsval display);
void run_deliver_error(const jsval text[5], double line, double column);
void run_rejection(jsval promise, jsval reason, int handled);

/* Send what output waits. */
void run_flush(void);

/* Where output frames go; without a sink (benchmarks) output is dropped. */
extern void (*run_sink)(struct buf *frames);
