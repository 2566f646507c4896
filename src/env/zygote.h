/*
 * env/zygote.h -- one zygote, as seen from the supervisor.
 *
 * A zygote owns its jail and our end of the control socket. It never blocks:
 * whoever has an event loop fills pollfds with zygote_watch(), hands them back
 * to zygote_turn(), also when zygote_deadline_ns() has come.
 *
 * No guest code runs in a zygote, but every run is its child: what it says is
 * checked for form, and a zygote that says something else is ended, and with
 * it all its forks.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "env/guest.h"
#include "jail/jail.h"
#include <poll.h>

struct zygote;

enum {
    ZYGOTE_READY_MS    = 60000,    /* to warm up; heavy packages take seconds */
    ZYGOTE_PENDING_MAX = 16,       /* forks asked for and not yet answered */
    ZYGOTE_WORDS_BYTES = 4096,     /* of its stdout and stderr, the last */
    ZYGOTE_POLLS       = 3,
};

struct zygote_spec {
    const struct guest_image *image;    /* borrowed until zygote_start() returns */
    unsigned                  forks;    /* at most alive at once */
};

enum zygote_phase { ZYGOTE_WARMING, ZYGOTE_WARM, ZYGOTE_GONE };

/* fds: with ZYGOTE_FORKED two pidfds, the listener's to close; else NULL. */
struct zygote_events {
    void (*ready)(void *user);
    void (*report)(void *user, const struct zygote_report *r, const int *fds);
    void (*gone)(void *user, const char *why);
};

/* The walls of the jail that this image cannot do without. */
unsigned zygote_required(const struct guest_image *image);

/* Gives *out, to be ended with zygote_free(). -ENOTSUP when a wall is missing:
 * e names it and how to get it. Nothing survives a failure. */
int  zygote_start(const struct zygote_spec *spec, struct zygote **out,
                  struct err *e);
/* Over a control socket that somebody serves already; takes it. For tests. */
int  zygote_over(int control_fd, struct zygote **out, struct err *e);
void zygote_free(struct zygote *z);    /* kills all forks too; accepts NULL */

/* events is borrowed for as long as it listens; NULL detaches. */
void zygote_listen(struct zygote *z, const struct zygote_events *events,
                   void *user);

void     zygote_watch(const struct zygote *z, struct pollfd out[ZYGOTE_POLLS]);
void     zygote_turn(struct zygote *z, const struct pollfd f[ZYGOTE_POLLS],
                     uint64_t now_ns);
uint64_t zygote_deadline_ns(const struct zygote *z);    /* 0: none */
void     zygote_kill(struct zygote *z, const char *why);

/* Ask for a fork. -EAGAIN when too many are asked for already: try again after
 * the next report. fds are borrowed. */
int zygote_ask(struct zygote *z, const struct zygote_fork *f, const int *fds,
               unsigned n);

enum zygote_phase zygote_phase(const struct zygote *z);
unsigned    zygote_walls(const struct zygote *z);       /* of its jail */
uint64_t    zygote_base_bytes(const struct zygote *z);  /* private memory */
const char *zygote_version(const struct zygote *z);     /* "" before ready */
/* What it said while it warmed up, as it said it; the last of it. */
struct str  zygote_words(const struct zygote *z);
/* Why it is gone, with its last words; "" while it is not. */
const char *zygote_why(const struct zygote *z);
