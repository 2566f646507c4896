#!/bin/sh
# SPDX-License-Identifier: MIT
# Real Python, as a person uses it from the command line.
. "$(dirname "$0")/../tap.sh"

need_engine python
py() { run glovebox run --engine python "$@"; }

# ---- which engine, values, endings ------------------------------------------------
printf 'import sys\nprint("hello")\nsys.version_info[0]\n' >a.py
run glovebox run -v a.py
is "$code:$out" "0:hello
3" "a .py is python, and its last expression the value"
has "$err" "engine python: its name ends in .py" "--verbose says why"
run glovebox run --engine python -e 'None'
is "$code:$out" 0: "None prints nothing"
printf '#!/usr/bin/env python3\nprint(6 * 7)\n' >tool
run glovebox run tool
is "$out" 42 "so is what says it in its first line"
py -e 'print(1)' --json
is "$(printf %s "$out" | json '[j.ok, j.engine, j.stdout]')" '[true,"python","1\n"]' "the JSON says which engine"
py -e 'input_data["a"][1]' --input '{"a":[1,2]}'
is "$out" 2 "--input"
py -e 'import sys
print("out"); sys.exit(3)'
is "$code:$out" 3:out "its exit code is ours"
is "$err" "glovebox: the program ended with code 3" "... and said in one line"
printf 'def f():\n    raise ValueError("bad thing")\nf()\n' >throws.py
run glovebox run throws.py
is "$code" 1 "an uncaught error: exit code"
has "$err" "Traceback (most recent call last)" "... printed as python does"
is "$(printf '%s\n' "$err" | grep -c 'ValueError: bad thing')" 1 "... and once"
hasnt "$err" "glovebox:" "... without a word of ours"
run glovebox run --json throws.py
is "$(printf %s "$out" | json '[j.termination.reason, j.error.name]')" '["exception","ValueError"]' \
    "... and in the JSON"
echo 'def f(:' >syntax.py
run glovebox run --json syntax.py
is "$(printf %s "$out" | json 'j.termination.reason')" syntax_error "a syntax error"
py --timeout 500ms -e 'import time
print("begun", flush=True); time.sleep(60)'
is "$code:$out" 124:begun "a program that waits for ever is ended"
py --cpu 300ms --timeout 20s -e 'while True: pass'
is "$code" 124 "one that computes for ever too"
py --memory 64mb -e 'a = []
while True: a.append(bytearray(1 << 20))'
[ "$code" -ne 0 ]; ok $? "one that holds too much"

# ---- what it finds -----------------------------------------------------------------
py -e 'import sys; sys.argv[1:]' --arg one -- two --three
is "$out" "['one', 'two', '--three']" "--arg, and what follows --"
py --env A=b -e 'import os; os.environ["A"]'
is "$out" b "--env"
echo piped | glovebox run --engine python -e 'import sys; print("got", sys.stdin.read().strip())' >.piped 2>&1
is "$(cat .piped)" "got piped" "what is piped into us is its input"
echo content >src.txt
py --file data/in.txt=src.txt -e 'print(open("data/in.txt").read().strip())'
is "$out" content "--file"
py --out result -q -e 'open("new.txt", "w").write("made")'
is "$code:$(cat result/new.txt)" 0:made "--out"
mkdir -p shared
echo here >shared/f
py --mount shared:/data -e 'print(open("/data/f").read().strip())'
is "$out" here "--mount"
py --preload json -e 'import json; json.dumps([1])'
is "$out" "[1]" "--preload"

# ---- what it may do ------------------------------------------------------------------
py --allow-import math -e 'import math; math.floor(2.5)'
is "$out" 2 "--allow-import lets in what was named"
py --allow-import math -e 'import subprocess'
is "$code" 1 "... and nothing else"
py --permissions '{"childProcess":"deny"}' -e 'import subprocess; subprocess.run(["/bin/true"], check=True)'
is "$code" 1 "child_process deny"
py -q -e 'import subprocess; subprocess.run(["/bin/true"], check=True)'
is "$code" 0 "... and its control"
py -e 'import urllib.request
try: urllib.request.urlopen("http://example.com", timeout=3)
except OSError: print("no")'
is "$out" no "no network unless it is allowed"

refused "--packages is not for python programs" "a flag of node" glovebox run --engine python --packages . -e 1
refused "--ts is not for python programs" "another" glovebox run --engine python --ts -e 1
refused "--clock is not for python programs" "a flag of js" glovebox run --clock 0 a.py
py --python /nonexistent -e 1
is "$code:$err" "127:glovebox: run: --python: /nonexistent: No such file or directory" "a python that is not there"

# ---- which python ----------------------------------------------------------------------
# Not in /tmp, which every run has for itself.
venv=$(mktemp -d /var/tmp/glovebox-venv-XXXXXX)
trap 'rm -rf "$tap_dir" "$venv"' EXIT
chmod 755 "$venv"
if python3 -m venv --without-pip "$venv" 2>/dev/null; then
    lib=$(echo "$venv"/lib/python3*/site-packages)
    echo 'word = "from the venv"' >"$lib/gb_in_venv.py"
    py --python "$venv/bin/python" -e 'import gb_in_venv; gb_in_venv.word'
    is "$out" "from the venv" "the python of a venv brings its packages"
    python3 -m venv --without-pip venv
    refused "every run has a /tmp of its own" "a venv in /tmp" \
        glovebox run --engine python --python venv/bin/python -e 1
else
    skip "no venv module" "the python of a venv brings its packages"
fi
py -q --repeat 10 -j 2 -e 'import builtins
assert not hasattr(builtins, "seen"); builtins.seen = 1'
is "$code" 0 "--repeat: every run is fresh"
py --cold --json -e '6 * 7'
is "$(printf %s "$out" | json '[j.value, j.started_as]')" '[42,"process"]' "--cold"
done_testing
