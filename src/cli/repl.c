/*
 * cli/repl.c -- glovebox repl: a session, line by line.
 *
 * One worker, one cell that is kept. A line that runs into a limit loses only
 * itself: the worker rolls the cell back. When the worker itself dies (an
 * interrupt kills it, for there is no politer way to stop hostile code), the
 * session begins anew, and the person is told.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/io.h"
#include "base/num.h"
#include "cli/command.h"
#include "cli/edit.h"
#include "cli/incomplete.h"
#include "cli/interrupt.h"
#include "cli/report.h"
#include "cli/setup.h"
#include "cli/version.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct repl {
    struct term    t;
    struct plan    plan;
    struct local  *local;
    struct edit   *edit;
    int            interactive, leave, exit_code;
    uint64_t       lines;
    uint64_t       memory_bytes;    /* peak of the last line */
    struct program *line;           /* what is evaluated: the plan's program */
    struct buf     saved;           /* what succeeded, for .save */
};

/* ---- one evaluation ------------------------------------------------------- */

static void stream(void *user, struct run *r, int stream, struct str bytes)
{
    struct repl *p = user;
    (void)r;
    term_guest(&p->t, stream == OUT_STDOUT ? TO_STDOUT : TO_STDERR, bytes);
}

static const struct run_calls calls = { .output = stream };

static void show_value(struct repl *p, const struct run_result *r)
{
    struct term *t = &p->t;
    if (!r->value.len) {
        if (p->interactive)
            term_putf(t, TO_STDOUT, "%sundefined%s\n", term_ink(t, TO_STDOUT, DIM),
                      term_ink(t, TO_STDOUT, PLAIN));
    } else {    /* a text in quotes here, unlike in report_value() */
        term_guest(t, TO_STDOUT, r->display.len ? r->display : r->value);
        term_guest_end(t, TO_STDOUT);
        term_put(t, TO_STDOUT, STR("\n"));
    }
}

static void show(struct repl *p, const struct run_result *r)
{
    if (result_ok(r))
        show_value(p, r);
    else
        report_failure(&p->t, &p->plan, r);
    if (p->leave)
        return;
    if (!local_alive(p->local))
        term_say(&p->t, "the worker is gone and the session's state with it; "
                        "a fresh one begins");
    else if (r->state_lost)
        term_say(&p->t, "the state from before this line was restored");
}

/* Ctrl-C is for the line; SIGTERM and SIGHUP mean us. */
static void interrupted(struct repl *p)
{
    if (!p->interactive || interrupt_seen() != SIGINT) {
        p->leave = 1;
        p->exit_code = reason_exit_code(REASON_CANCELLED);
    }
    interrupt_clear();
}

/* Evaluate p->line. Returns the reason, or a negative errno after saying why. */
static int evaluate(struct repl *p, struct run *run)
{
    struct err e = { 0 };
    struct msg_run m = plan_message(&p->plan, p->line, ++p->lines);
    m.flags |= RUN_KEEP | RUN_DISPLAY | (p->t.color[TO_STDOUT] ? RUN_COLOR : 0);
    run_init(run, &m, p->plan.root_fd, &calls, p);
    int r = local_run(p->local, run, &e);
    if (r == -ECANCELED) {
        interrupted(p);
        local_resume(p->local);
    } else if (r < 0) {
        term_say(&p->t, "%s", e.msg);
        return r;
    }
    p->memory_bytes = run->result.memory_peak_bytes;
    return (int)run->result.reason;
}

static void set_line(struct repl *p, struct str text, const char *around)
{
    buf_clear(&p->line->source);
    buf_add(&p->line->source, around, around[0] ? 1 : 0);
    buf_add(&p->line->source, text.at, text.len);
    buf_adds(&p->line->source, around[0] ? around + 1 : "");
    /* Of a single line, still on the screen, no snippet need be shown. */
    p->plan.programs = memchr(text.at, '\n', text.len) ? 1 : 0;
}

/* { a: 1 } is meant as an object here, though a program would see a block. */
static int looks_like_object(struct str text)
{
    size_t i = 0;
    while (i < text.len && (text.at[i] == ' ' || text.at[i] == '\t'))
        i++;
    size_t n = text.len;
    while (n > i && (text.at[n - 1] == ' ' || text.at[n - 1] == '\n'))
        n--;
    return n > i && text.at[i] == '{' && text.at[n - 1] == '}';
}

