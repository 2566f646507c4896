/*
 * env/image.h -- an image as the supervisor sees it: a head to check, bytes
 * that it never looks into.
 *
 * An image that a worker dumped is a guest's memory. The worker that maps it
 * later is as sealed as the one that wrote it, so what is checked here is only
 * what the supervisor and the next worker rely on: sizes, counts, engine.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/base.h"
#include "base/err.h"
#include "wire/image.h"

/* Read and check the head of an image; its size must fit the file's. */
int image_head_read(int fd, struct image_head *out, struct err *e);

/* An image that is being received: appended to a memfd up to a ceiling. */
struct image_sink {
    int      fd;
    uint64_t bytes, max_bytes;
};
int  image_sink_open(struct image_sink *s, uint64_t max_bytes, struct err *e);
int  image_sink_add(struct image_sink *s, struct str chunk, struct err *e);
/*
 * Check what was received against the image it grew from and seal it. Gives
 * the descriptor; the sink is then empty.
 */
int  image_sink_seal(struct image_sink *s, const struct image_head *parent,
                     int *out_fd, struct err *e);
void image_sink_close(struct image_sink *s);    /* accepts a closed sink */
