"""tests/conform/tap.py -- what the comparisons share: TAP lines, and the two
programs that are compared.  SPDX-License-Identifier: MIT"""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GLOVEBOX = os.environ.get("GLOVEBOX", os.path.join(ROOT, "build/release/glovebox"))
NODE = os.environ.get("NODE", "node")
SECONDS = 60    # for one process; far more than any of them takes
ENVIRONMENT = dict(os.environ, TZ="UTC", NO_COLOR="1")


def run(argv, folder=ROOT):
    """Returns exit code, stdout and stderr; a process that hangs is -1."""
    try:
        done = subprocess.run(argv, capture_output=True, timeout=SECONDS,
                              cwd=folder, env=ENVIRONMENT, check=False)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        return -1, late.stdout or b"", b"not done after %d s" % SECONDS


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def result(self, good, name, why=()):
        """One test; `why` are lines that explain a failure."""
        self.count += 1
        if not good:
            self.failed += 1
            for line in why:
                print("# " + line)
        print("%s %d - %s" % ("ok" if good else "not ok", self.count, name),
              flush=True)

    def end(self):
        print("1..%d" % self.count)
        sys.exit(self.failed != 0)


def skip_all(why):
    """This machine cannot do it; with GB_MUST_WORK=1 that is a failure."""
    if os.environ.get("GB_MUST_WORK") == "1":
        print("# %s, although GB_MUST_WORK=1" % why)
        sys.exit(1)
    print("1..0 # SKIP " + why)
    sys.exit(0)


def need_node():
    try:
        code, _, _ = run([NODE, "--version"])
    except OSError:
        code = 1
    if code != 0:
        skip_all("no node to compare with")
