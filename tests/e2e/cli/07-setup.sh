#!/bin/sh
# SPDX-License-Identifier: MIT
# --setup: run once, copied for every run.
. "$(dirname "$0")/../tap.sh"

echo 'globalThis.table = Array.from({ length: 1000 }, (_, i) => i * i); console.log("built")' >a.js
echo 'globalThis.look = i => table[i]' >b.js
run glovebox run --setup a.js --setup b.js -e 'look(12)'
is "$out:$code" 144:0 "set-up files run in order and their state stays"
is "$err" built "what they print goes to stderr"
run glovebox run --setup a.js -q --repeat 50 -j 2 -e 'table.push(1); if (table.length !== 1001) throw table.length'
is "$code" 0 "each run starts from the same state"
is "$(printf '%s\n' "$err" | grep -c built)" 1 "the set-up ran once"
run glovebox run --setup a.js --json -e 'table.length'
is "$(printf %s "$out" | json 'j.value')" 1000 "--json"

printf 'ok();\n' >bad.js
run glovebox run --setup a.js --setup bad.js -e 'console.log("never")'
is "$code:$out" 1: "a failing set-up ends it"
has "$err" "the set-up bad.js failed: exception" "and is named"
has "$err" "bad.js:1
ok();
^" "with its line"
echo 'for (;;);' >slow.js
run glovebox run --timeout 100ms --setup slow.js -e 1
is "$code" 124 "a set-up has the run's limits"
run glovebox run --setup nope.js -e 1
is "$code" 127 "a missing set-up file"
printf 'type T = number;\nglobalThis.t = 4 as T;\n' >t.ts
run glovebox run --setup t.ts -e 't'
is "$out" 4 "a set-up in TypeScript"
echo 'globalThis.r = Math.random()' >r.js
run glovebox run --setup r.js -q --repeat 2 -e 'Math.random()'
is "$code" 0 "randomness"
a=$(glovebox run --setup r.js -e 'Math.random()')
b=$(glovebox run --setup r.js -e 'Math.random()')
[ "$a" != "$b" ]; ok $? "is fresh after the copy"
done_testing
