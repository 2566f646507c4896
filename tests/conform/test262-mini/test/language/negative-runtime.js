// SPDX-License-Identifier: MIT
/*---
description: an error while it runs
negative:
  type: Test262Error
  phase: runtime
---*/

throw new Test262Error('on purpose');
