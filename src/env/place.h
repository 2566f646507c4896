/*
 * env/place.h -- where the worker program, the images and the glue are.
 *
 * Looked for beside the running program (a build tree), then in
 * ../lib/glovebox (an installation). GLOVEBOX_LIBEXEC names another folder
 * and then only that one counts.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/err.h"
#include <stddef.h>

#define PLACE_WORKER     "glovebox-worker"
#define PLACE_BASE_IMAGE "base.image"
#define PLACE_TS_IMAGE   "ts.image"
#define PLACE_GUEST      "guest"    /* a folder for each engine beneath */

/* Gives an open, close-on-exec descriptor, or says what to do about it;
 * -ENODATA when the file is missing: never a caller's mistake. */
int place_open(const char *file, int *out_fd, struct err *e);

/* The same for a folder: its path, links resolved. */
int place_path(const char *folder, char *out, size_t room, struct err *e);
