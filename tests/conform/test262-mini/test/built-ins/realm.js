// SPDX-License-Identifier: MIT
/*---
description: another realm has other intrinsics
features: [cross-realm]
---*/

const other = $262.createRealm();
const OtherArray = other.global.Array;
assert.sameValue(OtherArray === Array, false);
assert.sameValue(Array.isArray(new OtherArray()), true);
assert.sameValue(other.evalScript('var there = []; there') instanceof OtherArray, true);
assert.sameValue(typeof there, 'undefined');
assert.throws(other.global.TypeError, () => other.evalScript('null.x'));
assert.sameValue(other.createRealm().global === other.global, false);
