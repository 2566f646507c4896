/*
 * env/permission_rules.h -- a rule of a policy as it was read; private to
 * permissions.c and permission_paths.c.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "env/permissions.h"

enum scope { SCOPE_NET, SCOPE_FS, SCOPE_CHILDREN, SCOPE_PROCESS, SCOPE_ENV, SCOPES };

enum { OP_ALL = BIT(11), MAX_PATTERNS = 64, MAX_OPERATIONS = 11 };
enum { FS_READ = BIT(0), FS_STAT = BIT(1), FS_READDIR = BIT(2), FS_READLINK = BIT(3),
       FS_WRITE = BIT(4), FS_CREATE_DIR = BIT(5), FS_RM = BIT(6), FS_RENAME = BIT(7),
       FS_SYMLINK = BIT(8), FS_TRUNCATE = BIT(9), FS_MOUNT = BIT(10) };

struct rule {
    enum scope  scope;
    const char *name;                     /* of the scope */
    size_t      index;                    /* "fs.rules[2]" */
    int         allow;
    unsigned    operations;               /* OP_ALL, or bits of its scope */
    char        pattern[MAX_PATTERNS][PERMISSION_PATTERN];
    size_t      patterns;
};

/* One star or two, also after a slash, stand for all there is. */
int pattern_is_everything(const char *pattern);

/* Rules of fs, gathered one by one and then made rows of p->path. */
struct path_set;
struct path_set *path_set_new(const struct guest_mount *mount, size_t mounts);
void path_set_default(struct path_set *set, int allow);
int  path_set_add(struct path_set *set, const struct rule *rule, struct err *e);
int  path_set_end(struct path_set *set, struct permissions *p, struct err *e);
