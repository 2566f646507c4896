/*
 * env/permissions.h -- what a program of node or python may do, as a policy.
 *
 *   { "net": "allow" | "deny" | { "default": ..., "rules": [
 *       { "mode": "allow", "operations": ["*"], "patterns": ["tcp://x.org:443"] } ] },
 *     "fs": ..., "child_process": ..., "process": ..., "env": ... }
 *
 * Also spelt "network" and "childProcess". What is not said stays as it is by
 * default: net denied, the rest allowed. In a rule set the last rule that
 * matches decides, and what none matches is denied. "ask" is "deny": there is
 * nobody to ask.
 *
 * Every word is enforced, or refused with the reason; none is merely written
 * down:
 *
 *   net            rules of the egress process (egress/policy.h)
 *   fs             Landlock, for folders that exist when the wall is built: the
 *                  work directory, /tmp, /dev/shm and mounts. Folders of the
 *                  runtime itself stay readable. "read" is reading and listing,
 *                  "write" all that changes a tree; stat() cannot be denied.
 *   child_process  the system-call filter: all or none
 *   process        the pid namespace: a run sees its own processes only, so
 *                  there is nothing to deny
 *   env            which variables are passed on
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/buf.h"
#include "base/err.h"
#include "env/guest.h"

enum { PERMISSION_RULES = 64, PERMISSION_PATTERN = 256 };

enum permission { PERMISSION_DENY, PERMISSION_ALLOW, PERMISSION_SOME };

struct env_rule {
    int  allow;
    char pattern[PERMISSION_PATTERN];
};

struct permissions {
    enum permission   net, fs, child_process, process, env;
    struct buf        net_rules;          /* lines of egress/policy.h */
    struct guest_path path[FORK_RULES];   /* when fs is not ALLOW */
    size_t            paths;
    char              path_text[FORK_RULES][FORK_PATH_BYTES];
    struct env_rule   env_rule[PERMISSION_RULES];    /* when env is SOME */
    size_t            env_rules;
    int               env_default;
};

/* The defaults. End it with permissions_free(). */
void permissions_init(struct permissions *p);
void permissions_free(struct permissions *p);    /* accepts a zeroed one */

/*
 * Lay a policy over what p says. mounts are what the run will have (struct
 * guest_image). -EINVAL: e says which word is wrong or cannot be enforced, and
 * what to write instead; p is then good for nothing but being freed.
 */
int permissions_read(struct permissions *p, struct str json,
                     const struct guest_mount *mount, size_t mounts,
                     struct err *e);

/* One more host, HOST[:PORT], after all rules so far. */
int permissions_allow_host(struct permissions *p, const char *host,
                           struct err *e);

/* May the variable of this name be passed on? */
int permissions_env(const struct permissions *p, struct str name);

/* {"net":"deny","fs":"rules",...}: for the words of denials inside. */
void permissions_words(const struct permissions *p, struct buf *out);

/* `?` and `*` match within a part of a path, `**` across its slashes. */
int permission_matches(const char *pattern, struct str text);
