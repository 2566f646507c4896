/* bench/compute.c -- one program in a fresh cell of the in-process engine; its
 * value goes to standard output. usage: compute IMAGE FILE.js
 * SPDX-License-Identifier: MIT */
#include "base/io.h"
#include "bench/inproc.h"

enum { MAX_PROGRAM_BYTES = 1 << 20, MAX_MS = 600000 };

int main(int argc, char **argv)
{
    struct err e = { 0 };
    struct image im;
    struct cell c;
    struct msg_result r;
    AUTO_BUF program;
    buf_init(&program, MAX_PROGRAM_BYTES);
    if (argc != 3) {
        fprintf(stderr, "usage: compute IMAGE FILE.js\n");
        return 2;
    }
    if (io_read_file(argv[2], MAX_PROGRAM_BYTES, &program, &e) < 0)
        inproc_die(&e);
    inproc_start(argv[1], &im);
    if (cell_new(&im, CELL_TRACKED, &c, &e) < 0)
        inproc_die(&e);
    struct msg_run req = { .limits = run_limits_default, .mode = MODE_SCRIPT,
                           .flags = RUN_PLAIN, .name = str_of(argv[2]),
                           .source = buf_str(&program) };
    req.limits.wall_time_ms = req.limits.cpu_time_ms = MAX_MS;
    inproc_run(&c, &req, &r);
    if (r.reason != REASON_COMPLETED) {
        fprintf(stderr, "compute: %s: %.*s\n", reason_text((enum reason)r.reason),
                (int)r.error_message.len, r.error_message.at);
        return 1;
    }
    printf("%.*s\n", (int)r.value.len, r.value.at);
    return 0;
}
