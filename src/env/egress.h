/*
 * env/egress.h -- the process that has a network, as seen from the trusted side.
 *
 * One egress process serves any number of runs under one policy. It never
 * blocks us: whoever has an event loop watches egress_fd() for
 * egress_interest() and calls egress_readable() and egress_writable().
 * Everything may be asked for right after egress_start(): frames wait in a
 * queue until the process is up.
 *
 * A run is attached with a number that is unique among the attached. Node and
 * python runs bring their sockets along (MSG_SEALED); a js run brings none and
 * uses egress_fetch(). After egress_detach() one `usage` with last = 1 comes,
 * and nothing after it.
 *
 * If the process ends or misbehaves, every fetch in flight fails with
 * FETCH_GONE, each attached run has its last usage (of what was last known),
 * connections of node and python runs just break, and `gone` says why. It is
 * not started again: start another one.
 *
 * A listener may call all functions here from inside an event, but egress_free().
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/err.h"
#include "wire/egress.h"

struct egress;

#define PLACE_EGRESS "glovebox-egress"

/* Borrowed until egress_start() returns. */
struct egress_spec {
    struct str policy;         /* rules; net_policy_parse() has the grammar */
    const struct egress_secret *secret;
    size_t     secrets;
    struct str hosts;          /* lines "ADDRESS NAME..." */
    struct str nameserver;     /* ADDRESS[:PORT]; empty: the host's */
    struct str ca_pem;         /* certificates to trust in place of the host's */
    uint32_t   connections;    /* of one run; 0: 256 */
    uint32_t   idle_ms;        /* 0: five minutes */
};

/* What can happen. A NULL entry is an event nobody waits for. Borrowed strs
 * live until the call returns. */
struct egress_events {
    void (*online)(void *user);
    /* What the policy said; m->allowed tells which. */
    void (*decision)(void *user, const struct egress_decision *m);
    void (*usage)(void *user, const struct egress_usage *m);
    void (*head)(void *user, const struct egress_head *m);
    void (*data)(void *user, const struct egress_data *m);
    void (*end)(void *user, const struct egress_end *m);
    void (*fail)(void *user, const struct egress_fail *m);
    void (*gone)(void *user, const char *why);
};

/*
 * Start the program that place_open(PLACE_EGRESS) finds. Gives *out, to be ended
 * with egress_free(). -EINVAL for rules or secrets that make no sense, with the
 * reason in e; nothing survives a failure.
 */
int  egress_start(const struct egress_spec *spec, struct egress **out,
                  struct err *e);
void egress_free(struct egress *x);    /* kills and reaps; accepts NULL */

/* events is borrowed for as long as it listens; NULL detaches. */
void egress_listen(struct egress *x, const struct egress_events *events,
                   void *user);

int   egress_fd(const struct egress *x);          /* -1 once gone */
short egress_interest(const struct egress *x);    /* POLLIN | POLLOUT, or 0 */
void  egress_readable(struct egress *x);
void  egress_writable(struct egress *x);
int   egress_usable(const struct egress *x);

/*
 * Each returns 0, -EPIPE once the process is gone, -EEXIST, -ENOENT, -EINVAL or
 * -EMSGSIZE. fds are borrowed: they are duplicated before the call returns.
 * fd[0] is the UDP socket of DNS, the rest are TCP listeners.
 */
int egress_attach(struct egress *x, uint64_t run, uint64_t max_bytes,
                  const int *fds, size_t n);
int egress_detach(struct egress *x, uint64_t run);
/* Strs of m are copied. Exactly one `end` or `fail` follows. */
int egress_fetch(struct egress *x, const struct egress_fetch *m);
int egress_abort(struct egress *x, uint64_t run, uint64_t call);
/* The reader took `bytes` of data: as many more may come. */
int egress_more(struct egress *x, uint64_t run, uint64_t call, uint64_t bytes);
