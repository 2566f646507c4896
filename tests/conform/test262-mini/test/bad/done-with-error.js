// SPDX-License-Identifier: MIT
/*---
description: is done with an error
flags: [async]
---*/

Promise.reject(new Test262Error('async')).catch($DONE);
