#!/usr/bin/env python3
"""tests/conform/behaviours.py -- one-line expressions mean the same as in node.

usage: behaviours.py [SUBSTRING]      only areas whose name holds it

behaviours.txt holds areas (`== name`) of expressions, one a line. All are
evaluated by node and by glovebox, in batches that each are one program, and
compared. The last area, `differences`, holds those that are known to differ,
each under the reason (`! ...`): there an expression that gives the same in
both is a failure too, so the list cannot outlive its reasons.

GLOVEBOX and NODE name the two programs.  SPDX-License-Identifier: MIT
"""
import json
import os
import sys
import tempfile

from tap import GLOVEBOX, NODE, ROOT, Tap, need_node, run

HERE = os.path.join(ROOT, "tests/conform")
BATCH = 25    # expressions in one program


class Line:
    def __init__(self, number, area, text, reason):
        self.number, self.area, self.text, self.reason = number, area, text, reason


def read(path):
    lines, area, reason = [], "", ""
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.strip()
        if line.startswith("=="):
            area, reason = line[2:].strip(), ""
        elif line.startswith("!"):
            reason = line[1:].strip()
        elif line and not line.startswith("#"):
            lines.append(Line(number, area, line, reason))
    return lines


def programs(lines, folder):
    """Write the batches; an area never shares a program with another."""
    helper = open(HERE + "/behaviours.js", encoding="utf-8").read()
    batch, paths = [], []
    for i, line in enumerate(lines):
        batch.append([line.number, line.text])
        last = i + 1 == len(lines) or lines[i + 1].area != line.area
        if last or len(batch) == BATCH:
            paths.append(os.path.join(folder, "%d.js" % batch[0][0]))
            with open(paths[-1], "w", encoding="utf-8") as out:
                out.write("const batch = %s;\n%s" % (json.dumps(batch), helper))
            batch = []
    return paths


def answers(outputs):
    """number of a line -> what its expression gave"""
    found = {}
    for line in b"".join(outputs).decode("utf-8", "replace").split("\n"):
        number, tab, text = line.partition("\t")
        if tab and number.isdigit():
            found[int(number)] = json.loads(text)
    return found


def main(only):
    need_node()
    lines = [x for x in read(HERE + "/behaviours.txt") if only in x.area]
    with tempfile.TemporaryDirectory() as folder:
        paths = programs(lines, folder)
        node = answers([run([NODE, p])[1] for p in paths])
        cell = answers([run([GLOVEBOX, "run", "--engine", "js", "-q"] + paths)[1]])
    tap = Tap()
    for x in lines:
        in_node, in_cell = node.get(x.number), cell.get(x.number)
        same = in_node == in_cell and in_node is not None
        why = ["node: %s" % in_node, "cell: %s" % in_cell]
        name = "%s: %s" % (x.area, x.text.replace("#", "\\#"))
        if x.area == "differences":
            if not x.reason:
                tap.result(False, name, ["a difference needs a reason (! ...)"])
            else:
                tap.result(not same, name, ["node and cell agree now on %s: "
                                            "move it to its area" % in_node])
        else:
            tap.result(same, name, why)
    tap.end()


main(sys.argv[1] if len(sys.argv) > 1 else "")
