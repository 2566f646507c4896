// SPDX-License-Identifier: MIT
/*---
description: takes all memory
flags: [noStrict]
---*/

new ArrayBuffer(1 << 30);
