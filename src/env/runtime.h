/*
 * env/runtime.h -- find Node.js and Python on this host.
 *
 * Looked for where the caller says (--node, --python), in GLOVEBOX_NODE or
 * GLOVEBOX_PYTHON, beside glovebox itself (node only: env/place.h), and in
 * PATH, in this order; the first that was named counts, whether it works or
 * not. A shim (pyenv, asdf, volta) is asked for the binary that it stands for:
 * it is run once, with a clean environment, a deadline and a cap on its output.
 *
 * How it is shown inside a jail: a binary below /usr/bin stays where it is,
 * with /usr/lib. Of any other the folder of its installation is shown at
 * /opt/node or /opt/python. That folder must be the installation's own: a
 * prefix that holds a person's other files (~, ~/.local) is never shown. Node
 * is one file and is then shown alone; Python needs its library and is refused.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/err.h"
#include "env/guest.h"

enum { RUNTIME_ASK_MS = 10000, RUNTIME_ANSWER_BYTES = 64 << 10 };

/*
 * given may be NULL. -ENOENT when there is none, -EINVAL when it is too old or
 * cannot be shown; e says how to get one, and that js programs need none.
 */
int runtime_find(enum engine engine, const char *given, struct runtime *out,
                 struct err *e);
