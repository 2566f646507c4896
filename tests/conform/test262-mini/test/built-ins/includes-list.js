// SPDX-License-Identifier: MIT
/*---
description: the other way to write a list
includes:
  - compareArray.js
  - helper.js
features:
  - Array.prototype.at  # with a comment
---*/

assert.compareArray([[1].at(-1)], [1]);
assert.sameValue(helperSawCompareArray, true);
