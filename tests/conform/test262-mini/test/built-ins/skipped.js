// SPDX-License-Identifier: MIT
/*---
description: a feature that a cell does not have; running it would fail
features: [Atomics, SharedArrayBuffer]
---*/

throw new Test262Error('not skipped');
