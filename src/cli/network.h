/*
 * cli/network.h -- a network for runs of node and python: the sockets of each
 * go to one egress process, which knows the policy.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/base.h"
#include "egress/policy.h"
#include "env/child.h"

struct network;

/* rules is the text that policy was made from; both are borrowed until
 * network_close(). Gives *out; nothing is started on failure. */
int  network_open(const struct net_policy *policy, struct str rules,
                  struct network **out, struct err *e);
void network_close(struct network *n);    /* accepts NULL */

/* What the runs are given; borrowed from the network. NULL for no network. */
const struct child_net *network_for_runs(const struct network *n);
