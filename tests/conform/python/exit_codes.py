"""tests/conform/python/exit_codes.py -- the ways out.  SPDX-License-Identifier: MIT"""
import atexit
import os
import subprocess
import sys
import tempfile

WAYS = [
    "pass", "import sys; sys.exit()", "import sys; sys.exit(3)", "import sys; sys.exit('text')",
    "raise SystemExit(300)", "import os; os._exit(4)", "1/0", "raise KeyboardInterrupt", "import os; os.abort()",
    "def f(:\n  pass", "import atexit; atexit.register(print, 'bye'); raise SystemExit(2)", "import sys; sys.exit([1])",
    "import sys\nsys.excepthook = lambda *a: print('hook', a[0].__name__)\n1/0",
    "class D:\n  def __del__(self): print('deleted')\nd = D()\n",
    "import threading\nthreading.Thread(target=lambda: 1/0).start()", "quit(9)", "assert False, 'no'",
]
for way in WAYS:
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(way)
        script.flush()
        done = subprocess.run([sys.executable, script.name], capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1:]
    print(repr(way), done.returncode, repr(done.stdout), last if "Thread" not in way else "")


class Late:
    def __del__(self):
        print("destructors come last")


late = Late()
atexit.register(lambda: print("second"))
atexit.register(lambda: print("first"))
os.environ["X"] = "1"
sys.stdout.flush()
sys.exit(41)
