/*
 * env/program.h -- the settings that go to the glue with a program.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "env/guest.h"

/* A JSON object (docs/protocol.md has its members); errors are the buf's. The
 * run's input and its guest's permissions are checked JSON already. */
void program_settings(struct buf *out, const struct guest_image *image,
                      const struct msg_run *run, const struct guest_run *guest);
