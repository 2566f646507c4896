/* cli/moment.h -- a point in time as people write it.
 * SPDX-License-Identifier: MIT */
#pragma once
#include "base/err.h"
#include <stdint.h>

/* ISO 8601 (2026-01-31, 2026-01-31T12:30:00.5Z, ...+02:00; without a zone it
 * is UTC) or milliseconds since 1970. Years 1970 to 2500. */
int moment_parse(const char *text, uint64_t *out_ns, struct err *e);
