// SPDX-License-Identifier: MIT
/*---
description: includes come in order
includes: [compareArray.js, helper.js]
---*/

assert.compareArray([1, 2], [1, 2]);
assert.sameValue(helperSawCompareArray, true);
