/*
 * worker/image.h -- a warm memory image, and cells that are copies of it.
 *
 * A cell's linear memory is a private mapping of its image. Making one costs a
 * mapping; running in it copies the pages that are written; and resetting it
 * after a run puts those pages back. Two ways to put them back:
 *
 *   tracked   All pages start write-protected but the hot ones, a list trained
 *             when the image was made. The first write to a cold page faults
 *             and adds it to the list. Reset copies the listed pages back from
 *             a read-only view: microseconds, because nothing is unmapped and
 *             a run that touches the same pages again takes no fault at all.
 *   plain     All pages are writable and the kernel drops the private copies
 *             at reset. Slower to reset (each page faults again) but two
 *             mappings a cell instead of dozens: for cells that live long.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/err.h"
#include "wire/image.h"
#include <stdint.h>

struct image {
    struct image_head head;
    int               fd;      /* used to map cells; -1: an image without a file,
                                * whose dropped pages would come back as zeros */
    const uint8_t    *view;    /* the memory, read-only and shared */
    uint32_t          pages;   /* of 4 KiB */
};

enum cell_kind { CELL_TRACKED, CELL_PLAIN };

struct cell {
    uint8_t            *slot;
    const struct image *image;
    enum cell_kind      kind;
    uint32_t            wasm_pages;       /* current size */
    uint32_t            stack_pointer;
    uint8_t            *listed;           /* one byte a page; tracked cells only */
    uint32_t           *list;             /* pages to copy back */
    uint32_t            count, sorted;
    uint8_t            *backup;           /* of a session, before an evaluation */
    uint64_t            backup_bytes;
    uint32_t            backup_stack_pointer;
};

/* Check and map the image behind fd. engine_id is what this engine needs. */
int  image_open(int fd, const char *engine_id, struct image *out, struct err *e);

/* A cell in a new slot, as a fresh copy. */
int  cell_new(const struct image *im, enum cell_kind kind, struct cell *out,
              struct err *e);
void cell_free(struct cell *c);

/* Take the cell's present memory, a copy of which im->view is, as its image:
 * tracked from now on, with nothing hot. */
int  cell_track(struct cell *c, const struct image *im);

/* Point the engine at this cell / take its state back from the engine. */
void cell_enter(struct cell *c);
void cell_leave(struct cell *c);

/* Make it a fresh copy of its image again. Only outside of guest code. */
int  cell_reset(struct cell *c);

/* For sessions: remember the state before an evaluation; return to it; and keep
 * no more than the session itself until the next one. */
int  cell_backup(struct cell *c);
int  cell_rollback(struct cell *c);
void cell_rest(struct cell *c);
