/*
 * jail/probe.h -- which walls does this host offer? Asked by effect: each probe
 * tries the thing in a child and looks at what happened.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "jail/jail.h"

struct probe_result {
    unsigned    wall;        /* WALL_* */
    int         offered;
    char        why[160];    /* what was seen; how to get it when missing */
};

/* Fill out[] (room for n) and return how many were written. */
size_t probe_walls(struct probe_result *out, size_t n);

/* Things that are not walls, and that decide what walls or speed can be had. */
struct probe_fact {
    const char *name;        /* a constant: "kernel", "cgroups" */
    int         ok;
    char        why[160];
};

/* The same for facts. */
size_t probe_facts(struct probe_fact *out, size_t n);