static void eval_text(struct repl *p, struct str text)
{
    struct err e = { 0 };
    struct run run;
    if (program_check("input", text, &e) < 0) {
        term_say(&p->t, "%s", e.msg);
        return;
    }
    int as_object = looks_like_object(text);
    set_line(p, text, as_object ? "()" : "");
    int reason = evaluate(p, &run);
    if (as_object && reason == REASON_SYNTAX_ERROR) {
        run_free(&run);
        set_line(p, text, "");
        reason = evaluate(p, &run);
    }
    if (reason >= 0)
        show(p, &run.result);
    if (reason == REASON_COMPLETED) {
        buf_add(&p->saved, text.at, text.len);
        buf_adds(&p->saved, "\n");
    }
    run_free(&run);
}

/* ---- dot commands --------------------------------------------------------- */

static void dot_help(struct repl *p, const char *arg);

static void dot_save(struct repl *p, const char *path)
{
    AUTO_FD fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int r = fd < 0 ? -errno : io_write_all(fd, p->saved.at, p->saved.len);
    if (r < 0)
        term_say(&p->t, ".save %s: %s", path, strerror(-r));
    else if (p->interactive)
        term_putf(&p->t, TO_STDOUT, "saved to %s\n", path);
}

static void dot_load(struct repl *p, const char *path)
{
    struct err e = { 0 };
    struct program file;
    if (program_read(&file, path, NULL, &e) < 0)
        term_say(&p->t, ".load: %s", e.msg);
    else
        eval_text(p, buf_str(&file.source));
    program_free(&file);
}

static void dot_memory(struct repl *p, const char *arg)
{
    (void)arg;
    term_putf(&p->t, TO_STDOUT, "%s of %s at the peak of the last line\n",
              num_show_bytes(p->memory_bytes).at,
              num_show_bytes(p->plan.message.limits.memory_bytes).at);
}

static void dot_reset(struct repl *p, const char *arg)
{
    struct err e = { 0 };
    (void)arg;
    buf_clear(&p->saved);
    if (local_reset(p->local, &e) < 0)
        term_say(&p->t, ".reset: %s", e.msg);
}

static void dot_exit(struct repl *p, const char *arg)
{
    (void)arg;
    p->leave = 1;
}

static const struct dot {
    const char *name, *argument, *help;
    void (*run)(struct repl *, const char *);
} dots[] = {
    { ".help",   NULL,   "this list",                                dot_help   },
    { ".load",   "FILE", "evaluate a file in the session",           dot_load   },
    { ".save",   "FILE", "write the lines that succeeded to a file", dot_save   },
    { ".memory", NULL,   "how much the session holds",               dot_memory },
    { ".reset",  NULL,   "forget everything and begin anew",         dot_reset  },
    { ".exit",   NULL,   "leave (or Ctrl-D)",                        dot_exit   },
};

static void dot_help(struct repl *p, const char *arg)
{
    (void)arg;
    for (size_t i = 0; i < COUNT(dots); i++)
        term_putf(&p->t, TO_STDOUT, "%-8s%-5s  %s\n", dots[i].name,
                  dots[i].argument ? dots[i].argument : "", dots[i].help);
    term_put(&p->t, TO_STDOUT,
             STR("Ctrl-C clears the line, or ends an evaluation and with it the "
                 "session's state.\n"));
}

/* 1 if the line was a dot command, known or not; .5 is a number. */
static int dot_command(struct repl *p, const char *line)
{
    if (line[0] != '.' || line[1] < 'a' || line[1] > 'z')
        return 0;
    size_t len = strcspn(line, " \t");
    const char *arg = line + len + strspn(line + len, " \t");
    for (size_t i = 0; i < COUNT(dots); i++) {
        if (strlen(dots[i].name) != len || memcmp(dots[i].name, line, len) != 0)
            continue;
        if (dots[i].argument && !*arg)
            term_say(&p->t, "%s needs a %s", dots[i].name, dots[i].argument);
        else
            dots[i].run(p, arg);
        return 1;
    }
    term_say(&p->t, "unknown command %.*s; .help lists them", (int)len, line);
    return 1;
}

/* ---- the loop ------------------------------------------------------------- */

