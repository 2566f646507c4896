/*
 * env/forks.h -- runs over the forks of one zygote, in one poll() loop.
 *
 * The part of env/local.h that is for node and python. Spares are forked ahead
 * and parked; a run takes one if its limits are the same, or has a fork made.
 * A zygote that dies takes its runs along; the next run has a new one. One that
 * cannot be had warm is started cold, and every result says why.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "env/local.h"

struct forks;

struct forks_spec {
    const struct guest_image *image;    /* borrowed until forks_free() */
    unsigned                  jobs;
    int                       interrupt_fd;
    const struct child_net   *net;      /* NULL: runs get no network */
    /* In place of zygote_start(), and without a self-test; for tests. */
    int (*start)(void *user, const struct guest_image *image,
                 struct zygote **out, struct err *e);
    void                     *user;
};

int  forks_open(const struct forks_spec *spec, struct forks **out, struct err *e);
void forks_free(struct forks *f);    /* ends all; accepts NULL */

int  forks_drive(struct forks *f, const struct local_work *w, struct err *e);
/* A zygote that is warm and passed its test, or a cold one. */
int  forks_prepare(struct forks *f, struct local_ready *out, struct err *e);
void forks_resume(struct forks *f);
int  forks_alive(const struct forks *f);
struct str forks_words(const struct forks *f);    /* of its zygote, while warming */
