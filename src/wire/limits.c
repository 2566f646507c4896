/* wire/limits.c -- what a js run may use.  SPDX-License-Identifier: MIT */
#include "wire/messages.h"

const struct js_limits js_limits_default = {
#define X(field, name, initial, ceiling) .field = (initial),
    JS_LIMITS(X)
#undef X
};

const struct js_limits js_limits_ceiling = {
#define X(field, name, initial, ceiling) .field = (ceiling),
    JS_LIMITS(X)
#undef X
};
