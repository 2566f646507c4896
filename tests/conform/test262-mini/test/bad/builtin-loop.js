// SPDX-License-Identifier: MIT
/*---
description: spends forever inside of one built-in, where nothing is polled
flags: [noStrict]
---*/

/^(a+)+$/.test('a'.repeat(60) + 'b');
