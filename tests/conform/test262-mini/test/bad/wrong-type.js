// SPDX-License-Identifier: MIT
/*---
description: throws another type
negative:
  phase: runtime
  type: TypeError
---*/

throw new RangeError();
