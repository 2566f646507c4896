/*
 * cli/interrupt.h -- Ctrl-C and SIGTERM as a descriptor that becomes readable.
 *
 * A handler without SA_RESTART, so that a write to a slow reader is broken off
 * too. The one piece of global state of the CLI: a signal handler has no
 * argument.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/err.h"

/* Install for SIGINT, SIGTERM and SIGHUP, and ignore SIGPIPE. Gives the
 * descriptor, valid for the life of the process. */
int  interrupt_open(int *out_fd, struct err *e);
int  interrupt_seen(void);     /* the last signal since the last clear, or 0 */
void interrupt_clear(void);
