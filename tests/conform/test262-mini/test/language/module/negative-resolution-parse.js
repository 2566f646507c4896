// SPDX-License-Identifier: MIT
/*---
description: a dependency that is not a program
flags: [module]
negative:
  phase: resolution
  type: SyntaxError
---*/

$DONOTEVALUATE();
import './broken_FIXTURE.js';
