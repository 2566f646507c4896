/*
 * worker/boot.h -- bring the engine up: from nothing, or on an image.
 *
 * From nothing happens once, in the build: the engine initialises itself, the
 * extensions are placed, guest/js is evaluated, and the result is written down
 * as the base image. On an image only the function table is made, which is not
 * part of the memory.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/buf.h"
#include "base/err.h"
#include "wire/image.h"

/* Identifies engine, extensions and layout; an image carries it too. */
const char *engine_id(void);
const char *engine_version(void);

/* Make the function table for cells of this image. Before any cell exists. */
int boot_attach(const struct image_head *head, struct err *e);

/* Bring the engine up from nothing in a slot of its own, evaluate the runtime
 * and the type stripper (may be empty), and fill in *head. The current cell is
 * then that slot; see dump.c for how it becomes an image. */
int boot_fresh(struct str runtime, struct str stripper, struct image_head *head,
               struct err *e);
