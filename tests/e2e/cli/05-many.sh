#!/bin/sh
# SPDX-License-Identifier: MIT
# Several programs, several at once, one many times.
. "$(dirname "$0")/../tap.sh"

for i in 1 2 3 4 5 6 7 8; do
    echo "globalThis.n = (globalThis.n || 0) + 1; console.log('f$i'); n * $i" >f$i.js
done
want="f1
1
f2
2
f3
3
f4
4
f5
5
f6
6
f7
7
f8
8"
run glovebox run f1.js f2.js f3.js f4.js f5.js f6.js f7.js f8.js
is "$out:$code" "$want:0" "each file in its own fresh cell, in order"
has "$err" "8 passed, 0 failed" "and counted"
run glovebox run --jobs 4 f1.js f2.js f3.js f4.js f5.js f6.js f7.js f8.js
is "$out:$code" "$want:0" "the same with --jobs"

echo 'console.log("partial"); throw new Error("e")' >bad.js
echo 'for (;;);' >slow.js
run glovebox run -j 3 --timeout 200ms f1.js slow.js bad.js f2.js
is "$code" 124 "the exit code is that of the first that failed"
is "$out" "f1
1
partial
f2
2" "what others printed is not lost or mixed"
has "$err" "--- slow.js: wall_time_limit" "a failure is headed by its file"
has "$err" "2 passed, 2 failed" "and counted"
run glovebox run --json -j 2 f1.js bad.js f2.js
is "$(printf '%s\n' "$out" | wc -l | tr -d ' ')" 3 "--json: a line for each"
is "$(printf '%s\n' "$out" | sed -n 2p | json j.termination.reason)" exception "in order"

run glovebox run --repeat 200 -q -e 'if (globalThis.seen) throw 1; globalThis.seen = true'
is "$code" 0 "--repeat: every run is fresh"
has "$err" "200 runs, mean " "and timed"
has "$err" " runs/s" "with a rate"
run glovebox run --repeat 300 -j 3 -e 'console.log("once"); 5'
is "$out" "once
5" "only the first is shown"
run glovebox run --repeat 5 -e 'console.log("x"); throw 1'
is "$code:$out" 1:x "a failure is shown once"

mkdir d
run glovebox run -j 9 f1.js d
is "$code:$out" 125: "nothing runs when one of the files is wrong"
done_testing
