/*
 * cli/edit.h -- lines from a person, or from a pipe.
 *
 * On a terminal libedit does the editing. It is loaded when the first line is
 * asked for, not linked: its libraries would cost every `glovebox run` as much
 * as the rest of its start (docs/decisions). Without it lines are read plainly.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

struct edit;

/* interrupt_fd is watched while a line is awaited; borrowed. NULL: no memory */
struct edit *edit_open(int interactive, int interrupt_fd);
void edit_close(struct edit *e);            /* writes the history; accepts NULL */

/* 1 and a line without its end, to be freed; 0 at the end; -EINTR after an
 * interrupt. The prompt is shown only if interactive. */
int  edit_line(struct edit *e, const char *prompt, char **out);
void edit_remember(struct edit *e, const char *line);
