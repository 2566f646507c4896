/*
 * jail/seal.h -- walls that a process puts up around itself, in the parts that
 * the js worker, the jail and a zygote's fork have in common.
 *
 * System calls only: no malloc, no lock. Each returns 0 or a negative errno.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/base.h"

enum seal_rights {
    SEAL_READ  = BIT(0),    /* read files and list folders */
    SEAL_WRITE = BIT(1),    /* all that changes a tree; implies SEAL_READ */
    SEAL_EXEC  = BIT(2),
    SEAL_LIST  = BIT(3),    /* list folders, this one and beneath (Landlock has
                               no rule for one folder); no file is read */
};
struct seal_path {
    const char *at;         /* a file or folder; one that is missing is skipped */
    unsigned    rights;
};

/*
 * Landlock: from now on only these paths (and all beneath), no signal and no
 * abstract socket across the border where the kernel can. TCP is left to the
 * network namespace. -EOPNOTSUPP where the kernel has no Landlock.
 */
int seal_landlock(const struct seal_path *path, size_t n);

/* Lower a resource limit, both halves, to `most`; one that is lower stays. */
int seal_limit(int what, uint64_t most);

/* Write a text into a file of /proc in one go. */
int seal_write(const char *path, struct str text);

/* Give up every capability for good: bounding set, ambient, securebits, all
 * three sets; looks that nothing is left. */
int seal_capabilities(void);
