/*
 * env/run.h -- the life of one run, from the request to the result.
 *
 * A run borrows a peer from run_begin() until it is done; then the peer is
 * free for another run, or dead. A run of node or python borrows a child from
 * run_attach() on, which is good for one run only. Nothing here blocks.
 * run_tick() must be called when run_deadline_ns() has come: that is the
 * watchdog.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "env/child.h"
#include "env/guest.h"
#include "env/fetch.h"
#include "env/peer.h"
#include "env/result.h"

enum run_state {
    RUN_QUEUED,      /* no worker yet */
    RUN_STARTING,    /* its worker is sealing itself; no guest code ran */
    RUN_ACTIVE,      /* guest code may be running */
    RUN_KILLING,     /* the ending is settled; the process is being ended */
    RUN_DONE,
    RUN_STATES
};

enum run_event {
    EV_ASSIGNED,     /* has a worker */
    EV_STARTED,      /* the run message is on its way */
    EV_REFUSED,      /* no worker, or one that cannot take it */
    EV_RESULT,
    EV_DEADLINE,
    EV_CANCEL,
    EV_BROKEN,       /* the worker broke the protocol */
    EV_STOP,         /* a limit or a rule was broken; the ending is written */
    EV_EXIT,         /* the worker's process is gone */
    RUN_EVENTS
};

/* How much later than its limit a run is ended from outside: the worker's own
 * clocks come first, because they can say where the program was. */
enum { RUN_GRACE_MS = 60 };

struct run;
/* done may free the run: nothing touches it afterwards. */
struct run_calls {
    void (*output)(void *user, struct run *r, int stream, struct str bytes);
    void (*done)(void *user, struct run *r);
};

struct run {
    enum run_state          state;
    struct msg_run          message;    /* its strs are borrowed until done */
    int                     root_fd;    /* borrowed; -1: no relative imports */
    const struct guest_run *guest;      /* borrowed; NULL: a js program */
    struct peer            *peer;       /* borrowed while starting to killing */
    struct child           *child;      /* the same, of node and python */
    const struct evidence  *evidence;   /* of its end; NULL before */
    const struct run_calls *calls;      /* borrowed */
    void                   *user;
    uint64_t                started_ns, deadline_ns;
    uint64_t                answered_ns;    /* of a guest's first result; 0 before */
    uint64_t                loads;
    struct egress          *egress;     /* borrowed; NULL: no network */
    uint64_t                egress_run; /* its number there */
    struct fetches          fetches;
    unsigned                kills;
    int                     exit_status;
    struct run_result       result;
};

void run_init(struct run *r, const struct msg_run *m, int root_fd,
              const struct run_calls *calls, void *user);
void run_free(struct run *r);    /* detaches from its peer, ends its child */

/* Give a queued run a peer that is starting or idle. */
int  run_begin(struct run *r, struct peer *p);
/* The same for a run whose `guest` is set, and a child that nobody has. */
int  run_attach(struct run *r, struct child *c);
/* There will be no worker for a queued run. */
void run_refuse(struct run *r, const char *why);
int  run_cancel(struct run *r);
uint64_t run_deadline_ns(const struct run *r);    /* 0: none */
void run_tick(struct run *r, uint64_t now_ns);

/* Its worker did what it may not: the run ends as crashed. */
void run_broken(struct run *r, const char *why);

/* One step of the table in run.c; -EINVAL if ev makes no sense now. */
int  run_event(struct run *r, enum run_event ev);
