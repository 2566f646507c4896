// SPDX-License-Identifier: MIT
/*---
description: a syntax error before anything runs
negative:
  phase: parse
  type: SyntaxError
---*/

$DONOTEVALUATE();
var 1a;
