/* cli/edit.c -- lines from a person, or from a pipe.
 * SPDX-License-Identifier: MIT */
#include "cli/edit.h"
#include "base/buf.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HISTORY_LINES = 1000, MAX_INPUT_BYTES = 64 << 20, READ_BYTES = 4096 };

/* What we use of libedit, by its readline names. */
struct library {
    void  (*install)(const char *prompt, void (*on_line)(char *));
    void  (*remove)(void);
    void  (*read_char)(void);
    int   (*add_history)(const char *);
    int   (*read_history)(const char *);
    int   (*write_history)(const char *);
    void  (*stifle_history)(int);
    void  (*using_history)(void);
};

struct edit {
    int            interactive, interrupt_fd;
    void          *handle;            /* NULL: plain reading */
    struct buf     pending;           /* plain: read and not yet given */
    int            ended;             /* plain: stdin has */
    struct library lib;
    char           history[PATH_MAX]; /* "": kept in memory only */
    char           last[256];
};

static int load(struct edit *e)
{
    const struct { const char *name; void *slot; } wanted[] = {
        { "rl_callback_handler_install", &e->lib.install },
        { "rl_callback_handler_remove", &e->lib.remove },
        { "rl_callback_read_char", &e->lib.read_char },
        { "add_history", &e->lib.add_history },
        { "read_history", &e->lib.read_history },
        { "write_history", &e->lib.write_history },
        { "stifle_history", &e->lib.stifle_history },
        { "using_history", &e->lib.using_history },
    };
    e->handle = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!e->handle)
        return -ENOENT;
    for (size_t i = 0; i < COUNT(wanted); i++) {
        void *found = dlsym(e->handle, wanted[i].name);
        if (!found) {
            dlclose(e->handle);
            e->handle = NULL;
            return -ENOENT;
        }
        memcpy(wanted[i].slot, &found, sizeof found);
    }
    return 0;
}

/* A file that the person named, or one that they made: never a new one in
 * their home that nobody asked for. */
static void find_history(struct edit *e)
{
    const char *named = getenv("GLOVEBOX_HISTORY"), *home = getenv("HOME");
    if (named) {
        snprintf(e->history, sizeof e->history, "%s", named);
        return;
    }
    snprintf(e->history, sizeof e->history, "%s/.glovebox_history",
             home ? home : "");
    if (!home || access(e->history, W_OK) != 0)
        e->history[0] = '\0';
}

struct edit *edit_open(int interactive, int interrupt_fd)
{
    struct edit *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->interactive = interactive;
    e->interrupt_fd = interrupt_fd;
    buf_init(&e->pending, MAX_INPUT_BYTES);
    if (interactive && isatty(STDOUT_FILENO)) {
        setlocale(LC_ALL, "");
        if (load(e) == 0) {
            e->lib.using_history();
            e->lib.stifle_history(HISTORY_LINES);
            find_history(e);
            if (e->history[0])
                e->lib.read_history(e->history);
        }
    }
    return e;
}

void edit_close(struct edit *e)
{
    if (!e)
        return;
    if (e->handle && e->history[0])
        e->lib.write_history(e->history);
    buf_free(&e->pending);
    free(e);    /* the library stays: libedit has no way to let go of all */
}

void edit_remember(struct edit *e, const char *line)
{
    if (!e->handle || !line[0] || strcmp(line, e->last) == 0)
        return;
    e->lib.add_history(line);
    snprintf(e->last, sizeof e->last, "%s", line);
}

/*
 * Wait for stdin or an interrupt, whichever comes. A blocking read with a
 * signal handler would lose the signal that arrives just before it blocks.
 */
static int await_input(const struct edit *e)
{
    struct pollfd fds[] = { { e->interrupt_fd, POLLIN, 0 },
                            { STDIN_FILENO, POLLIN, 0 } };
    for (;;) {
        int n = poll(fds, COUNT(fds), -1);
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n > 0 && fds[0].revents)
            return -EINTR;
        if (n > 0 && fds[1].revents)
            return 0;
    }
}

/* ---- with the library ----------------------------------------------------- */

/* Its callback has no argument of ours. */
static struct {
    char *line;
    int   complete;
} answer;

static void on_line(char *line)
{
    answer.line = line;    /* NULL: the end */
    answer.complete = 1;
}

static int edited_line(struct edit *e, const char *prompt, char **out)
{
    int r = 0;
    answer.line = NULL;
    answer.complete = 0;
    e->lib.install(prompt, on_line);
    while (r == 0 && !answer.complete) {
        r = await_input(e);
        if (r == 0)
            e->lib.read_char();
    }
    e->lib.remove();
    if (r < 0)
        return r;
    *out = answer.line;
    return answer.line != NULL;
}

/* ---- without -------------------------------------------------------------- */

/* Take the first line of what is pending; all of it when stdin has ended. */
static int take_line(struct edit *e, char **out)
{
    struct buf *b = &e->pending;
    const char *end = b->len ? memchr(b->at, '\n', b->len) : NULL;
    if (!end && (!e->ended || !b->len))
        return 0;
    size_t n = end ? (size_t)(end - b->at) : b->len;
    size_t text = n && b->at[n - 1] == '\r' ? n - 1 : n;
    *out = strndup(b->at, text);
    buf_drop(b, end ? n + 1 : n);
    return *out ? 1 : -ENOMEM;
}

static int read_more(struct edit *e)
{
    char *room = buf_reserve(&e->pending, READ_BYTES);
    if (!room)
        return -EMSGSIZE;
    int r = await_input(e);
    if (r < 0)
        return r;
    ssize_t n = read(STDIN_FILENO, room, READ_BYTES);
    if (n < 0)
        return errno == EINTR ? 0 : -errno;
    e->pending.len += (size_t)n;
    e->ended = n == 0;
    return 0;
}

static int plain_line(struct edit *e, const char *prompt, char **out)
{
    if (e->interactive)
        (void)!write(STDOUT_FILENO, prompt, strlen(prompt));
    e->ended = 0;
    for (;;) {
        int r = take_line(e, out);
        if (r != 0 || e->ended)
            return r;
        r = read_more(e);
        if (r < 0)
            return r;
    }
}

int edit_line(struct edit *e, const char *prompt, char **out)
{
    return e->handle ? edited_line(e, prompt, out) : plain_line(e, prompt, out);
}
