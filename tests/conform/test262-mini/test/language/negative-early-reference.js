// SPDX-License-Identifier: MIT
/*---
description: an error of another type that is not early
negative:
  phase: runtime
  type: ReferenceError
---*/

nowhere();
