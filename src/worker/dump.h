/*
 * worker/dump.h -- a cell's present state becomes an image.
 *
 * Before it is written down, a few small programs run in it and are undone:
 * the pages they wrote are the ones most programs write, and go into the head
 * as the hot set (see image.h).
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/err.h"
#include "worker/image.h"
#include <stddef.h>

/* Gives head and memory, padded, piece by piece; returns 0 or what put did. */
typedef int dump_put(void *to, const void *bytes, size_t len);

/* head: of the image the cell came from (or of boot_fresh()). The cell cannot
 * be used for anything else afterwards. */
int dump_cell(struct cell *c, const struct image_head *head, dump_put *put,
              void *to, struct err *e);
