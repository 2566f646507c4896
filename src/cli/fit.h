/*
 * cli/fit.h -- flags that make no sense for an engine are refused, not ignored.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/err.h"
#include "cli/run_options.h"
#include "env/guest.h"

/* Returns 0, or -EINVAL with which flag does not fit, why, and what would. */
int fit_check(const struct run_options *o, enum engine engine, struct err *e);
