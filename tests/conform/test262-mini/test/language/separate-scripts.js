// SPDX-License-Identifier: MIT
/*---
description: the harness is a script of its own, so its names may be declared again
flags: [noStrict]
---*/

var $DONOTEVALUATE = 5;
assert.sameValue($DONOTEVALUATE, 5);
