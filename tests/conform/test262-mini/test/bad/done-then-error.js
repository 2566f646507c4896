// SPDX-License-Identifier: MIT
/*---
description: is done twice
flags: [async]
---*/

$DONE();
$DONE(new Test262Error('after all'));
