// SPDX-License-Identifier: MIT
/*---
description: a module throws, unexpected
flags: [module]
---*/

throw new Error('unexpected');
