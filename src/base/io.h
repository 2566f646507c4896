/*
 * base/io.h -- reads and writes that finish.
 *
 * All of them carry on after a signal and wait on a descriptor that is not
 * ready. A write to a closed pipe raises SIGPIPE unless the process ignores it.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/buf.h"
#include "base/err.h"

#include <sys/types.h>

/* Returns 0 when every byte is written, or a negative errno. */
int io_write_all(int fd, const void *at, size_t len);

/* Returns len, less only where the input ended, or a negative errno. */
ssize_t io_read_full(int fd, void *at, size_t len);

/*
 * Append a whole file to out. What holds more than cap bytes is refused with
 * -EFBIG: an ordinary file before anything is read, a pipe or a device when it
 * goes past. A directory is -EISDIR. On failure out is as it was, and e says
 * what happened to which file; name is what to call fd there ("stdin").
 */
int io_read_file(const char *path, size_t cap, struct buf *out, struct err *e);
int io_read_fd(int fd, const char *name, size_t cap, struct buf *out,
               struct err *e);
