/* cli/edit.c -- lines from a person, or from a pipe.
 * SPDX-License-Identifier: MIT */
#include "cli/edit.h"
#include "cli/interrupt.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { HISTORY_LINES = 1000 };

/* What we use of libedit, by its readline names. */
struct library {
    char *(*readline)(const char *);
    int   (*add_history)(const char *);
    int   (*read_history)(const char *);
    int   (*write_history)(const char *);
    void  (*stifle_history)(int);
    void  (*using_history)(void);
};

struct edit {
    int            interactive;
    void          *handle;            /* NULL: plain reading */
    struct library lib;
    char           history[PATH_MAX]; /* "": kept in memory only */
    char           last[256];
};

static int load(struct edit *e)
{
    const struct { const char *name; void *slot; } wanted[] = {
        { "readline", &e->lib.readline },
        { "add_history", &e->lib.add_history },
        { "read_history", &e->lib.read_history },
        { "write_history", &e->lib.write_history },
        { "stifle_history", &e->lib.stifle_history },
        { "using_history", &e->lib.using_history },
    };
    e->handle = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!e->handle)
        return -ENOENT;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
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

struct edit *edit_open(int interactive)
{
    struct edit *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->interactive = interactive;
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
    free(e);    /* the library stays: libedit has no way to let go of all */
}

void edit_remember(struct edit *e, const char *line)
{
    if (!e->handle || !line[0] || strcmp(line, e->last) == 0)
        return;
    e->lib.add_history(line);
    snprintf(e->last, sizeof e->last, "%s", line);
}

static int plain_line(struct edit *e, const char *prompt, char **out)
{
    char *line = NULL;
    size_t room = 0;
    if (e->interactive) {
        fputs(prompt, stdout);
        fflush(stdout);
    }
    errno = 0;
    ssize_t n = getline(&line, &room, stdin);
    if (n < 0) {
        int interrupted = errno == EINTR || interrupt_seen();
        free(line);
        clearerr(stdin);
        return interrupted ? -EINTR : 0;
    }
    while (n && (line[n - 1] == '\n' || line[n - 1] == '\r'))
        line[--n] = '\0';
    *out = line;
    return 1;
}

int edit_line(struct edit *e, const char *prompt, char **out)
{
    if (!e->handle)
        return plain_line(e, prompt, out);
    char *line = e->lib.readline(prompt);
    if (!line)
        return interrupt_seen() ? -EINTR : 0;
    *out = line;
    return 1;
}
