/*
 * env/modules.h -- relative imports: files under one folder, and no others.
 *
 * The guest chooses the names and may also have written some of the files, so
 * a name is checked as text, and the kernel resolves it beneath the root in
 * one step: no link, no "..", no mount of /proc can lead out.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/buf.h"
#include "base/err.h"

/*
 * Load the module `name` (as joined by the worker: relative to the root, with
 * '/' between its parts, no "." or "..") for the module `base`. Returns 0 with
 * the file's text in out (JSON is checked here and made a module by the
 * worker), or a negative errno with a text for the guest in out; it
 * names files by their path below the root only.
 */
struct module_ask {
    int        root_fd;
    unsigned   image_flags;    /* IMAGE_TS: TypeScript can be stripped */
    struct str base, name;
};
int module_load(const struct module_ask *ask, struct buf *out);

/* The file's own text: what module_load() starts from. out is empty after a
 * failure. For showing the line of an error. */
int module_read(int root_fd, struct str name, struct buf *out);

/* Is this text a name that module_load() may look up at all? */
int module_name_ok(struct str name);
