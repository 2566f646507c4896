"""guest/python/warm.py -- what a zygote loads so that no program has to.

Nothing here may leave a thread behind (it would be missing in forks), open
something that stays open, or draw from randomness that forks then share.

SPDX-License-Identifier: MIT
"""
import importlib
import os
import sys

MODULES = """
    argparse array ast asyncio base64 bisect calendar collections collections.abc concurrent.futures
    concurrent.futures.thread contextlib copy csv dataclasses datetime decimal difflib enum fractions
    functools glob gzip hashlib heapq hmac html http.client http.server inspect io ipaddress itertools
    json linecache locale logging math mimetypes numbers operator pathlib pickle platform pprint queue
    random re secrets select selectors shlex shutil signal socket socketserver sqlite3 ssl statistics
    string struct subprocess tempfile textwrap threading time timeit traceback types typing unicodedata
    unittest urllib.error urllib.parse urllib.request uuid warnings weakref xml.etree.ElementTree
    zipfile zlib zoneinfo
""".split()
# One thread each: theirs would not survive a fork.
SINGLE = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
SCRATCH = ("/tmp", "/dev/shm", "/workspace")


def load(preload):
    """`preload`: names that were asked for; one that fails is said and left out."""
    for name in SINGLE:
        os.environ[name] = "1"
    os.environ.setdefault("MPLBACKEND", "Agg")
    os.environ.setdefault("MPLCONFIGDIR", scratch())
    for name in MODULES:
        attempt(name, report=False)
    for name in preload:
        attempt(name, report=True)
    for name, warm in LIBRARIES.items():
        if name in sys.modules:
            guarded(name, warm)


def scratch():
    """A folder to write to while warming; forks do not see it."""
    for folder in SCRATCH:
        if os.access(folder, os.W_OK):
            return folder + "/matplotlib"
    return SCRATCH[0] + "/matplotlib"


def attempt(name, report):
    guarded(name if report else None, lambda: importlib.import_module(name))


def guarded(name, step):
    try:
        step()
    except BaseException as error:
        if name:
            sys.stderr.write("glovebox: preload %s: %s: %s\n" % (name, type(error).__name__, error))


def warm_numpy():
    import numpy
    matrix = numpy.arange(9.0).reshape(3, 3) + numpy.eye(3)
    numpy.linalg.solve(matrix, matrix @ matrix).tolist()
    repr(matrix)


def warm_pandas():
    import pandas
    table = pandas.DataFrame({"k": ["a", "b", "a"], "v": [1, 2, 3]})
    table.groupby("k").sum().reset_index().to_dict("records")
    repr(table.describe())
    pandas.read_csv(importlib.import_module("io").StringIO("a,b\n1,2\n"))


def warm_matplotlib():
    """One drawing finds the fonts and fills the caches of the renderer."""
    from io import BytesIO

    from matplotlib import pyplot
    pyplot.plot([1, 2, 3], label="a")
    pyplot.title("warm")
    pyplot.legend()
    pyplot.savefig(BytesIO(), format="png")
    pyplot.close("all")


LIBRARIES = {"numpy": warm_numpy, "pandas": warm_pandas, "matplotlib": warm_matplotlib}
