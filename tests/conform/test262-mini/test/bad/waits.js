// SPDX-License-Identifier: MIT
/*---
description: waits for a timer that comes too late
flags: [async]
---*/

setTimeout($DONE, 100000);
