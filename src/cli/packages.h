/*
 * cli/packages.h -- which npm packages a folder holds.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/err.h"
#include <stddef.h>

struct package_list {
    const char **name;    /* room for `room`; each is given, to be freed */
    size_t       n, room;
};

/*
 * dir is a node_modules, or a project that has one. Gives the path of the
 * node_modules, links resolved, in *out_folder (to be freed), and the packages
 * worth loading ahead of time: the dependencies of the package.json beside it
 * that are installed, or all at its top. On failure what was gathered stays in
 * the list. -ENOENT when there is no such folder.
 */
int packages_find(const char *dir, char **out_folder, struct package_list *list,
                  struct err *e);
