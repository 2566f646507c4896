// SPDX-License-Identifier: MIT
/*---
description: a rejection that nobody handles is not a failure
---*/

Promise.reject(new Error('nobody cares'));
