/*
 * env/local.h -- runs over a few workers of our own, in one poll() loop.
 *
 * What the CLI uses in place of the daemon. A worker is kept for the next run
 * as long as it behaves; a new one is started when a run needs it. With an
 * image of node or python the runs are forks of a zygote (env/forks.h), and
 * each must have its `guest` set.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "env/guest.h"
#include "env/network.h"
#include "env/run.h"

struct local;

enum { LOCAL_MAX_JOBS = 256 };

struct local_spec {
    struct peer_spec peer;            /* descriptors borrowed until local_free() */
    unsigned         jobs;            /* workers at once */
    int              interrupt_fd;    /* readable: cancel; -1: none */
    const struct guest_image *image;  /* node or python; NULL: js, by peer */
    struct network  *net;             /* borrowed; NULL: none */
};

int  local_open(const struct local_spec *spec, struct local **out,
                struct err *e);
void local_free(struct local *l);    /* ends all workers; accepts NULL */

/* Where runs come from and go to. next gives a queued run, or NULL when there
 * are no more; done hands it back, finished. */
struct local_work {
    struct run *(*next)(void *user);
    void (*done)(void *user, struct run *r);
    void *user;
};

/* A single run; *one becomes NULL once it was taken. */
struct local_work local_work_of(struct run **one);

/*
 * Until next gives NULL and every run is done. Returns 0, -ECANCELED after an
 * interrupt (active runs end as cancelled, none is begun), or another negative
 * errno if a worker could not be started (its run ends as internal).
 */
int local_drive(struct local *l, const struct local_work *w, struct err *e);

/* One run, to its end. */
int local_run(struct local *l, struct run *r, struct err *e);

/* A worker that said hello, started if there is none; borrowed. js only. */
int local_greet(struct local *l, const struct peer **out, struct err *e);

/* The same of node and python: the zygote is up, and tested if it is warm. */
struct local_ready {
    char        version[64];      /* of the runtime, as it says itself */
    int         cold;             /* a process for each run */
    char        fallback[400];    /* why, if nobody asked for that */
    unsigned    walls;            /* of the jail; each run adds its own */
    const char *cgroups;          /* "v2", "v1", "none" */
};
int local_prepare(struct local *l, struct local_ready *out, struct err *e);

/* What the zygote said while it warmed up; empty for js. Borrowed. */
struct str local_words(const struct local *l);

/* After an interrupt: go on. The caller has made interrupt_fd unreadable. */
void local_resume(struct local *l);
/* Does the first worker live, and with it what a session had? */
int  local_alive(const struct local *l);

/* js only. Of the first worker, when it is idle: its cell becomes a fresh
 * copy ... */
int local_reset(struct local *l, struct err *e);
/* ... or an image, checked and sealed; gives the descriptor. */
int local_dump(struct local *l, uint64_t max_bytes, int *out_fd, struct err *e);
