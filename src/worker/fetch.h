/*
 * worker/fetch.h -- a guest's requests on their way out, the answers on their
 * way in.
 *
 * The worker has no network. A request goes to the supervisor as a frame; its
 * answers come as frames too, whenever the run waits, and are kept here until
 * the run takes its next step. Answers to calls that are over end here.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "wire/messages.h"
#include "worker/engine.h"

/* A run begins: no calls, no answers. run is borrowed until the next one. */
void fetch_start(const struct msg_run *run);

/* Are there calls that may still be answered? */
int  fetch_open(void);
/* Are there answers that the guest has not seen? */
int  fetch_answered(void);

/* Is this type of frame an answer? An idle worker drops those. */
int  fetch_is_answer(uint32_t type);
/* Keep an answer for the guest. Exits the process if it is malformed. */
void fetch_keep(uint32_t type, struct str body);
/* Read one frame off the channel, which must be an answer, and keep it. */
void fetch_receive(void);
/* Keep what answers are there already, without waiting. */
void fetch_collect(void);

/* Inside guest code: hand the next answer over. Returns 0, or -1 with the
 * guest's exception pending. */
int  fetch_deliver(void);

/* Called by imports.c, inside guest code; all values are hostile. */
struct fetch_call {
    double call;
    jsval  method, url, headers, body;
    double redirect;
};
int  fetch_send(const struct fetch_call *c);    /* 1: it is on its way */
void fetch_abort(double call);
void fetch_more(double call, double bytes);
void fetch_denied(jsval url);
