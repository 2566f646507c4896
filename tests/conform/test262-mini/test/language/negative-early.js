// SPDX-License-Identifier: MIT
/*---
description: an early error, and the phase of older checkouts
negative:
  phase: early
  type: SyntaxError
---*/

$DONOTEVALUATE();
let twice; let twice;
