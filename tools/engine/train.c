/* tools/engine/train.c -- run programs in the engine, for the compiler's profile:
 * one that computes for a while, and many small ones, each in a fresh cell, so
 * that reading a program counts as much as running it.
 * usage: train RUNTIME.js PROGRAM.js          SPDX-License-Identifier: MIT */
#include "base/io.h"
#include "worker/boot.h"
#include "worker/image.h"
#include "worker/meter.h"
#include "worker/run.h"
#include "worker/sfi.h"
#include "worker/training.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MAX_FILE_BYTES = 16 << 20, ROUNDS = 250 };

static struct image im = { .fd = -1 };
static struct cell  cell;

static int run(struct str source)
{
    struct msg_run req = { .limits = run_limits_ceiling, .name = STR("train.js"),
                           .source = source };
    struct msg_result r;
    uint64_t ns;
    run_start(&cell, &req);
    while (run_step(&ns) == RUN_WAITS)
        ;
    run_finish(&r);
    return r.reason == REASON_COMPLETED ? cell_reset(&cell) : -1;
}

/* The engine as it booted is the image, and the one cell a copy of it. */
static int track(void)
{
    cell.slot = engine.w2c_memory.data;
    cell_leave(&cell);
    uint8_t *view = malloc(im.head.memory_bytes);
    if (!view)
        return -1;
    memcpy(view, cell.slot, im.head.memory_bytes);
    im.view = view;
    im.pages = (uint32_t)(im.head.memory_bytes / SFI_PAGE);
    return cell_track(&cell, &im);
}

int main(int argc, char **argv)
{
    struct err e = { 0 };
    struct buf runtime, program;
    struct rlimit stack = { 64 << 20, RLIM_INFINITY };
    setrlimit(RLIMIT_STACK, &stack);
    buf_init(&runtime, MAX_FILE_BYTES);
    buf_init(&program, MAX_FILE_BYTES);
    if (argc != 3 || io_read_file(argv[1], MAX_FILE_BYTES, &runtime, &e) < 0 ||
        io_read_file(argv[2], MAX_FILE_BYTES, &program, &e) < 0 ||
        sfi_init(&e) < 0 || meter_init(&e) < 0 ||
        boot_fresh(buf_str(&runtime), STR(""), &im.head, &e) < 0) {
        fprintf(stderr, "train: %s\n", e.msg);
        return 1;
    }
    int bad = track() < 0 || run(buf_str(&program)) < 0;
    for (int i = 0; !bad && i < ROUNDS; i++)
        for (size_t k = 0; k < COUNT(training); k++)
            bad |= run(str_of(training[k])) < 0;
    if (bad)
        fputs("train: a program did not complete\n", stderr);
    return bad;
}
