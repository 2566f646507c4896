/*
 * worker/moment.h -- what time it is, and what is random, for the run that is on.
 *
 * Ordinary runs get the host's clock (in steps of 5 microseconds: a finer one
 * helps nobody but side channels) and the kernel's randomness. A run with a
 * seed or a clock of its own gets numbers that depend on nothing else, so that
 * it repeats bit for bit: such a clock moves one microsecond at each reading
 * and jumps to a timer's due time instead of waiting for it.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "wire/messages.h"

void     moment_start(const struct msg_run *run);
uint64_t moment_realtime_ns(void);      /* since 1970 */
uint64_t moment_monotonic_ns(void);     /* since the run began */
int      moment_is_own(void);           /* a clock that waits for nobody */
void     moment_skip_ns(uint64_t ns);   /* ... jumps ahead */
/* Fill with randomness; fails like getrandom(). Never for a guest address. */
int      moment_random(void *to, size_t len);
