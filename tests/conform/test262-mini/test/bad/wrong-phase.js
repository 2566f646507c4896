// SPDX-License-Identifier: MIT
/*---
description: a syntax error, but at run time
negative:
  phase: parse
  type: SyntaxError
---*/

eval('1 +');
