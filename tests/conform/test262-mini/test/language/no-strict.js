// SPDX-License-Identifier: MIT
/*---
description: with exists in sloppy mode only
flags: [noStrict]
---*/

with ({ a: 5 })
    assert.sameValue(a, 5);
