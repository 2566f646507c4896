// SPDX-License-Identifier: MIT
/*---
description: a syntax error in the module itself
flags: [module]
negative:
  phase: parse
  type: SyntaxError
---*/

$DONOTEVALUATE();
export { missing };
