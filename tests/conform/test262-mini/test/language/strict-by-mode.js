// SPDX-License-Identifier: MIT
/*---
description: >
  The two modes differ, and neither is strict by accident; the
  description has several lines: with a colon
info: |
    flags: [raw]
---*/

var strict = (function () { return this === undefined; })();
if (strict)
    assert.throws(ReferenceError, () => { undeclared = 1; });
else
    undeclared = 1;
