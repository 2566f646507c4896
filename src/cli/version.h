/* cli/version.h -- which glovebox this is.  SPDX-License-Identifier: MIT */
#pragma once

#ifdef GB_VERSION    /* the Makefile's */
#define GLOVEBOX_VERSION GB_VERSION
#else
#define GLOVEBOX_VERSION "0.1.0"
#endif

/* "" for an ordinary build, or what makes this one slow and not for use. */
const char *build_flavour(void);
