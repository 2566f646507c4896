/* wire/limits.c -- what a run may use.  SPDX-License-Identifier: MIT */
#include "wire/messages.h"

const struct run_limits run_limits_default = {
#define X(field, name, initial, ceiling) .field = (initial),
    RUN_LIMITS(X)
#undef X
};

const struct run_limits run_limits_ceiling = {
#define X(field, name, initial, ceiling) .field = (ceiling),
    RUN_LIMITS(X)
#undef X
};
