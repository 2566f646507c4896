/* bench/inproc.h -- the worker's own loop without its process: image, cell,
 * run, reset in the caller. For benchmarks and tests of the engine; there is
 * no jail and no seal around it.  SPDX-License-Identifier: MIT */
#pragma once
#include "base/buf.h"
#include "worker/boot.h"
#include "worker/guest.h"
#include "worker/image.h"
#include "worker/meter.h"
#include "worker/run.h"
#include "worker/sfi.h"
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

/* The engine's worst cases need more than the usual 8 MiB of stack. */
static inline void inproc_stack(void)
{
    struct rlimit r;
    getrlimit(RLIMIT_STACK, &r);
    rlim_t want = 64 << 20;
    if (r.rlim_cur != RLIM_INFINITY && r.rlim_cur < want &&
        (r.rlim_max == RLIM_INFINITY || r.rlim_max >= want)) {
        r.rlim_cur = want;
        setrlimit(RLIMIT_STACK, &r);
    }
}

static inline void inproc_die(const struct err *e)
{
    fprintf(stderr, "%s\n", e->msg);
    exit(1);
}

/* An image of the running engine, to make more cells of. */
static inline void inproc_open(const char *path, struct image *out)
{
    struct err e = { 0 };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        perror(path);
        exit(1);
    }
    if (image_open(fd, engine_id(), out, &e) < 0)
        inproc_die(&e);
}

/* Engine up on the image at path; cells are then made with cell_new(). */
static inline void inproc_start(const char *path, struct image *out)
{
    struct err e = { 0 };
    inproc_stack();
    if (sfi_init(&e) < 0)
        inproc_die(&e);
    inproc_open(path, out);
    if (boot_attach(&out->head, &e) < 0 || meter_init(&e) < 0)
        inproc_die(&e);
}

static inline void inproc_run(struct cell *c, const struct msg_run *req,
                              struct msg_result *out)
{
    uint64_t ns;
    run_start(c, req);
    while (run_step(&ns) == RUN_WAITS)
        if (ns) {
            struct timespec t = { (time_t)(ns / 1000000000u),
                                  (long)(ns % 1000000000u) };
            ppoll(NULL, 0, &t, NULL);
        }
    run_finish(out);
}
