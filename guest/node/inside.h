/*
 * guest/node/inside.h -- private to this folder: how a warmed Node.js is made
 * ready to be forked, and how a fork of it comes to itself.
 *
 *   threads.c      threads of the zygote that a fork does not have
 *   memory.c       where V8's memory lies, so that a fork is cheap
 *   descriptors.c  event loops of those threads
 *   environment.c  what the zygote was started with
 *   addon.c        what JavaScript sees of all this
 *
 * The library is used twice in one process: preloaded, for the functions of
 * libc that threads.c and memory.c stand in for, and as an addon. Where it was
 * not preloaded (cold.cjs) only the addon's channel is used.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/base.h"

/* The only names that leave this library. */
#define STAND_IN __attribute__((visibility("default")))

/* Has this process been forked off the zygote? Until then the stand-ins take
 * notes; from then on they use them. */
extern _Atomic int in_fork;

/* ---- threads ------------------------------------------------------------------ */

/* In the zygote: wait until V8's workers have nothing to do. Returns 0, or
 * -EBUSY if they do not come to rest. */
int  threads_settle(void);
/* In a fork, first of all: what the lost threads held or waited for is made
 * new. Sets in_fork. */
void threads_fork(void);
/* Was the library preloaded, and did it see V8's workers start? Without that a
 * fork would hang at the first task it posts. */
int  threads_known(void);

/* ---- memory ------------------------------------------------------------------- */

/* In the zygote: give back what is free and make huge pages of the rest. */
void memory_compact(void);

/* ---- descriptors -------------------------------------------------------------- */

/* In the zygote, once: which descriptors belong to the loop with this epoll
 * descriptor, and which to loops of other threads. */
int  descriptors_learn(int backend_fd);
/* In a fork: every descriptor of another thread's loop becomes a private one
 * of the same kind. */
void descriptors_fork(void);

/* ---- the environment ---------------------------------------------------------- */

/* In the zygote, when its own variables are out of the environment. */
void environment_wipe(void);
