# tests/e2e/tap.sh -- black-box tests in plain sh, speaking TAP.
#
#   . "$(dirname "$0")/../tap.sh"
#   run glovebox run -e 1          what it printed is in $out, $err; $code
#   is "$out" 1 "the value is printed"
#   done_testing
#
# GLOVEBOX is the program. Each script works in a folder of its own, $PWD,
# removed at the end. SPDX-License-Identifier: MIT

: "${GLOVEBOX:?set GLOVEBOX to the program to test}"
tap_count=0 tap_failed=0
tap_dir=$(mktemp -d) || exit 1
tap_home=$(cd "$(dirname "$0")" && pwd)
trap 'rm -rf "$tap_dir"' EXIT
trap 'exit 1' INT TERM HUP
cd "$tap_dir" || exit 1
unset NO_COLOR CLICOLOR_FORCE GLOVEBOX_LIBEXEC GLOVEBOX_HISTORY

# The program by its name, so that a test reads like a session.
glovebox() { "$GLOVEBOX" "$@"; }

run() {
    "$@" >"$tap_dir/.out" 2>"$tap_dir/.err" </dev/null
    code=$?
    out=$(cat "$tap_dir/.out")
    err=$(cat "$tap_dir/.err")
}

# The same with its stdin from ours: run_in glovebox repl <<'END'
run_in() {
    "$@" >"$tap_dir/.out" 2>"$tap_dir/.err"
    code=$?
    out=$(cat "$tap_dir/.out")
    err=$(cat "$tap_dir/.err")
}

ok() {    # ok STATUS NAME
    tap_count=$((tap_count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tap_count - $2"
        return 0
    fi
    tap_failed=$((tap_failed + 1))
    echo "not ok $tap_count - $2"
    return 1
}

show() { printf '%s\n' "$2" | sed "s/^/#   $1 /"; }

is() {    # is GOT WANTED NAME
    [ "$1" = "$2" ]
    ok $? "$3" || { show got: "$1"; show wanted: "$2"; show stderr: "$err"; }
}

# Skip the script where programs of this engine do not run.
need_engine() {    # need_engine node
    run glovebox run --engine "$1" -q -e 1
    [ "$code" = 0 ] || skip_all "$1 programs do not run here: $err"
}

# Refused before anything ran, with exit code 125.
refused() {    # refused WORDS NAME COMMAND...
    refused_with 125 "$@"
}

refused_with() {    # refused_with CODE WORDS NAME COMMAND...
    want=$1 words=$2 name=$3
    shift 3
    run "$@"
    is "$code:$out" "$want:" "$name: refused"
    has "$err" "$words" "$name: and why"
}

has() {    # has TEXT PART NAME
    case $1 in *"$2"*) ok 0 "$3" ;; *)
        ok 1 "$3"; show got: "$1"; show 'to hold:' "$2" ;;
    esac
}

hasnt() {
    case $1 in *"$2"*) ok 1 "$3"; show got: "$1"; show 'not to hold:' "$2" ;;
    *) ok 0 "$3" ;;
    esac
}

# json FILE EXPRESSION: a value out of a JSON text, by node or python3.
json() {
    if command -v node >/dev/null 2>&1; then
        node -e 'const j = JSON.parse(require("fs").readFileSync(0, "utf8"));
                 const v = eval(process.argv[1]);
                 console.log(typeof v === "string" ? v : JSON.stringify(v))' "$1"
    else
        python3 -c 'import json, sys
class D(dict):
    __getattr__ = lambda s, k: s[k]
j = json.load(sys.stdin, object_hook=D)
v = eval(sys.argv[1].replace(".length", ".__len__()"))
print(v if isinstance(v, str) else json.dumps(v, separators=(",", ":")))' "$1"
    fi
}

skip_all() {    # skip_all WHY
    if [ -n "$GB_MUST_WORK" ]; then
        echo "not ok 1 - skipped: $1"; echo 1..1; exit 1
    fi
    echo "1..0 # SKIP $1"
    exit 0
}

skip() {    # skip WHY NAME
    tap_count=$((tap_count + 1))
    if [ -n "$GB_MUST_WORK" ]; then
        tap_failed=$((tap_failed + 1))
        echo "not ok $tap_count - $2 # skipped: $1"
    else
        echo "ok $tap_count - $2 # SKIP $1"
    fi
}

done_testing() {
    echo "1..$tap_count"
    [ "$tap_failed" -eq 0 ]
    exit
}
