#!/usr/bin/env python3
"""tests/conform/compare.py -- programs print the same in a cell as in node.

usage: compare.py [SUBSTRING]         only cases whose name holds it

  js/*.js           node FILE and glovebox run -q FILE: stdout must be equal,
                    byte for byte, and both succeed or both fail
  js/hostile/*.js   programs that attack the runtime around them: what
                    glovebox run --json says of them, against js/hostile/expect.json

GLOVEBOX and NODE name the two programs.  SPDX-License-Identifier: MIT
"""
import difflib
import glob
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

from tap import GLOVEBOX, NODE, ROOT, Tap, need_node, run

HERE = os.path.join(ROOT, "tests/conform/js")
SHOWN_LINES = 14    # of a difference
MORE_TRIES = 3      # of node, never of the cell: see ask_again()


# ---- the same program in both -------------------------------------------

def both(path):
    return run([NODE, path]), run([GLOVEBOX, "run", "--engine", "js", path, "-q"])


def difference(in_node, in_cell):
    left = in_node.decode("utf-8", "backslashreplace").split("\n")
    right = in_cell.decode("utf-8", "backslashreplace").split("\n")
    lines = list(difflib.unified_diff(left, right, "node", "cell", n=0, lineterm=""))
    more = len(lines) - SHOWN_LINES
    return lines[:SHOWN_LINES] + (["... %d more lines" % more] if more > 0 else [])


def ask_again(path, outcome):
    """On a busy machine node's timers can be late and print in another order.
    So if the two differ, node is asked again; what the cell printed stands."""
    in_node, in_cell = outcome
    for _ in range(MORE_TRIES):
        if in_node[1] == in_cell[1]:
            break
        before, in_node = in_node, run([NODE, path])
        if before[1] != in_node[1]:
            print("# js/%s: node does not always print the same" % os.path.basename(path))
    return in_node, in_cell


def judge_pair(tap, path, outcome):
    (node_code, node_out, _), (cell_code, cell_out, cell_err) = ask_again(path, outcome)
    why = []
    if node_out != cell_out:
        why += difference(node_out, cell_out)
    if (node_code == 0) != (cell_code == 0):
        why.append("exit code: node %d, cell %d" % (node_code, cell_code))
        why += cell_err.decode("utf-8", "replace").split("\n")[:3]
    tap.result(not why, "js/" + os.path.basename(path), why)


def compare_with_node(tap, files):
    with ThreadPoolExecutor(2) as pool:
        for path, outcome in zip(files, pool.map(both, files)):
            judge_pair(tap, path, outcome)


# ---- what is expected of a hostile program ------------------------------

def text_at(result, *keys):
    for key in keys:
        result = (result or {}).get(key)
    return result or ""


# key of expect.json -> (what it looks at, how it must be)
CHECKS = {
    "reason": (lambda r: text_at(r, "termination", "reason"), "is"),
    "value": (lambda r: r.get("value"), "is"),
    "stdout": (lambda r: text_at(r, "stdout"), "is"),
    "stderr": (lambda r: text_at(r, "stderr"), "is"),
    "error_name": (lambda r: text_at(r, "error", "name"), "is"),
    "stdout_contains": (lambda r: text_at(r, "stdout"), "contains"),
    "stderr_contains": (lambda r: text_at(r, "stderr"), "contains"),
    "error_contains": (lambda r: text_at(r, "error", "message"), "contains"),
    "stdout_lacks": (lambda r: text_at(r, "stdout"), "lacks"),
    "stderr_lacks": (lambda r: text_at(r, "stderr"), "lacks"),
}
HOW = {
    # 1 is not true and 1.0 is not 1: compare what is written.
    "is": lambda got, want: json.dumps(got, sort_keys=True) == json.dumps(want, sort_keys=True),
    "contains": lambda got, want: want in got,
    "lacks": lambda got, want: want not in got,
}


def complaints(result, expected):
    for key, want in expected.items():
        if key not in CHECKS:
            yield "expect.json: no check is called %s" % key
            continue
        look, how = CHECKS[key]
        got = look(result)
        if not HOW[how](got, want):
            yield "%s: %.200s" % (key, json.dumps(want))
            yield "   got: %.300s" % json.dumps(got)


def check_hostile(tap, files, expected):
    names = [os.path.basename(f) for f in files]
    _, out, err = run([GLOVEBOX, "run", "--engine", "js", "--json"] + files)
    lines = [line for line in out.split(b"\n") if line]
    if len(lines) != len(files):
        tap.result(False, "js/hostile: a result for each of %d programs" % len(files),
                   ["%d results" % len(lines)] + err.decode("utf-8", "replace").split("\n")[:3])
        return
    for name, line in zip(names, lines):
        want = expected.get(name)
        why = ["expect.json says nothing of it"] if want is None else \
            list(complaints(json.loads(line), want))
        tap.result(not why, "js/hostile/" + name, why)


def main(only):
    tap = Tap()
    files = [f for f in sorted(glob.glob(HERE + "/*.js")) if only in f]
    hostile = [f for f in sorted(glob.glob(HERE + "/hostile/*.js")) if only in f]
    if files:
        need_node()
        compare_with_node(tap, files)
    if hostile:
        expected = json.load(open(HERE + "/hostile/expect.json", encoding="utf-8"))
        check_hostile(tap, hostile, expected)
        for name in sorted(expected):
            if not os.path.exists(os.path.join(HERE, "hostile", name)):
                tap.result(False, "expect.json: %s exists" % name)
    tap.end()


main(sys.argv[1] if len(sys.argv) > 1 else "")
