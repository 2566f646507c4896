// SPDX-License-Identifier: MIT
/*---
description: imports what is not there
flags: [module]
---*/

import './missing_FIXTURE.js';
