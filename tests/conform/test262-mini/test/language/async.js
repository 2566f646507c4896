// SPDX-License-Identifier: MIT
/*---
description: done after a job
flags: [async]
---*/

Promise.resolve().then(() => assert.sameValue(1, 1)).then($DONE, $DONE);
