/*
 * cli/js_network.h -- the network of a js program: hosts it may ask, secrets it
 * may use without knowing them.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "cli/run_options.h"
#include "env/network.h"

struct js_network {
    struct net_policy policy;
    struct buf        rules;
    struct buf        secrets;     /* JSON: what the program finds in `secrets` */
    struct network   *network;
};

/* Nothing is started without --allow-net. */
int  js_network_make(struct js_network *n, const struct run_options *o,
                     struct err *e);
void js_network_free(struct js_network *n);    /* accepts a zeroed one */
