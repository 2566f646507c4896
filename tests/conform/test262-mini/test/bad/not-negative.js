// SPDX-License-Identifier: MIT
/*---
description: should throw and does not
negative:
  phase: runtime
  type: TypeError
---*/
