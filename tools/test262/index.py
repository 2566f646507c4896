#!/usr/bin/env python3
"""tools/test262/index.py -- what each test of a test262 checkout asks for.

usage: index.py DIR [AREA...]         AREAs are folders under DIR/test

Reads the front matter of every test and writes one line for each way it is to
be run, tab-separated, which tests/conform/test262.c reads:

    path  mode  async|-  includes  phase  type  features

mode is sloppy, strict, module or raw; phase (parse, resolution, runtime) and
type (SyntaxError, ...) are of the error that a negative test must end with.
Lists are joined by commas, and what is absent is a dash.

A test that cannot be indexed is an error: a test that is silently left out
looks like a test that passes.

SPDX-License-Identifier: MIT
"""
import os
import re
import sys

FRONT_MATTER = re.compile(r"/\*---\r?\n?(.*?)---\*/", re.S)
PHASES = {"parse": "parse", "early": "parse",    # "early" is of older checkouts
          "resolution": "resolution", "runtime": "runtime"}
MODES = {"module": ["module"], "raw": ["raw"],
         "onlyStrict": ["strict"], "noStrict": ["sloppy"]}


class Odd(Exception):
    """Front matter that this script was not taught to read."""


def blocks(yaml):
    """Top-level keys and their text: what is on the line, and what is indented."""
    found, key = {}, None
    for line in re.split(r"\r\n|\r|\n", yaml):
        top = re.match(r"([A-Za-z0-9_]+):(.*)$", line)
        if top:
            key = top.group(1)
            found[key] = top.group(2).strip()
        elif key and line.strip():
            found[key] += "\n" + line
    return found


def items(text):
    """[a, b] on one or several lines, or a list of "- a" lines."""
    text = re.sub(r"(^|\s)#[^\n]*", "", text or "").strip()
    if text.startswith("["):
        if not text.endswith("]"):
            raise Odd("a list without an end: " + text)
        found = [x.strip() for x in text[1:-1].split(",")]
    else:
        found = re.findall(r"^\s*-\s+(\S+)\s*$", text, re.M)
    return [x.strip("'\"") for x in found if x.strip()]


def negative(text):
    if text is None:
        return "-", "-"
    phase = re.search(r"phase:\s*(\w+)", text)
    kind = re.search(r"type:\s*(\w+)", text)
    if not phase or not kind or phase.group(1) not in PHASES:
        raise Odd("negative: " + " ".join(text.split()))
    return PHASES[phase.group(1)], kind.group(1)


def lines_of(path, text):
    matter = FRONT_MATTER.search(text)
    if not matter:
        raise Odd("no front matter")
    keys = blocks(matter.group(1))
    flags = items(keys.get("flags"))
    includes = items(keys.get("includes"))
    features = items(keys.get("features"))
    phase, kind = negative(keys.get("negative"))
    is_async = "async" in flags
    if is_async:
        includes.append("doneprintHandle.js")
    if "CanBlockIsTrue" in flags:
        features.append("CanBlockIsTrue")
    modes = next((MODES[f] for f in flags if f in MODES), ["sloppy", "strict"])
    for mode in modes:
        yield "\t".join([path, mode, "async" if is_async else "-",
                         ",".join(includes) or "-", phase, kind,
                         ",".join(features) or "-"])


def files(root, areas):
    for area in areas or [""]:
        top = os.path.join(root, "test", area)
        if not os.path.isdir(top):
            sys.exit("index.py: there is no folder %s" % top)
        for folder, folders, names in os.walk(top):
            folders.sort()
            for name in sorted(names):
                if name.endswith(".js") and "_FIXTURE" not in name:
                    yield os.path.join(folder, name)


def main(argv):
    if len(argv) < 2:
        sys.exit(__doc__)
    root, odd = argv[1], 0
    for path in files(root, argv[2:]):
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as f:
            text = f.read()
        name = os.path.relpath(path, root)
        try:
            for line in lines_of(name, text):
                print(line)
        except Odd as what:
            print("index.py: %s: %s" % (name, what), file=sys.stderr)
            odd += 1
    sys.exit(odd != 0)


main(sys.argv)
