// SPDX-License-Identifier: MIT
/*---
description: an include that does not exist
includes: [nothing.js]
flags: [noStrict]
---*/
