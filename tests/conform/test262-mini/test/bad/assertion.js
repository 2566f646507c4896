// SPDX-License-Identifier: MIT
/*---
description: an assertion fails
---*/

assert.sameValue(1, 2);
