// SPDX-License-Identifier: MIT
/*---
description: a module with fixtures, one in a folder above, one twice, itself
flags: [module]
---*/

import { value, count } from './value_FIXTURE.js';
import again, * as all from '../module/value_FIXTURE.js';
import * as self from './plain.js';
export const own = 7;

assert.sameValue(value, 42);
assert.sameValue(again, 'default');
assert.sameValue(count(), 1);
assert.sameValue(all.value, value);
assert.sameValue(self.own, 7);
assert.sameValue(this, undefined);
