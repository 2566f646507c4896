// SPDX-License-Identifier: MIT
/*---
description: detachArrayBuffer
---*/

const buffer = new ArrayBuffer(8), view = new Uint8Array(buffer);
$262.detachArrayBuffer(buffer);
assert.sameValue(buffer.byteLength, 0);
assert.sameValue(view.length, 0);
$262.gc();
