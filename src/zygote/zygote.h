/*
 * zygote/zygote.h -- the loop of a zygote, and what a fork of it may use.
 *
 * This folder is linked into the library that a warmed Node.js or Python loads
 * (guest/node, guest/python), and into glovebox-cold, which starts an ordinary
 * process for each run. All three serve the same protocol (wire/guest.h).
 *
 * It runs in the zygote's jail with the rights of its user namespace. Nothing
 * here parses what a guest wrote; a fork that has been sent its program never
 * comes back into zygote_serve().
 *
 * Descriptors of a fork. zygote_serve() closes all that it opened or received
 * itself: the control socket, its namespace, the pidfds of other runs, the
 * cgroup files, and what was sent to the supervisor. hooks->child answers for
 * what was open before zygote_serve() was called: a fork shares no epoll, pipe
 * or socket with the zygote. It leaves the others alone, and finds nothing of
 * its own from GUEST_CHANNEL_FD up. With `cold` there is nothing to answer
 * for: all but stdio and the channel is closed.
 *
 * Threads: the runtime may have some; fork happens in the caller's.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "wire/guest.h"

/* What a runtime needs around a fork; NULL entries are skipped. */
struct zygote_hooks {
    void (*before)(void *user);     /* in the zygote: last chance to settle */
    void (*parent)(void *user);     /* in the zygote, after each `before`, also
                                       when the fork failed */
    void (*child)(void *user);      /* in the fork: first thing, before its seal */
    void (*sealed)(void *user);     /* in the fork: after its seal */
    void *user;
    const char *version;            /* of the runtime, for the report */
    int   cold;                     /* the fork will exec the runtime: its memory
                                       starts from nothing */
    uint64_t cold_bytes;            /* then: private memory that the runtime maps
                                       before it runs anything */
};

struct zygote_child {
    uint64_t id;
    uint32_t flags;                 /* enum fork_flags */
    uint32_t walls;                 /* that stand */
};

/*
 * Report ready, then fork on demand. Returns only in a fork, after its seal:
 * stdio is in place, the channel is at GUEST_CHANNEL_FD, cwd is /workspace, and
 * the supervisor has been told. A fork that cannot be sealed sends why as a
 * fatal frame and exits with 125. Ends the process when the supervisor is gone.
 */
void zygote_serve(const struct zygote_hooks *hooks, struct zygote_child *out);

/* ---- the channel, in a fork ---------------------------------------------------- */

/* Wait for the program. The strs are borrowed from a buffer that stays. Ends
 * the process quietly if the supervisor went away or does not want the run. */
void channel_program(struct msg_program *out);
/* Send a whole frame; blocks. 0 or a negative errno. */
int  channel_result(const struct msg_result *m);
int  channel_denied(const struct msg_denied *m);
