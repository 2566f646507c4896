// SPDX-License-Identifier: MIT
/*---
description: evalScript declares in the global scope
---*/

$262.evalScript('let declaredThere = 5; var alsoThere = 6;');
assert.sameValue(declaredThere, 5);
assert.sameValue(Object.getOwnPropertyDescriptor($262.global, 'alsoThere').configurable, false);
assert.throws(SyntaxError, () => $262.evalScript('let declaredThere;'));
assert.throws(TypeError, () => $262.evalScript('null.x'));
