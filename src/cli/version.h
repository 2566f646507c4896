/* cli/version.h -- which glovebox this is.  SPDX-License-Identifier: MIT */
#pragma once

#define GLOVEBOX_VERSION "0.1.0"

/* "" for an ordinary build, or what makes this one slow and not for use. */
const char *build_flavour(void);
