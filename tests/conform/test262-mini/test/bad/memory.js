// SPDX-License-Identifier: MIT
/*---
description: takes all memory
flags: [noStrict]
---*/

const all = [];
for (;;)
    all.push(new ArrayBuffer(1 << 20));
