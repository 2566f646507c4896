"""tests/conform/python/modules.py -- imports and introspection.  SPDX-License-Identifier: MIT"""
import importlib
import inspect
import logging
import os
import pkgutil
import sys
import tempfile
import types
import typing
import unittest
import warnings

folder = tempfile.mkdtemp()
os.makedirs(folder + "/pack/sub")
for name, text in {
    "mod.py": "VALUE = 41\ndef f(a, b=2, *, c): return a\n", "pack/__init__.py": "from .sub import thing\n",
    "pack/sub/__init__.py": "thing = __name__\n", "bad.py": "1/0\n", "codec.py": "MINE = True\n",
    "run.py": "MINE = True\n",
}.items():
    with open(os.path.join(folder, name), "w") as out:
        out.write(text)
sys.path.insert(0, folder)
import codec  # noqa: E402
import mod    # noqa: E402
import pack   # noqa: E402
import run    # noqa: E402

print(mod.VALUE, pack.thing, codec.MINE, run.MINE, inspect.signature(mod.f))
mod.VALUE = 0
print(importlib.reload(mod).VALUE, [m.name for m in pkgutil.iter_modules([folder])])
try:
    import bad    # noqa: F401
except ZeroDivisionError as error:
    print(error, "bad" in sys.modules)
try:
    import no_such_module    # noqa: F401
except ModuleNotFoundError as error:
    print(error, error.name)
print(inspect.getsource(mod.f).strip(), typing.get_type_hints(lambda: 0), isinstance(mod, types.ModuleType))


def documented(x: int) -> str:
    """Does nothing."""


print(inspect.getsource(documented).splitlines()[0], documented.__doc__, documented.__annotations__)
logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(name)s %(message)s")
logging.getLogger("x").warning("careful %d", 5)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.warn("old", DeprecationWarning)
print([str(w.message) for w in caught])


class Case(unittest.TestCase):
    def test_yes(self):
        self.assertEqual(1 + 1, 2)

    def test_no(self):
        with self.assertRaises(KeyError):
            {}["x"]


with open(os.devnull, "w") as nowhere:
    print(unittest.TextTestRunner(stream=nowhere).run(unittest.defaultTestLoader.loadTestsFromTestCase(Case)))
print(sys.argv[1:], len(sys.path) > 2, sys.modules["__main__"].__dict__ is globals(), os.path.basename(sys.argv[0]))
