/*
 * cli/report.h -- how a run ended, for a person at a terminal.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "cli/plan.h"
#include "env/result.h"

/* The value as the guest's own console.log would show it: a text as it is, the
 * rest inspected; nothing for undefined, or for None of Python. */
void report_value(struct term *t, const struct run_result *r);

/* Why it did not complete: the line of the source, the error, the limit, and
 * what was denied. Node and Python have printed their errors themselves. */
void report_failure(struct term *t, const struct plan *p,
                    const struct run_result *r);

/* What became of its files, if they were asked for. */
void report_files(struct term *t, const struct plan *p,
                  const struct run_result *r);

/* The result as JSON and a newline. Returns 0, or a negative errno if there was
 * no room for it; a person was told. */
int report_json(struct term *t, const struct run_result *r,
                enum json_layout layout);
