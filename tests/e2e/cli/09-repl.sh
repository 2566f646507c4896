#!/bin/sh
# SPDX-License-Identifier: MIT
# A session: from a pipe, and in a terminal.
. "$(dirname "$0")/../tap.sh"

run_in glovebox repl <<'END'
let a = 5
a * 2
"text"
{ x: a }
function f(n) {
  return n + a
}
f(1)
undefined
const s = `two
lines ${[1,
2].length}`
s.length
END
is "$out:$code" "10
'text'
{ x: 5 }
6
11:0" "a session from a pipe"
is "$err" "" "without a prompt or complaint"

run_in glovebox repl --timeout 200ms <<'END'
let kept = 1
missing()
kept
for (;;);
kept + 1
.reset
typeof kept
.memory
.bogus
.exit
"never"
END
has "$out" "1
2
'undefined'" "errors and limits do not end it, .reset forgets"
hasnt "$out" never ".exit ends it"
has "$err" "ReferenceError: missing is not defined" "an error is shown"
has "$err" wall_time_limit "a limit too"
has "$err" "unknown command .bogus" "an unknown command is refused"
has "$out" " of 128 MB" ".memory"

run_in glovebox repl <<'END'
let q = 20
nope()
q + 1
.save saved.js
.save /nonexistent/x
.load nope.js
END
is "$(cat saved.js)" "let q = 20
q + 1" ".save keeps what succeeded"
has "$err" "/nonexistent/x: No such file" "... and says when it cannot"
has "$err" "nope.js: no such file" ".load of a missing file"
run_in glovebox repl <<'END'
.load saved.js
q
END
is "$out" "21
20" ".load"
run glovebox repl nope
is "$code" 125 "no operands"

if command -v python3 >/dev/null; then
    GLOVEBOX_HISTORY=$PWD/history python3 "$tap_home/terminal.py" "$GLOVEBOX" >.py 2>&1
    ok $? "a session in a terminal: prompts, colours, Ctrl-C, Ctrl-D" || sed 's/^/# /' .py
    has "$(cat history 2>/dev/null)" "1" "the history is written where it was asked for"
else
    skip "no python3" "a session in a terminal"
fi
done_testing
