#!/bin/sh
# SPDX-License-Identifier: MIT
# What was asked wrongly is refused with a reason, before anything runs.
. "$(dirname "$0")/../tap.sh"

refused_with 127 "nope.js: no such file" "a missing file" glovebox run nope.js
mkdir folder
refused_with 125 "a folder" "a folder" glovebox run folder
printf 'a\0b' >nul.js
refused_with 125 "binary (a NUL at byte 1)" "a binary file" glovebox run nul.js
printf '"ab\377"' >latin.js
refused_with 125 "not UTF-8 (at byte 3)" "another encoding" glovebox run latin.js
head -c 16777217 /dev/zero | tr '\0' ' ' >big.js
refused_with 125 "larger than 16 MB" "too large a file" glovebox run big.js
refused_with 125 "not UTF-8" "-e in another encoding" glovebox run -e "$(printf '"\377"')"
refused_with 125 "which of them" "a file and -e" glovebox run folder -e 1
refused_with 125 "given twice" "-e twice" glovebox run -e 1 -e 2

refused_with 125 "did you mean --memory?" "a misspelt flag" glovebox run --memoy 64mb -e 1
refused_with 125 "unknown flag -z" "an unknown letter" glovebox run -z
refused_with 125 "needs a value: --memory SIZE" "a flag without its value" glovebox run --memory
refused_with 125 "takes no value" "a value too many" glovebox run --json=yes -e 1
refused_with 125 "'64q' is not a size; try" "a malformed size" glovebox run --memory 64q -e 1
refused_with 125 "above the ceiling of 2 GB" "a size above the ceiling" glovebox run --memory 64gb -e 1
refused_with 125 "is not a duration; try" "a malformed time" glovebox run --timeout soon -e 1
refused_with 125 "below the least possible" "no time at all" glovebox run --timeout 0 -e 1
refused_with 125 "engine by itself needs" "less memory than the engine" glovebox run --memory 1mb -e 1
refused_with 125 "is none of auto" "an unknown mode" glovebox run --mode fast -e 1
refused_with 125 "is not a time" "a malformed clock" glovebox run --clock 2020-02-31 -e 1
refused_with 125 "not JSON (at byte 1)" "input that is not JSON" glovebox run --input '{x}' -e 1
refused_with 127 "no such file" "input from a missing file" glovebox run --input @nope -e 1
refused_with 125 "is not NAME=FILE" "a malformed module" glovebox run --module lodash -e 1
refused_with 127 "no such folder" "a missing root" glovebox run --root nope -e 1
refused_with 125 "did you mean landlock" "an unknown wall" glovebox run --require landlok -e 1

refused_with 125 "did you mean run?" "a misspelt command" glovebox rnu
echo 1 >x.js
refused_with 125 "glovebox run x.js" "a file without its command" glovebox x.js
refused_with 125 "nope" "help for what is not" glovebox help nope

run glovebox --help
is "$code:$err" 0: "--help is no failure"
for c in run repl doctor version; do
    has "$out" "$c" "--help names $c"
    run glovebox help "$c"
    has "$out" "usage: glovebox $c" "help $c"
    is "$(glovebox "$c" --help)" "$out" "$c --help is the same"
    run glovebox --help
done
run glovebox
is "$code" 125 "no command at all is an error"
has "$out" "usage: glovebox" "and help"

GLOVEBOX_LIBEXEC=$PWD/folder run glovebox run -e 1
is "$code" 125 "a missing worker is our failure, not 127"
has "$err" "glovebox-worker" "and is named"
(exec >&-; "$GLOVEBOX" run -e 1) 2>.closed
is "$?" 125 "a closed stdout is a failure"
has "$(cat .closed)" "stdout: " "and said"
{ "$GLOVEBOX" run -e 'for (;;) console.log("y")' 2>.pipe; echo $? >.pipecode; } | head -1 >/dev/null
is "$(cat .pipecode)" 125 "a reader that leaves ends the run"
has "$(cat .pipe)" "stdout: Broken pipe" "and it is said"
done_testing
