// SPDX-License-Identifier: MIT
/*---
description: top-level await, and import() of a fixture
flags: [module, async]
features: [top-level-await]
---*/

const { value } = await import('./value_FIXTURE.js');
assert.sameValue(value, 42);
$DONE();
