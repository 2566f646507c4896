/* cli/fit.c -- flags that make no sense for an engine are refused.
 * SPDX-License-Identifier: MIT */
#include "cli/fit.h"

#include <errno.h>
#include <string.h>

enum { JS = BIT(ENGINE_JS), NODE = BIT(ENGINE_NODE), PYTHON = BIT(ENGINE_PYTHON),
       NATIVE = NODE | PYTHON };

/* For whom a flag is not, and what to do instead. */
static const struct misfit {
    const char *flag;
    unsigned    engines;
    const char *why;
} misfits[] = {
    { "root",    NATIVE, "its files are in /workspace: put them there with --file "
                         "PATH=FILE, or show a folder with --mount" },
    { "module",  NODE,   "its packages come from --packages DIR, its own files from "
                         "--file PATH=FILE" },
    { "module",  PYTHON, "its modules come from the interpreter (--python), its own "
                         "files from --file PATH=FILE" },
    { "setup",   NATIVE, "--preload NAME loads packages once, for all runs" },
    { "clock",   NATIVE, "the clock of a native process is the kernel's" },
    { "stack",   NATIVE, "the runtime sees to its own stack" },
    { "max-timers",       NATIVE, "timers are bounded by --memory there" },
    { "max-module-loads", NATIVE, "imports are bounded by --memory there" },
    { "ts",      PYTHON, "there is no TypeScript in Python" },
    { "packages", PYTHON, "packages come from the interpreter: --python VENV/bin/python" },
    { "node",    PYTHON, "--python says which interpreter" },
    { "python",  NODE,   "--node says which" },
    { "allow-import", NODE, "what can be imported is what --packages gives" },
    { "secret",  NATIVE, "its connections are encrypted end to end, so nobody could "
                         "put the secret in on the way; pass it with --env, and name "
                         "its hosts with --allow-net" },

    { "node",    JS, "it runs in glovebox's own engine; say --engine node" },
    { "python",  JS, "it runs in glovebox's own engine; say --engine python" },
    { "packages", JS, "it imports nothing of Node.js; --module NAME=FILE gives it a "
                      "module, --engine node all of them" },
    { "preload", JS, "--setup FILE runs code once, for all runs" },
    { "spares",  JS, "fresh cells are always ready" },
    { "cold",    JS, "fresh cells are always ready" },
    { "arg",     JS, "it has no arguments; give it data with --input" },
    { "env",     JS, "it has no variables; give it data with --input" },
    { "stdin",   JS, "it reads no input; give it data with --input" },
    { "file",    JS, "it has no files; --module and --root give it modules, --input "
                     "data" },
    { "out",     JS, "it has no files; print its value with --json" },
    { "mount",   JS, "it has no files; --root gives it modules" },
    { "cwd",     JS, "it has no files" },
    { "hostname", JS, "it sees none" },
    { "permissions", JS, "it can open no file, no host and no process, so there is "
                         "nothing to permit" },
    { "allow-import", JS, "it imports only what --module and --root give" },
    { "allow-missing", JS, "it needs none of these walls" },
    { "max-processes",  JS, "it cannot start any" },
    { "max-open-files", JS, "it cannot open any" },
    { "disk",      JS, "it has no files" },
    { "max-files", JS, "it has no files" },
    { "max-file",  JS, "it has no files" },
    { "cpus",      JS, "it uses one" },
    { "leave-out", JS, "only runs of node and python can leave a wall out" },
};

int fit_check(const struct run_options *o, enum engine engine, struct err *e)
{
    for (size_t i = 0; i < COUNT(misfits); i++) {
        const struct misfit *m = &misfits[i];
        const struct option *row = option_named(run_option_rows, m->flag);
        if (row && (m->engines & BIT(engine)) && option_given(row, o))
            return err_set(e, -EINVAL, "--%s is not for %s programs: %s", m->flag,
                           engine_text(engine), m->why);
    }
    return 0;
}
