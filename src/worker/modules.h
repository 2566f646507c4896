/*
 * worker/modules.h -- what `import` finds.
 *
 * A program can import the modules its run brought along, by their names, and
 * (when the caller named a root) relative files, which the supervisor opens.
 * There is nothing else, and the refusal says what there is.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "wire/messages.h"
#include "worker/engine.h"

void modules_start(const struct msg_run *run);

/* The engine's two hooks: guest addresses in, guest addresses out. 0 with a
 * pending exception when the import is refused. */
u32 modules_normalize(u32 base, u32 name);
u32 modules_load(u32 name, u32 out_len);

/*
 * Join a relative specifier to the folder of base: "lib/a.js" + "../b.js" is
 * "b.js". Returns 0, -EINVAL if it climbs out, -ENAMETOOLONG. Pure.
 */
int modules_join(struct str base, struct str name, char *out, size_t room);
