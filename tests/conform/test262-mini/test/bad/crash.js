// SPDX-License-Identifier: MIT
/*---
description: kills the process; the next test must still run
flags: [noStrict]
---*/

$262.crash();
