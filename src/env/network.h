/*
 * env/network.h -- a network for runs: one egress process, which knows the
 * policy, and who among the runs is meant by what it says.
 *
 * Node and python runs hand over the sockets of their namespaces; a js run has
 * its requests carried (env/fetch.h).
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/base.h"
#include "egress/policy.h"
#include "env/child.h"
#include "env/egress.h"

struct network;
struct run;

/* Borrowed until network_close(), but for the secrets: only until
 * network_open() returns. */
struct network_spec {
    const struct net_policy    *policy;
    struct str                  rules;     /* the text it was made from */
    const struct egress_secret *secret;    /* for js runs only */
    size_t                      secrets;
};

/* Gives *out; nothing is started on failure. */
int  network_open(const struct network_spec *spec, struct network **out,
                  struct err *e);
void network_close(struct network *n);    /* accepts NULL */

/* What node and python runs are given; borrowed. NULL for no network. */
const struct child_net *network_for_runs(const struct network *n);

/* A js run that has not begun may use it. -ENOMEM. */
int  network_join(struct network *n, struct run *r);
/* It is done: wait, not for long, for the last word about its bytes. Accepts
 * one that never joined. */
void network_leave(struct network *n, struct run *r);

/* For the event loop of js runs. */
int   network_fd(const struct network *n);
short network_interest(const struct network *n);
void  network_turn(struct network *n, short revents);
