// SPDX-License-Identifier: MIT
/*---
description: a JSON module
flags: [module]
features: [import-attributes, json-modules]
---*/

import data from './data_FIXTURE.json' with { type: 'json' };
assert.sameValue(data.list[1], 2);
