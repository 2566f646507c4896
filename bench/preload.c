/* bench/preload.c -- an image with a library in it, as set-up code makes it.
 * usage: preload IMAGE LIBRARY.js OUT.image        SPDX-License-Identifier: MIT */
#include "base/io.h"
#include "bench/inproc.h"
#include "worker/dump.h"

enum { MAX_LIBRARY_BYTES = 16 << 20 };

static int put_file(void *to, const void *bytes, size_t len)
{
    return io_write_all(*(int *)to, bytes, len);
}

int main(int argc, char **argv)
{
    struct err e = { 0 };
    struct image im;
    struct cell c;
    struct msg_result r;
    AUTO_BUF library;
    buf_init(&library, MAX_LIBRARY_BYTES);
    if (argc != 4) {
        fprintf(stderr, "usage: preload IMAGE LIBRARY.js OUT.image\n");
        return 2;
    }
    if (io_read_file(argv[2], MAX_LIBRARY_BYTES, &library, &e) < 0)
        inproc_die(&e);
    inproc_start(argv[1], &im);
    if (cell_new(&im, CELL_TRACKED, &c, &e) < 0)
        inproc_die(&e);

    struct msg_run req = { .limits = run_limits_default, .mode = MODE_SCRIPT,
                           .flags = RUN_SETUP | RUN_KEEP, .name = str_of(argv[2]),
                           .source = buf_str(&library) };
    inproc_run(&c, &req, &r);
    if (r.reason != REASON_COMPLETED) {
        fprintf(stderr, "preload: %s: %s: %.*s\n", argv[2],
                reason_text((enum reason)r.reason), (int)r.error_message.len,
                r.error_message.at);
        return 1;
    }
    AUTO_FD fd = open(argv[3], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) {
        perror(argv[3]);
        return 1;
    }
    if (dump_cell(&c, &im.head, put_file, &fd, &e) < 0)
        inproc_die(&e);
    return 0;
}
