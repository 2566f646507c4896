// SPDX-License-Identifier: MIT
/*---
description: the one object that is undefined
features: [IsHTMLDDA]
---*/

assert.sameValue(typeof $262.IsHTMLDDA, 'undefined');
assert.sameValue($262.IsHTMLDDA == null, true);
assert.sameValue($262.IsHTMLDDA === undefined, false);
assert.sameValue($262.IsHTMLDDA(), null);
