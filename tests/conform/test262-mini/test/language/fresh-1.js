// SPDX-License-Identifier: MIT
/*---
description: leaves something behind
flags: [noStrict]
---*/

Array.prototype.left = 1;
globalThis.left = 2;
