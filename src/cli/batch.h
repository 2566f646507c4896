/*
 * cli/batch.h -- the programs of a plan, run and reported in order.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "cli/plan.h"

/* Run them all, print what they print, and return the exit code: 0, or that
 * of the first one that failed. */
int batch_run(struct term *t, const struct plan *p, int interrupt_fd);
