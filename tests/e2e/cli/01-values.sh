#!/bin/sh
# SPDX-License-Identifier: MIT
# What a program hands back is printed, and nothing else is.
. "$(dirname "$0")/../tap.sh"

run glovebox run -e '1 + 1'
is "$out:$code" 2:0 "the last expression is the value"
is "$err" "" "and stderr stays empty"

run glovebox run -e '"a\tb"'
is "$out" "a	b" "a text is printed as it is, like node -p"
run glovebox run -e '"\u00e9\ud83d\ude00"'
is "$out" "é😀" "... beyond ASCII too"
run glovebox run -e '({ a: [1, { b: null }], s: "x" })'
is "$out" "{ a: [ 1, { b: null } ], s: 'x' }" "an object is inspected"
run glovebox run -e 'undefined'
is "$out:$code" :0 "undefined prints nothing"
run glovebox run -e 'null'
is "$out" null "null is a value"
run glovebox run -q -e '42'
is "$out:$code" :0 "--quiet hides the value"
run glovebox run -e 'console.log("to out"); console.error("to err"); 7'
is "$out" "to out
7" "guest stdout goes to stdout, then the value"
is "$err" "to err" "guest stderr goes to stderr"
run glovebox run -e 'return 5'
is "$out" 5 "a top-level return"
run glovebox run -e 'export default 6; export const x = 1'
is "$out" 6 "export default"
run glovebox run -e 'async function main() { return 8 }'
is "$out" 8 "main()"
run glovebox run -e '__return(9); 1'
is "$out" 9 "__return() wins"
run glovebox run -e 'await Promise.resolve(3)'
is "$out" 3 "top-level await"
run glovebox run --mode function -e 'return 4'
is "$out" 4 "--mode function"

echo '21 * 2' >prog.js
run glovebox run prog.js
is "$out" 42 "a file"
echo '6 * 7' | glovebox run - >.piped 2>&1
is "$(cat .piped)" 42 "stdin by -"
echo '6 * 8' | glovebox run >.piped 2>&1
is "$(cat .piped)" 48 "stdin without a name"
run glovebox run -- prog.js
is "$out" 42 "-- ends the flags"

run glovebox run --input '{"a":[1,2,3]}' -e 'input.a.length'
is "$out" 3 "--input"
echo '{"name":"file"}' >in.json
run glovebox run -i @in.json -e 'input.name'
is "$out" file "--input @file"

printf 'interface P { n: number }\nconst p: P = { n: 2 };\np.n as number\n' >t.ts
run glovebox run t.ts
is "$out:$code" 2:0 ".ts files are TypeScript"
run glovebox run --ts -e 'const n: number = 3; n'
is "$out" 3 "--ts"
printf 'const n: number = 1;\n\n  missing(n);\n' >bad.ts
run glovebox run bad.ts
has "$err" "bad.ts:3" "line numbers of TypeScript are the caller's own"

a=$(glovebox run --seed 7 -e 'Math.random()')
b=$(glovebox run --seed 7 -e 'Math.random()')
c=$(glovebox run --seed 8 -e 'Math.random()')
d=$(glovebox run -e 'Math.random()')
e=$(glovebox run -e 'Math.random()')
is "$a" "$b" "the same seed gives the same numbers"
[ "$a" != "$c" ]; ok $? "another seed gives others"
[ "$d" != "$e" ]; ok $? "without a seed every run has its own"
run glovebox run --clock 2020-02-29T12:00:00.250+02:00 -e 'new Date().toISOString()'
is "$out" 2020-02-29T10:00:00.250Z "--clock in ISO 8601"
run glovebox run --clock 1000 -e 'Date.now()'
is "$out" 1000 "--clock in milliseconds"
run glovebox run --timeout 5s --clock 0 -e 'await new Promise(r => setTimeout(r, 3600000)); Date.now()'
is "$out" 3600000 "and a set clock waits for nobody"
done_testing
