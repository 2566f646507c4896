/*
 * worker/channel.h -- the worker's one descriptor, read and written in frames.
 *
 * The peer is the supervisor: trusted, but its frames are still checked against
 * the table of wire/messages.h before memory is taken for them.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/buf.h"
#include "wire/frame.h"

/* Send all of b and clear it. Exits the process when the supervisor is gone:
 * there is nobody left to work for. */
void channel_send(struct buf *b);

/* Wait for the next frame; its body is in *body, overwritten by the next call.
 * Exits at end of stream or on a malformed frame. */
uint32_t channel_receive(struct buf *body);

/* Wait up to ns for a frame, a signal or time to pass: 1 if a frame is there.
 * Exits when the supervisor has hung up. */
int channel_wait(uint64_t ns);
