"use strict"
/*---
description: nothing is put in front of a raw test, not even a line
flags: [raw]
---*/
if (typeof assert !== "undefined") throw new Error("a harness in a raw test");
if ((function () { return this; })() !== undefined) throw new Error("not strict");
