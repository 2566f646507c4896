/* tools/engine/train.c -- run train.js in the engine, for the compiler's profile.
 * usage: train RUNTIME.js PROGRAM.js          SPDX-License-Identifier: MIT */
#include "base/io.h"
#include "worker/boot.h"
#include "worker/image.h"
#include "worker/meter.h"
#include "worker/run.h"
#include "worker/sfi.h"
#include <stdio.h>
#include <sys/resource.h>

int main(int argc, char **argv)
{
    struct err e = { 0 };
    struct buf runtime, program;
    struct image im = { .fd = -1 };
    struct rlimit stack = { 64 << 20, RLIM_INFINITY };
    setrlimit(RLIMIT_STACK, &stack);
    buf_init(&runtime, 16 << 20);
    buf_init(&program, 16 << 20);
    if (argc != 3 || io_read_file(argv[1], 16 << 20, &runtime, &e) < 0 ||
        io_read_file(argv[2], 16 << 20, &program, &e) < 0 || sfi_init(&e) < 0 ||
        meter_init(&e) < 0 ||
        boot_fresh(buf_str(&runtime), STR(""), &im.head, &e) < 0) {
        fprintf(stderr, "train: %s\n", e.msg);
        return 1;
    }
    struct cell c = { .slot = engine.w2c_memory.data, .image = &im, .kind = CELL_PLAIN };
    struct msg_run req = { .limits = js_limits_ceiling, .name = STR("train.js"),
                           .source = buf_str(&program) };
    struct msg_result r;
    uint64_t ns;
    cell_leave(&c);
    run_start(&c, &req);
    while (run_step(&ns) == RUN_WAITS)
        ;
    run_finish(&r);
    printf("train: %s %.*s\n", reason_text(r.reason), (int)r.value.len, r.value.at);
    return r.reason != REASON_COMPLETED;
}