/* 1: an input is in text, 0: the end, -EINTR: the person took it back. */
static int read_input(struct repl *p, struct buf *text)
{
    buf_clear(text);
    for (;;) {
        char *line = NULL;
        int r = edit_line(p->edit, text->len ? "... " : "> ", &line);
        if (r < 0)
            return r;
        if (r == 0)
            return text->len > 0;
        edit_remember(p->edit, line);
        int first = text->len == 0;
        if (first && dot_command(p, line)) {
            free(line);
            return 1;
        }
        if (!first)
            buf_adds(text, "\n");
        buf_adds(text, line);
        free(line);
        if (!input_incomplete(buf_str(text)))
            return 1;
    }
}

static int loop(struct repl *p)
{
    AUTO_BUF text;
    buf_init(&text, MAX_SOURCE_BYTES);
    while (!p->leave && !p->t.broken) {
        int r = read_input(p, &text);
        if (r < 0 && r != -EINTR) {
            term_say(&p->t, "stdin: %s", strerror(-r));
            return EXIT_OURS;
        }
        if (r < 0) {
            interrupted(p);
            if (p->interactive)
                term_put(&p->t, TO_STDOUT, STR("\n"));
            continue;
        }
        if (r == 0)
            break;
        if (text.failed)
            term_say(&p->t, "that is more than 16 MB");
        else if (text.len)
            eval_text(p, buf_str(&text));
    }
    if (p->interactive && !p->leave)
        term_put(&p->t, TO_STDOUT, STR("\n"));
    return p->exit_code;
}

static void greet(struct repl *p)
{
    const struct peer *peer;
    struct err e = { 0 };
    if (!p->interactive)
        return;
    if (local_greet(p->local, &peer, &e) < 0)
        term_say(&p->t, "%s", e.msg);
    else
        term_putf(&p->t, TO_STDOUT, "glovebox %s, %s. .help for help, Ctrl-D to "
                  "leave.\n", GLOVEBOX_VERSION, peer_engine(peer));
}

static int session(struct repl *p, int interrupt_fd)
{
    struct err e = { 0 };
    struct local_spec spec;
    plan_local(&p->plan, interrupt_fd, &spec);
    p->interactive = isatty(STDIN_FILENO);
    p->line = p->plan.program;
    buf_init(&p->saved, 64 << 20);
    p->edit = edit_open(p->interactive, interrupt_fd);
    int code = EXIT_OURS;
    if (!p->edit || program_named(p->line, "[repl]", &e) < 0 ||
        local_open(&spec, &p->local, &e) < 0) {
        term_say(&p->t, "repl: %s", e.code ? e.msg : "no memory");
    } else {
        greet(p);
        code = loop(p);
    }
    edit_close(p->edit);
    local_free(p->local);
    p->plan.programs = 1;    /* the line is the plan's to free */
    buf_free(&p->saved);
    return code;
}

static int run(const struct command *c, int argc, char **argv)
{
    struct run_options o = { 0 };
    struct texts operands = { 0 };
    const struct texts no_files = { 0 };
    int code = command_options(c, argc, argv, &o, &operands);
    if (code >= 0)
        return code;
    struct repl p = { .plan = PLAN_NONE };
    struct err e = { 0 };
    int interrupt_fd = -1;
    term_init(&p.t, o.no_color);
    if (operands.n)
        err_set(&e, -EINVAL, "takes no files; to evaluate one: .load %s",
                operands.at[0]);
    else if (o.engine != WISH_AUTO && o.engine != WISH_JS)
        err_set(&e, -EINVAL, "a session is js only; programs of node and python: "
                "glovebox run");
    else if (plan_make(&p.plan, &o, &no_files, &no_files, &e) == 0)
        interrupt_open(&interrupt_fd, &e);
    if (e.code) {
        term_say(&p.t, "repl: %s", e.msg);
        code = e.code == -ENOENT ? EXIT_NOT_FOUND : EXIT_OURS;
    } else if (plan_set_up(&p.t, &p.plan, interrupt_fd, &code) == 0) {
        code = session(&p, interrupt_fd);
    }
    plan_free(&p.plan);
    return code;
}

const struct command command_repl = {
    .name = "repl",
    .usage = "repl [flags]",
    .summary = "Try things out in a session whose state stays",
    .options = repl_option_rows,
    .run = run,
    .more = "Each line has the limits above. The history is written to the file in\n"
            "GLOVEBOX_HISTORY, or to ~/.glovebox_history if there is one.\n",
};
