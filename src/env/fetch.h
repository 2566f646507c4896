/*
 * env/fetch.h -- requests of a js run, between its worker and the egress process.
 *
 * What a run may reach is for the egress process to judge. Here is how much a
 * worker, which may be under an attacker's control, can have in flight and make
 * others store: calls at once, bytes of bodies, the window of each answer.
 *
 *   worker ── fetch, fetch_more, fetch_abort ──> fetches ──> egress process
 *          <── fetch_head, fetch_data, ... ────         <── head, data, end, fail
 *
 * The numbers of calls are the worker's own and may repeat; towards the egress
 * process each has another, never used twice. A call that was aborted keeps its
 * place until the egress process is done with it.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "env/egress.h"
#include "env/peer.h"
#include "env/result.h"

enum { FETCH_PLACES = 2 * MAX_FETCHES };

struct fetches {
    struct egress           *egress;    /* borrowed; NULL: no network */
    struct peer             *peer;      /* borrowed until fetches_end() */
    const struct run_limits *limits;    /* borrowed */
    uint64_t                 run;       /* the run's number over there */
    uint64_t                 calls;     /* begun so far */
    uint64_t                 body_bytes;    /* sent so far */
    int                      attached;
    unsigned                 places, open;
    struct fetch_place {
        uint64_t number;                /* over there */
        uint32_t call;                  /* over here */
        uint32_t credit;                /* bytes that may still be sent */
        int      over;                  /* the worker is done with it */
    } place[FETCH_PLACES];
};

/* A run begins on this peer. Nothing is asked of the egress process until the
 * run asks; run is unique among those that use it. */
void fetches_begin(struct fetches *f, struct egress *egress, uint64_t run,
                   struct peer *peer, const struct run_limits *limits);
/*
 * The run is over: no call of it is answered any more. Must come before the
 * peer's next run. Accepts one that never began. The egress process still owes
 * its last usage if this returns 1.
 */
int  fetches_end(struct fetches *f);

/* What the worker says. Not 0: it broke the protocol, and e says how. */
int fetch_asked(struct fetches *f, const struct msg_fetch *m, struct err *e);
int fetch_aborted(struct fetches *f, const struct msg_fetch_abort *m,
                  struct err *e);
int fetch_granted(struct fetches *f, const struct msg_fetch_more *m,
                  struct err *e);
/* A run without a network wanted this: a line for its result. */
void fetch_was_denied(struct run_result *r, const struct msg_fetch_denied *m);

/* What the egress process says to this run. Not 0: the worker does not take it. */
int fetch_head(struct fetches *f, const struct egress_head *m, struct err *e);
int fetch_data(struct fetches *f, const struct egress_data *m, struct err *e);
int fetch_done(struct fetches *f, const struct egress_end *m, struct err *e);
int fetch_failed(struct fetches *f, const struct egress_fail *m, struct err *e);
