/*
 * wire/image.h -- the file format of a js image.
 *
 *   0      struct image_head, zero-padded to IMAGE_DATA_OFFSET
 *   4096   the linear memory, memory_bytes long
 *
 * The memory is a guest's: nothing in it is trusted, and the head is checked
 * by whoever maps it. The engine id ties an image to the exact engine build
 * whose function table and layout it needs.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include <stdint.h>

#define IMAGE_MAGIC       "GBXIMG1"
#define IMAGE_DATA_OFFSET 4096
enum { IMAGE_FORMAT = 1, IMAGE_HANDLES = 32, IMAGE_EXTENSIONS = 8,
       IMAGE_HOT_PAGES = 160, IMAGE_SCRATCH_BYTES = 256 };

struct image_head {
    char     magic[8];
    uint32_t format;
    uint32_t flags;                  /* IMAGE_TS: holds the type stripper */
    char     engine_id[64];          /* hex, zero padded */
    uint64_t memory_bytes;           /* multiple of 64 KiB */
    uint32_t stack_pointer;          /* the one wasm global of the engine */
    uint32_t random_state;           /* guest address of Math.random's u64 */
    uint32_t scratch;                /* guest address of IMAGE_SCRATCH_BYTES for us */
    uint32_t handle[IMAGE_HANDLES];  /* guest pointers of the internals */
    uint32_t extension_base[IMAGE_EXTENSIONS];    /* where each one's data lies */
    uint32_t hot_pages;
    uint32_t hot_page[IMAGE_HOT_PAGES];    /* trained: copied at each reset */
};
_Static_assert(sizeof(struct image_head) <= IMAGE_DATA_OFFSET, "head fits");
enum { IMAGE_TS = 1 };
