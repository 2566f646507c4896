/*
 * env/place.h -- where the worker program and the images are.
 *
 * Looked for beside the running program (a build tree), then in
 * ../lib/glovebox (an installation). GLOVEBOX_LIBEXEC names another folder
 * and then only that one counts.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/err.h"

#define PLACE_WORKER     "glovebox-worker"
#define PLACE_BASE_IMAGE "base.image"
#define PLACE_TS_IMAGE   "ts.image"

/* Gives an open, close-on-exec descriptor, or says what to do about it;
 * -ENODATA when the file is missing: never a caller's mistake. */
int place_open(const char *file, int *out_fd, struct err *e);
