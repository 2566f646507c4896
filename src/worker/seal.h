/*
 * worker/seal.h -- the moment after which the worker can do next to nothing.
 *
 * Called once, after the image is mapped and the timer made, and before the
 * first byte of a guest is looked at. The seal is proved in a child first: one
 * that only seems to hold is reported, and the worker must then end.
 *
 * Afterwards: only descriptor 3, private anonymous memory that is never
 * executable, the clock, randomness, exit. abort() dies of SIGSYS.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/err.h"

/* Returns 0, or a negative errno and why in e; then nothing may run. */
int seal_worker(struct err *e);

/* The WALL_* of jail/jail.h that seal_worker() put up and proved. */
unsigned seal_walls(void);
