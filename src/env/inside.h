/*
 * env/inside.h -- the parts of a child, for the files that work on them:
 * child.c (its life), child_talk.c (its channel and its notifier) and
 * child_flow.c (its stdin, stdout and stderr).
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "env/child.h"
#include "env/watch.h"

enum {
    CHILD_READ_BYTES    = 64 << 10,
    CHILD_READS_AT_ONCE = 16,     /* then the others have their turn */
    CHILD_MAX_RESULTS   = 64,     /* it may speak more than once, not for ever */
    CHILD_MAX_DENIED    = 1000,
};

/* Rows of child_watch(). */
enum { POLL_CHANNEL, POLL_STDOUT, POLL_STDERR, POLL_STDIN, POLL_INPUT, POLL_NOTIFY };
_Static_assert(POLL_NOTIFY + 1 == CHILD_POLLS, "a row for each");

struct child {
    struct child_spec          spec;
    enum child_state           state;
    const struct child_events *events;
    void                      *user;
    uint64_t                   deadline_ns;        /* of the seal, or of the kill */
    int                        stuck, forked, sealed;
    unsigned                   walls, jail_walls;
    char                       trouble[400];

    /* its processes */
    int                        init_fd, run_fd;    /* pidfds; -1 before */
    struct cgroup             *cgroup;
    struct watch               watch;
    uint64_t                   base_cpu_ns;        /* used before the program */
    uint64_t                   base_bytes;         /* of the zygote */
    uint64_t                   check_ns;           /* look at usage then */

    /* child_talk.c */
    int                        channel;
    unsigned                   phase;              /* enum phase */
    struct buf                 in, out;
    size_t                     in_at, out_at;
    int                        fd[SEALED_FDS_MAX]; /* came, and not yet placed */
    unsigned                   fds;
    int                        work, listener;
    int                        socket[1 + FORK_PORTS];
    unsigned                   sockets, results, denied, calls;
    int                        net_open;
    char                       fatal[256];

    /* child_flow.c */
    int                        theirs[FORK_FDS];   /* until the zygote is asked */
    int                        out_fd[OUT_STREAMS];
    uint64_t                   out_bytes;
    int                        stdin_fd, input_fd; /* input_fd is borrowed */
    struct str                 input;              /* borrowed, or in pump */
    char                      *pump;

    struct evidence            ev;
};

/* child.c: it must end, and this is why. */
void child_stop(struct child *c, const struct child_stop *why);
/* It said something that it may not say. */
void child_broken(struct child *c, const char *what);
/* The frame came that says that it is sealed. */
void child_sealed(struct child *c);

/* child_talk.c */
void talk_init(struct child *c);
void talk_free(struct child *c);
void talk_read(struct child *c);         /* what there is now */
void talk_drain(struct child *c);        /* all of it; the sender is dead */
void talk_write(struct child *c);
int  talk_program(struct child *c, const struct msg_run *m,
                  const struct guest_run *g, struct err *e);
void talk_notify(struct child *c);       /* a system call waits for an answer */
unsigned talk_calls_flags(const struct child *c);

/* child_flow.c */
int  flow_open(struct child *c, struct err *e);
void flow_free(struct child *c);
void flow_sent(struct child *c);         /* the zygote has its ends now */
void flow_input(struct child *c, const struct guest_run *g);
void flow_read(struct child *c, int stream);
void flow_drain(struct child *c);
void flow_write(struct child *c, short stdin_events, short input_events);
short flow_stdin_events(const struct child *c);
