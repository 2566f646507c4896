#!/bin/sh
# SPDX-License-Identifier: MIT
# Every ending has its reason, its exit code and its words.
. "$(dirname "$0")/../tap.sh"

ends() {    # ends REASON CODE NAME [FLAGS...]
    reason=$1 want=$2 name=$3
    shift 3
    run glovebox run "$@"
    is "$code" "$want" "$name: exit code"
    has "$err" "glovebox: $reason: " "$name: said on stderr"
    run glovebox run --json "$@"
    is "$code" "$want" "$name: exit code with --json"
    is "$(printf %s "$out" | json 'j.termination.reason')" "$reason" "$name: in the JSON"
}

ends wall_time_limit 124 "waiting too long" --timeout 100ms -e 'await new Promise(r => setTimeout(r, 60000))'
ends wall_time_limit 124 "computing past the wall" --timeout 100ms -e 'for (;;);'
ends cpu_time_limit 124 "computing too long" --cpu 50ms -e 'for (;;);'
has "$out" '"limit":"cpu_time_ms","limit_value":50' "the limit is named with its value"
ends memory_limit 137 "holding too much" --memory 16mb -e 'const a = []; for (;;) a.push(new Array(1000).fill(0))'
has "$out" '"limit":"memory_mb","limit_value":16' "memory is said in MB"
ends stack_overflow 1 "nesting too deep" -e 'function f() { return f() + 1 } f()'
ends output_limit 1 "printing too much" --max-output 1kb -e 'for (;;) console.log("x".repeat(100))'
ends result_too_large 1 "returning too much" --max-result 100 -e '"x".repeat(1000)'
ends never_settled 1 "waiting for nothing" -e 'await new Promise(() => {})'

run glovebox run -e 'try { for (;;); } catch {} finally { for (;;); }' --timeout 100ms
is "$code" 124 "a limit cannot be caught"

tab=$(printf '\t')
cat >main.js <<END
const a = 1;

$tab  foo(a);
END
run glovebox run main.js
is "$code" 1 "an exception: exit code"
is "$err" "main.js:3
$tab  foo(a);
$tab  ^

ReferenceError: foo is not defined
    at <eval> (main.js:3:4)" "an exception: its line with a caret, and the error"
run glovebox run -e 'let let = 1'
is "$code" 1 "a syntax error: exit code"
has "$err" SyntaxError "a syntax error: said"
run glovebox run --json -e 'let let = 1'
has "$out" '"reason":"syntax_error"' "a syntax error: in the JSON"

printf 'const s = "%s"; boom()\n' "$(printf 'x%.0s' $(seq 500))" >long.js
run glovebox run long.js
has "$err" "…" "a long line is cut around the column"
[ "$(printf '%s\n' "$err" | awk '{ if (length > m) m = length } END { print m }')" -lt 200 ]
ok $? "and stays short"

run glovebox run -e 'console.log("before"); throw 1'
is "$out:$code" before:1 "output before a failure is kept"
run glovebox run --json --timeout 100ms -e 'console.log("before"); for (;;);'
has "$out" '"stdout":"before\n"' "... at a limit too"

# Every limit that has a flag is the one that is enforced.
ends() {    # ends REASON LIMIT VALUE FLAGS...
    want="\"reason\":\"$1\",\"limit\":\"$2\",\"limit_value\":$3,"
    name="$2 $3"
    shift 3
    run glovebox run --json "$@"
    has "$out" "$want" "$name is enforced"
}
ends wall_time_limit wall_time_ms 50 --wall 50ms -e 'new Promise(r => setTimeout(r, 1e4))'
ends cpu_time_limit cpu_time_ms 50 --cpu 50ms -e 'for (;;);'
ends memory_limit memory_mb 16 --memory 16mb -e 'const a = []; for (;;) a.push(new Array(999).fill(0))'
ends stack_overflow stack_kb 100 --stack 100kb -e 'function f() { f() } f()'
ends output_limit max_output_bytes 10 --max-output 10b -e 'console.log("more than that")'
ends result_too_large max_result_bytes 10 --max-result 10b -e '"more than that"'
ends call_limit max_timers 3 --max-timers 3 -e 'for (;;) setTimeout(() => 0, 1e4)'
ends call_limit max_module_loads 2 --max-module-loads 2 \
    -e 'for (let i = 0; ; i++) await import("m" + i).catch(() => 0)'
run glovebox run --stack 100kb -e 'const g = n => n && g(n - 1) + 1; try { g(2000) } catch { "deep" }'
is "$out" deep "a smaller stack holds less"
run glovebox run --stack 800kb -e 'const g = n => n && g(n - 1) + 1; try { g(2000) } catch { "deep" }'
is "$out" 2000 "... and a larger one more"

# What a program says of its value to people may be too long; the value stays.
cat >words.js <<'END'
const value = { s: 'x'.repeat(40e6) };
const custom = Symbol.for('nodejs.util.inspect.custom');
Object.defineProperty(value, custom, { value: () => 'y'.repeat(40e6) });
value
END
run glovebox run words.js --max-result 48mb --memory 1gb --timeout 20s
is "$code:$(printf %s "$out" | head -c 6)" '0:{"s":"' "a value with too many words is a value"
done_testing
