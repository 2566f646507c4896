/*
 * env/selftest.h -- does a runtime survive being forked while warm?
 *
 * Forking a warmed Node.js knows how its threads start, which a version to
 * come may change. So each runtime is tried once on what breaks first; one that
 * fails is started cold, a process for each run. The outcome is kept in the
 * caller's cache folder, for this program, its library and this glovebox only;
 * a file there that others could have written is not believed.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "env/run.h"

enum { SELFTEST_MS = 10000, SELFTEST_EXIT_CODE = 7 };

enum selftest_verdict { SELFTEST_UNKNOWN, SELFTEST_GOOD, SELFTEST_BAD };

/* What is remembered of this runtime; why it is bad into out_why. */
enum selftest_verdict selftest_recall(const struct guest_image *image,
                                      char *out_why, size_t room);
/* Keep it. Nothing happens if that cannot be done: it is tried again. */
void selftest_remember(const struct guest_image *image,
                       enum selftest_verdict verdict, const char *why);

/* The run of a self-test. It borrows nothing from the image but its limits. */
void selftest_init(struct run *out, const struct guest_image *image);
enum selftest_verdict selftest_judge(const struct run_result *r, char *out_why,
                                     size_t room);
