/*
 * env/child.h -- one fork of a zygote, from the request to its last trace.
 *
 *   queued ─> starting ─> parked ─> active ─> (killing) ─> done
 *
 * A child owns its ends of the pipes and the channel, its cgroup, and the
 * descriptors that came with its seal. Nothing here blocks but the copying of
 * files. Guest code runs from child_run() on; from then on everything that
 * comes over the channel, the pipes and the notifier is the guest's word.
 *
 * Once it is done no process, mount, cgroup or descriptor of it is left but
 * its memory here, which child_free() gives back.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "env/ending.h"
#include "env/zygote.h"
#include "jail/cgroup.h"

struct child;

enum {
    CHILD_SEAL_MS = 10000,    /* from the request to the seal */
    CHILD_KILL_MS = 10000,    /* from the kill to the word that it is dead */
    CHILD_POLLS   = 6,
};

enum child_state {
    CHILD_QUEUED,      /* the zygote has not been asked */
    CHILD_STARTING,    /* it forks, and the fork seals itself */
    CHILD_PARKED,      /* sealed, and waiting for a program */
    CHILD_ACTIVE,      /* guest code may be running */
    CHILD_KILLING,     /* its end is settled */
    CHILD_DONE,
    CHILD_STATES
};

/* Why a child is being ended that has a run. */
struct child_stop {
    enum reason    reason;
    enum run_limit limit;        /* LIMIT_NONE: none */
    uint64_t       observed;
    const char    *detail;
};

/* A NULL entry is an event nobody waits for. After `stop` the child is dying;
 * `exit` is the last, and comes once for a child that is attached. */
struct child_events {
    void (*sealed)(void *user);
    void (*output)(void *user, int stream, struct str bytes);
    int  (*result)(void *user, const struct msg_result *m, struct err *e);
    void (*denied)(void *user, const struct msg_denied *m);
    void (*stop)(void *user, const struct child_stop *why);
    void (*exit)(void *user, struct evidence *ev);
};

/*
 * What gives runs a network. It is asked for ports and addresses before the
 * fork, handed the sockets of the sealed run before its program (borrowed: it
 * duplicates what it needs), and told when the run is over; then it says how
 * many bytes went through. What it refuses it tells with child_deny().
 */
struct child_net {
    void *user;
    void (*ports)(void *user, struct zygote_fork *out);
    int  (*open)(void *user, struct child *c, uint64_t max_bytes,
                 const int *sockets, unsigned n, struct err *e);
    uint64_t (*close)(void *user, struct child *c);
    /* To be watched by whoever has the loop; NULL or -1: nothing. */
    int   (*fd)(void *user);
    short (*interest)(void *user);
    void  (*turn)(void *user, short revents);
};

struct child_spec {
    uint64_t                  id;
    int                       spare;      /* made ahead: warms itself first */
    const struct guest_image *image;      /* all borrowed until child_free() */
    struct run_limits         limits;
    struct cgroups           *cgroups;    /* NULL: none here */
    const struct child_net   *net;        /* NULL: no sockets */
};

/* Makes the pipes and the group; asks nobody yet. */
int  child_new(const struct child_spec *spec, struct child **out, struct err *e);
void child_free(struct child *c);    /* kills; accepts NULL */
/* Ask the zygote. -EAGAIN: it is busy, ask again. */
int  child_ask(struct child *c, struct zygote *z);

void child_listen(struct child *c, const struct child_events *events, void *user);

/* Put the files in, send the program; only while parked. */
int  child_run(struct child *c, const struct msg_run *m,
               const struct guest_run *g, struct err *e);
void child_kill(struct child *c);    /* does not wait; safe to repeat */

void     child_watch(const struct child *c, struct pollfd out[CHILD_POLLS]);
void     child_turn(struct child *c, const struct pollfd f[CHILD_POLLS],
                    uint64_t now_ns);
uint64_t child_deadline_ns(const struct child *c);    /* 0: none */

/* What the zygote said of it; takes the descriptors. */
void child_report(struct child *c, const struct zygote_report *r, const int *fds);
/* The zygote is gone, and so is this. */
void child_orphaned(struct child *c, const char *why);

enum child_state child_state(const struct child *c);
uint64_t    child_id(const struct child *c);
int         child_is_spare(const struct child *c);
const struct run_limits *child_limits(const struct child *c);
unsigned    child_walls(const struct child *c);    /* its jail's and its own */
/* Why a child failed before it had a program; "" if it did not. */
const char *child_trouble(const struct child *c);
/* It did not die in time: its zygote is not to be trusted any more. */
int         child_is_stuck(const struct child *c);
/* Something of it was refused elsewhere. */
void child_deny(struct child *c, const struct msg_denied *m);
/* What it left; from inside of `exit`, while its directory is still there. */
int child_files(struct child *c, const struct msg_run *m,
                const struct guest_run *g, struct file_list *out, struct err *e);
