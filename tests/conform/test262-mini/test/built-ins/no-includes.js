// SPDX-License-Identifier: MIT
/*---
description: and are there only when asked for
---*/

assert.sameValue(assert.compareArray, undefined);
