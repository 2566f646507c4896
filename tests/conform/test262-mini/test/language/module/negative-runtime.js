// SPDX-License-Identifier: MIT
/*---
description: a module that throws
flags: [module]
negative:
  phase: runtime
  type: RangeError
---*/

await null;
throw new RangeError('on purpose');
