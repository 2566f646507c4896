/*
 * env/setup.h -- set-up code becomes an image: run it once, copy its memory.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "env/local.h"

struct setup {
    const struct msg_run   *program;    /* in order; borrowed */
    size_t                  programs;
    int                     root_fd;    /* for their imports; -1: none */
    const struct run_calls *calls;      /* for their output; borrowed */
    void                   *user;
};

/*
 * Run the programs one after another in one cell of a worker as spec says, and
 * give the image of that cell in *out_fd. Returns 0; or 1 when a program
 * failed: *out_failed is its index and *out_result its ending, which the
 * caller then frees; or a negative errno with why in e.
 */
int setup_image(const struct local_spec *spec, const struct setup *setup,
                int *out_fd, size_t *out_failed, struct run_result *out_result,
                struct err *e);
