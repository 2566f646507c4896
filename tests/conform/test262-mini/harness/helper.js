// Must come after compareArray.js.  SPDX-License-Identifier: MIT
var helperSawCompareArray = typeof assert.compareArray === 'function';
