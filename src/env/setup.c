/* env/setup.c -- set-up code becomes an image.  SPDX-License-Identifier: MIT */
#include "env/setup.h"

#include <errno.h>

enum { HEAD_ROOM = 8 << 10 };    /* an image is the memory and its head */

static int run_one(struct local *l, const struct setup *setup, size_t i,
                   struct run_result *out_result, struct err *e)
{
    struct msg_run m = setup->program[i];
    m.flags |= RUN_SETUP | RUN_KEEP;
    struct run r;
    run_init(&r, &m, setup->root_fd, setup->calls, setup->user);
    int status = local_run(l, &r, e);
    if (r.state == RUN_DONE && !result_ok(&r.result)) {
        *out_result = r.result;    /* gives what it holds */
        r.result = (struct run_result){ 0 };
        status = 1;
    }
    run_free(&r);
    return status;
}

int setup_image(const struct local_spec *spec, const struct setup *setup,
                int *out_fd, size_t *out_failed, struct run_result *out_result,
                struct err *e)
{
    struct local_spec one = *spec;
    struct local *l = NULL;
    one.jobs = 1;
    int r = local_open(&one, &l, e);
    for (size_t i = 0; r == 0 && i < setup->programs; i++) {
        r = run_one(l, setup, i, out_result, e);
        if (r == 1)
            *out_failed = i;
    }
    if (r == 0)
        r = local_dump(l, spec->peer.memory_bytes + HEAD_ROOM, out_fd, e);
    local_free(l);
    return r;
}
