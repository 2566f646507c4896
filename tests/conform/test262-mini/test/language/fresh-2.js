// SPDX-License-Identifier: MIT
/*---
description: and the next test finds nothing of it
---*/

assert.sameValue([].left, undefined);
assert.sameValue(typeof left, 'undefined');
