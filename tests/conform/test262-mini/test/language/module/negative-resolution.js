// SPDX-License-Identifier: MIT
/*---
description: an export that does not exist
flags: [module]
negative:
  phase: resolution
  type: SyntaxError
---*/

$DONOTEVALUATE();
import { missing } from './value_FIXTURE.js';
