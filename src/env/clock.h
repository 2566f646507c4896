/* env/clock.h -- the clock of deadlines.  SPDX-License-Identifier: MIT */
#pragma once
#include <stdint.h>
#include <time.h>

#define NS_PER_MS ((uint64_t)1000 * 1000)

static inline uint64_t clock_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 * NS_PER_MS + (uint64_t)t.tv_nsec;
}
