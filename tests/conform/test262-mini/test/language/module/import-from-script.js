// SPDX-License-Identifier: MIT
/*---
description: import() in a script resolves against it; a missing file rejects
flags: [async]
---*/

import('./value_FIXTURE.js')
    .then((ns) => assert.sameValue(ns.value, 42))
    .then(() => import('./missing_FIXTURE.js').then(() => { throw new Test262Error('found'); }, () => {}))
    .then(() => $DONE(), $DONE);
