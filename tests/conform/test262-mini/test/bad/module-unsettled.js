// SPDX-License-Identifier: MIT
/*---
description: awaits forever
flags: [module]
---*/

await new Promise(() => {});
