#!/usr/bin/env python3
"""tests/conform/test262_mini.py -- does the test262 runner tell good from bad?

usage: test262_mini.py RUNNER IMAGE

Runs test262-mini, where every test has a known end, and then checks that the
runner complains when the list of known failures is too short or too long.
SPDX-License-Identifier: MIT
"""
import os
import sys
import tempfile

from tap import ROOT, Tap, run

MINI = os.path.join(ROOT, "tests/conform/test262-mini")
INDEX = os.path.join(ROOT, "tools/test262/index.py")
TIMEOUT = "500ms"    # for what never ends; the others take a few


class Runner:
    def __init__(self, program, image, folder):
        self.argv = [program, "--image", image, "--root", MINI, "--timeout", TIMEOUT]
        self.folder = folder

    def path(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
        return path

    def run(self, index, known, *more):
        code, out, err = run(self.argv + ["--index", index, "--known", known] + list(more))
        return code, (out + err).decode("utf-8", "replace").rstrip().split("\n")


def index_of(*areas):
    code, out, err = run([INDEX, MINI] + list(areas))
    return code, out.decode("utf-8"), err.decode("utf-8", "replace")


def check_index(tap, folder):
    code, text, err = index_of()
    rows = [line.split("\t") for line in text.split("\n") if line]
    tap.result(code == 0 and all(len(r) == 7 for r in rows),
               "every test is indexed", err.split("\n"))
    modes = {(os.path.basename(r[0]), r[1]) for r in rows}
    tap.result(("plain.js", "sloppy") in modes and ("plain.js", "strict") in modes and
               ("only-strict.js", "sloppy") not in modes and
               ("no-strict.js", "strict") not in modes,
               "flags choose the modes")
    tap.result(not any("_FIXTURE" in r[0] for r in rows), "fixtures are no tests")
    os.makedirs(os.path.join(folder, "odd/test"))
    with open(os.path.join(folder, "odd/test/a.js"), "w", encoding="utf-8") as out:
        out.write("/*---\nnegative:\n  phase: sometime\n  type: Error\n---*/\n")
    code, _, _ = run([INDEX, os.path.join(folder, "odd")])
    tap.result(code != 0, "front matter that is not understood is an error")
    return text, len(rows)


def check_runner(tap, runner, text, count):
    index = runner.path("index.tsv", text)
    listed = os.path.join(MINI, "known.txt")
    results = runner.path("results.txt")
    written = runner.path("written.txt")
    code, lines = runner.run(index, listed, "--results", results, "--write-known", written)
    tap.result(code == 0, "every test ends as it must", lines)
    found = open(results, encoding="utf-8").read().rstrip().split("\n")
    tap.result(len(found) == count, "the results name each of %d runs" % count, found[-3:])
    tap.result(sum(" skip\t" in x for x in found) == 2, "a feature is skipped, with a reason")
    code, lines = runner.run(index, written, "--jobs", "3", "--results", results)
    tap.result(code == 0, "the list that it writes is a list it accepts", lines)
    again = open(results, encoding="utf-8").read().rstrip().split("\n")
    other = ["- " + x for x in sorted(set(found) - set(again))]
    other += ["+ " + x for x in sorted(set(again) - set(found))]
    tap.result(not other, "three processes find what two find", other)


def check_both_ways(tap, runner):
    _, text, _ = index_of("built-ins")
    good = runner.path("built-ins.tsv", text)
    nothing = runner.path("nothing.txt", "# nothing\n")
    stale = runner.path("stale.txt", "test/built-ins/detach.js strict fail  # no more\n")
    code, lines = runner.run(good, nothing)
    tap.result(code == 0, "nothing known, nothing failed", lines)
    code, lines = runner.run(good, stale)
    tap.result(code == 1 and any("take it off" in x for x in lines),
               "a known failure that passes is a failure", lines)
    code, lines = runner.run(good, nothing, "detach")
    tap.result(code == 0 and any("2 runs" in x for x in lines), "a substring chooses", lines)
    bad = runner.path("bad.tsv", "\n".join(
        x for x in index_of("bad")[1].split("\n") if "assertion.js" in x) + "\n")
    code, lines = runner.run(bad, nothing)
    tap.result(code == 1 and any("assertion.js strict fail" in x for x in lines),
               "a failure that is not known is a failure", lines)
    broken = runner.path("broken.tsv", "only\tthree\tfields\n")
    code, lines = runner.run(broken, nothing)
    tap.result(code == 2 and "line 1" in lines[-1], "a broken index is refused", lines)


def main(program, image):
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        text, count = check_index(tap, folder)
        runner = Runner(program, image, folder)
        check_runner(tap, runner, text, count)
        check_both_ways(tap, runner)
    tap.end()


if len(sys.argv) != 3:
    sys.exit(__doc__)
main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
