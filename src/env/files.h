/*
 * env/files.h -- files into a run's work directory, and out of it again.
 *
 * In: before any guest code runs. Out: after everything is dead. Between the
 * two nobody here touches the directory, so there is no race to lose; and what
 * a guest left there may still be hostile: links, devices, endless trees and
 * names that play tricks. Nothing is followed, nothing but regular files is
 * read, and every count has a ceiling.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/err.h"
#include "env/guest.h"

enum {
    FILES_MAX_LISTED = 1000,
    FILES_MAX_DEPTH  = 32,
    FILES_MAX_SEEN   = 200000,    /* entries that a walk looks at */
};

/* Why a thing was not listed or not copied. X(NAME, "text in results") */
#define FILE_SKIPS(X)                                                       \
    X(LINK,     "links")                                                    \
    X(SPECIAL,  "special")       /* devices, pipes, sockets */              \
    X(NAME,     "odd_names")     /* listed, escaped; never copied */        \
    X(DEEP,     "too_deep")                                                 \
    X(MANY,     "too_many")                                                 \
    X(LARGE,    "too_large")                                                \
    X(CLOSED,   "unreadable")                                               \
    X(TARGET,   "not_written")   /* something is in the way outside */

enum file_skip {
#define X(NAME, text) SKIP_##NAME,
    FILE_SKIPS(X)
#undef X
    FILE_SKIP_KINDS
};
const char *file_skip_text(enum file_skip kind);

struct file_entry {
    char    *path;      /* relative; what is no plain UTF-8 is written \xNN */
    uint64_t bytes;
    int      odd;       /* the name was: path is not what the guest used */
    int      copied;    /* into the folder of the caller */
};

struct file_list {
    struct file_entry *file;      /* sorted by path */
    size_t             files;
    uint64_t           skipped[FILE_SKIP_KINDS];
};
void file_list_free(struct file_list *l);    /* accepts a zeroed list */

/* 0, or -EINVAL for a path that is absolute, too long or not plain. */
int files_check_path(const char *path, struct err *e);

/*
 * Create every file, and the folders on its way. They belong to the owner of
 * the directory, also when we are root and its file system knows only that one
 * user. -ENOSPC when they do not fit.
 */
int files_put(int work_fd, const struct guest_file *file, size_t files,
              struct err *e);

/* What is there that was not put, or was changed since; and not the program
 * itself. Gives *out. */
int files_list(int work_fd, const struct guest_file *put, size_t puts,
               const struct guest_file *program, struct file_list *out,
               struct err *e);

/*
 * Copy what was listed beneath out_fd, at most max_bytes in all, counted as
 * they are read. Replaces regular files, nothing else. What cannot be copied
 * is counted in `skipped`; the first reason of the host's is in e.
 */
int files_fetch(int work_fd, struct file_list *l, int out_fd,
                uint64_t max_bytes, struct err *e);
