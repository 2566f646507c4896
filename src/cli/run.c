/* cli/run.c -- glovebox run: programs in, values and endings out.
 * SPDX-License-Identifier: MIT */
#include "cli/batch.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/setup.h"

#include <errno.h>
#include <string.h>

static int refuse(struct term *t, const struct err *e)
{
    term_say(t, "run: %s", e->msg);
    return e->code == -ENOENT ? EXIT_NOT_FOUND : EXIT_OURS;
}

/* What follows `--` is the program's, if the program was named before; else
 * `--` only ends the flags. */
static struct texts take_args(struct texts *files, const struct run_options *o)
{
    struct texts args = { files->at + files->ahead, files->n - files->ahead, 0 };
    if (!o->eval && !files->ahead)
        return (struct texts){ 0 };
    files->n = files->ahead;
    return args;
}

/* Without a file or -e the program comes from stdin, if that is no terminal. */
static int from_stdin(struct texts *files, const struct run_options *o,
                      struct err *e)
{
    if (files->n || o->eval)
        return 0;
    if (isatty(STDIN_FILENO))
        return err_set(e, -EINVAL, "what? Give a file, -e CODE, or - for stdin; "
                       "glovebox repl is for trying things out");
    static const char *const stdin_only[] = { "-" };
    *files = (struct texts){ stdin_only, 1 };
    return 0;
}

static void say_engine(struct term *t, const struct plan *p)
{
    const struct guest_plan *g = p->guest;
    if (!p->options->verbose)
        return;
    term_say(t, "engine %s%s%s%s%s%s%s%s", engine_text(p->engine),
             p->choice.why[0] ? ": " : "", p->choice.why, g ? "; " : "",
             g ? g->runtime.program : "", g ? " (" : "", g ? g->runtime.version : "",
             g ? ")" : "");
}

static int perform(struct term *t, const struct run_options *o,
                   struct texts *files)
{
    struct err e = { 0 };
    struct texts args = take_args(files, o);
    struct plan plan = PLAN_NONE;
    int interrupt_fd = -1, code;
    int r = from_stdin(files, o, &e);
    if (r == 0)
        r = plan_make(&plan, o, files, &args, &e);
    /* Until here Ctrl-C simply ends us: nothing has been started. */
    if (r == 0)
        r = interrupt_open(&interrupt_fd, &e);
    if (r == 0)
        say_engine(t, &plan);
    if (r < 0)
        code = refuse(t, &e);
    else if (plan_set_up(t, &plan, interrupt_fd, &code) == 0)
        code = batch_run(t, &plan, interrupt_fd);
    plan_free(&plan);
    return code;
}

static int run(const struct command *c, int argc, char **argv)
{
    struct run_options o = { 0 };
    struct texts files = { 0 };
    int code = command_options(c, argc, argv, &o, &files);
    if (code >= 0)
        return code;
    struct term t;
    term_init(&t, o.no_color);
    code = perform(&t, &o, &files);
    if (t.broken) {
        term_say(&t, "stdout: %s", strerror(t.broken));
        return EXIT_OURS;
    }
    return code;
}

const struct command command_run = {
    .name = "run",
    .usage = "run [FILE... | - | -e CODE] [flags] [-- ARGUMENTS]",
    .summary = "Run programs, each in a fresh sandbox",
    .options = run_option_rows,
    .run = run,
    .more =
        "The value is the last expression, a top-level return, `export default`,\n"
        "what main() returns, or what __return() was given. Times are written 500ms,\n"
        "5s, 2m; sizes 512kb, 64mb, 1gb.\n\n"
        "A program is js, in an engine of glovebox's own that starts in no time and can\n"
        "reach nothing, unless it needs more: node if it imports builtins of Node.js or\n"
        "npm packages, calls require() or is a .cjs; python if it is a .py. Those run as\n"
        "a fork of a warm interpreter of this host, in a jail, with a /workspace of\n"
        "their own. What is piped into glovebox is their input.\n\n"
        "Exit code: 0; 1 the program failed; 124 out of time; 137 out of memory;\n"
        "126 denied; 130 interrupted; 125 glovebox failed; 127 no such file.\n",
};
