/* cli/setup.h -- the image of --setup.  SPDX-License-Identifier: MIT */
#pragma once
#include "cli/plan.h"

/* Run the set-up files of a plan and let its image be the outcome. Returns 0;
 * or -1 after saying why not, with the exit code in *out_code. */
int plan_set_up(struct term *t, struct plan *p, int interrupt_fd, int *out_code);
