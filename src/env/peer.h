/*
 * env/peer.h -- one worker process, as seen from the trusted side.
 *
 * A peer owns its jail and its end of the channel. It never blocks: whoever
 * has an event loop watches peer_fd() for peer_interest() and peer_pidfd() for
 * POLLIN, calls peer_readable(), peer_writable(), peer_exited() accordingly,
 * and peer_tick() when peer_deadline_ns() has come.
 *
 * The worker is assumed to be under an attacker's control. A message of an
 * unknown type, in the wrong phase, too large or malformed ends it: `broken`
 * is reported at once and `exit` when the process is gone.
 *
 * A listener may start another run, or detach, from inside an event; it must
 * not free the peer there.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "env/image.h"
#include "jail/jail.h"
#include "wire/messages.h"

struct peer;

enum { PEER_HELLO_MS = 5000, PEER_CLOSED_MS = 500 };

/* Without these a js worker is no sandbox, whatever the caller asked for. */
#define PEER_REQUIRES (WALL_SFI | WALL_SECCOMP | WALL_NNP | WALL_FDS | \
                       WALL_RLIMITS | WALL_DUMPABLE)

struct peer_spec {
    int      worker_fd, image_fd;    /* borrowed */
    unsigned required, leave_out;    /* WALL_* */
    uint64_t memory_bytes;           /* the largest limit any of its runs has */
    uint32_t cells;
};

/* What can happen to a peer. A NULL entry is an event nobody waits for. */
struct peer_events {
    void (*hello)(void *user);
    void (*output)(void *user, const struct msg_output *m);
    void (*load)(void *user, const struct msg_load *m);
    void (*result)(void *user, const struct msg_result *m);
    void (*image)(void *user, const struct msg_image *m);
    void (*fetch)(void *user, const struct msg_fetch *m);
    void (*fetch_abort)(void *user, const struct msg_fetch_abort *m);
    void (*fetch_more)(void *user, const struct msg_fetch_more *m);
    void (*fetch_denied)(void *user, const struct msg_fetch_denied *m);
    void (*broken)(void *user, const char *why);
    void (*exit)(void *user, int wait_status);
};

/* Gives *out, to be ended with peer_free(). Nothing survives a failure. */
int  peer_start(const struct peer_spec *spec, struct peer **out, struct err *e);
void peer_free(struct peer *p);    /* kills and reaps; accepts NULL */

/* events is borrowed for as long as it listens; NULL detaches. */
void peer_listen(struct peer *p, const struct peer_events *events, void *user);

int      peer_fd(const struct peer *p);        /* -1 once closed */
short    peer_interest(const struct peer *p);  /* POLLIN | POLLOUT, or 0 */
int      peer_pidfd(const struct peer *p);
uint64_t peer_deadline_ns(const struct peer *p);    /* 0: none */

void peer_readable(struct peer *p);
void peer_writable(struct peer *p);
int  peer_exited(struct peer *p);    /* 1 once reaped: free it */
void peer_tick(struct peer *p, uint64_t now_ns);
void peer_kill(struct peer *p);      /* does not wait; accepts NULL */

enum phase  peer_phase(const struct peer *p);
int         peer_usable(const struct peer *p);    /* alive and not condemned */
unsigned    peer_walls(const struct peer *p);     /* the jail's and its own */
const char *peer_engine(const struct peer *p);    /* "" before hello */
const char *peer_engine_id(const struct peer *p);
unsigned    peer_image_flags(const struct peer *p);    /* IMAGE_TS */

/* "it died of SIGSEGV after saying: ..."; p may be NULL. */
void peer_exit_text(const struct peer *p, int wait_status, char *out,
                    size_t room);

/*
 * Queue a message and send what the socket takes now. -EINVAL in a phase that
 * does not allow it, -EMSGSIZE when it is too large to be legal.
 */
int peer_send_run(struct peer *p, const struct msg_run *m);
int peer_send_loaded(struct peer *p, const struct msg_loaded *m);
int peer_send_dump(struct peer *p, const struct msg_dump *m);
int peer_send_reset(struct peer *p, const struct msg_reset *m);
int peer_send_fetch_head(struct peer *p, const struct msg_fetch_head *m);
int peer_send_fetch_data(struct peer *p, const struct msg_fetch_data *m);
int peer_send_fetch_end(struct peer *p, const struct msg_fetch_end *m);
int peer_send_fetch_fail(struct peer *p, const struct msg_fetch_fail *m);
