// SPDX-License-Identifier: MIT
/*---
description: never ends
flags: [noStrict]
---*/

for (;;) ;
