/*
 * env/guest.h -- what a run of node or python is made of, as its caller says it.
 *
 * Plain data, borrowed by whoever works with it: the image is what all runs of
 * a zygote have in common, struct guest_run what one of them is given besides
 * its program (struct msg_run).
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/base.h"
#include "wire/guest.h"

enum engine { ENGINE_JS, ENGINE_NODE, ENGINE_PYTHON, ENGINES };
const char *engine_text(enum engine e);    /* "js", "node", "python" */

/* Without these there is no sandbox for native code, whatever a caller asks. */
#define GUEST_REQUIRES (WALL_SECCOMP | WALL_NNP | WALL_FDS | WALL_RLIMITS |   \
                        WALL_UID | WALL_PIDNS | WALL_MOUNTNS | WALL_NETNS |   \
                        WALL_IPCNS | WALL_UTSNS | WALL_CGROUPNS |             \
                        WALL_USERNS | WALL_LANDLOCK | WALL_DUMPABLE | WALL_QUOTA)
/* An operator may do without these, one by one and by name. */
#define GUEST_MAY_MISS (WALL_LANDLOCK | WALL_CGROUPNS | WALL_UTSNS)

/* An interpreter of this host (env/runtime.c finds it). */
struct runtime {
    enum engine engine;
    char        program[4096];     /* the binary, symlinks resolved */
    char        version[64];       /* "v20.20.2", "3.11.7" */
    int         major, minor;
    char        prefix[4096];      /* folder to show inside when it is not below
                                      /usr/bin and /usr/lib; else empty */
    char        inside[4096];      /* path of the binary inside the jail */
    char        site[8][4096];     /* further folders of packages, shown at the
                                      same path: Python's site-packages */
    size_t      sites;
};

struct guest_mount {
    const char *host, *guest;      /* both absolute */
    int         writable;
};

/* A right to files below a path; for permissions.fs that is more than yes or no. */
struct guest_path {
    const char *at;
    unsigned    rights;            /* enum path_rights */
};

struct net_policy;                 /* egress/policy.h */

struct guest_image {
    enum engine              engine;
    const struct runtime    *runtime;
    const char              *packages;    /* a node_modules of the host; NULL */
    const char *const       *preload;     /* what to load while warming */
    size_t                   preloads;
    const struct guest_mount *mount;
    size_t                   mounts;
    const char              *hostname;    /* NULL: "glovebox" */
    struct run_limits        limits;
    unsigned                 required;    /* WALL_* besides GUEST_REQUIRES */
    unsigned                 may_miss;    /* of GUEST_MAY_MISS */
    unsigned                 leave_out;   /* for control runs of tests only */
    unsigned                 spares;      /* parked ahead of time */
    int                      cold;        /* no zygote: a process for each run */
    int                      no_children; /* permissions.child_process = deny */
    const struct guest_path *path;        /* permissions.fs; NULL: the usual */
    size_t                   paths;
    const struct net_policy *net;         /* NULL: no network */
};

struct guest_file {
    const char *path;              /* relative, below the work directory */
    struct str  bytes;
};

struct guest_run {
    const struct guest_file *file;
    size_t                   files;
    struct str               input;       /* standard input */
    int                      input_fd;    /* in its place; -1: none */
    const char *const       *arg;         /* after the program's name */
    size_t                   args;
    const char *const       *env;         /* NAME=value */
    size_t                   envs;
    const char              *cwd;         /* NULL: /workspace */
    const char *const       *allowed_import;    /* python; NULL: all */
    size_t                   allowed_imports;
    struct str               permissions; /* checked JSON, for words of denials */
    int                      out_fd;      /* folder for what it wrote; -1: none */
};
