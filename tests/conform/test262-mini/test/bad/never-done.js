// SPDX-License-Identifier: MIT
/*---
description: forgets to call $DONE
flags: [async]
---*/

Promise.resolve().then(() => {});
