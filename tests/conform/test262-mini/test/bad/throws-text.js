// SPDX-License-Identifier: MIT
/*---
description: throws something that is no object
---*/

throw 'text';
