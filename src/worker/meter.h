/*
 * worker/meter.h -- the clocks and budgets of the run that is on.
 *
 * Three layers end a run that goes on too long. The polite one: a timer sets
 * a flag, the engine polls it some 40,000 times a second and unwinds in a way
 * the guest cannot catch. Some builtins never poll, so a moment later the same
 * timer leaves guest code by force and the cell is thrown away. And outside of
 * this process the supervisor waits with a kill.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/err.h"
#include "wire/messages.h"

/* Why the run must end, if it must. The first cause stays. */
struct verdict {
    enum reason   reason;      /* 0 while nothing is wrong */
    enum run_limit limit;
    uint64_t      observed;    /* in the limit's own unit */
};

/* Once per process, before the seal: makes the timer. */
int  meter_init(struct err *e);

void meter_start(const struct run_limits *limits);
/* Budgets rest while the worker waits for a timer or for the supervisor: CPU
 * time does not pass then, and the alarm may sleep until the wall limit. */
void meter_end(void);

void meter_stop(enum reason reason, enum run_limit limit, uint64_t observed);
struct verdict meter_verdict(void);
/* Polled from guest code; not 0: unwind. */
int  meter_poll(void);
/* A stopped run may describe where it stood, for this long at most. */
void meter_grace(unsigned ms);

uint64_t meter_wall_ns(void);          /* since meter_start() */
uint64_t meter_cpu_ns(void);
uint64_t meter_wall_left_ns(void);
/* 1 once after about FLUSH_MS: output that waits should go out. */
int      meter_flush_due(void);
