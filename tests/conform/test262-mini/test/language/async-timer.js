// SPDX-License-Identifier: MIT
/*---
description: done after a timer, and others are not waited for
flags: [async]
---*/

setTimeout(() => $DONE(), 5);
setInterval(() => {}, 100000);
