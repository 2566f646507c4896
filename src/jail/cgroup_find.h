/*
 * jail/cgroup_find.h -- private to cgroup.c: where in the file system is the
 * group that we are in?
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/err.h"
#include <stddef.h>

enum { CGROUP_PATH = 4096 };

/*
 * Write the folder of our own group in the hierarchy of a v1 controller
 * ("memory"), or in that of cgroup v2 (NULL). -ENOENT if it is mounted nowhere,
 * with that in e.
 */
int cgroup_find(const char *controller, char out[CGROUP_PATH], struct err *e);

/* Is a word in a text, between blanks, commas or line ends? */
int cgroup_has_word(const char *text, const char *word);
