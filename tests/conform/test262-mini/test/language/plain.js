// SPDX-License-Identifier: MIT
/*---
description: runs twice, sloppy and strict
---*/

assert.sameValue(1 + 1, 2);
assert.throws(TypeError, () => null.x);
