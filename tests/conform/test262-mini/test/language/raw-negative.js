// SPDX-License-Identifier: MIT
/*---
description: raw and negative
flags: [raw]
negative:
  phase: parse
  type: SyntaxError
---*/

throw 'this must not run';
}
