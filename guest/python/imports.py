"""guest/python/imports.py -- allowed_imports: which modules a program may import.

Only imports that stand in the program itself, or in a module of its own below
/workspace, are judged: what the standard library imports for its own use is its
business. This is advice against accidents and a word to the reader of a result,
not a wall: a program that wants to gets around it, and meets the kernel's walls.

SPDX-License-Identifier: MIT
"""
import builtins
import importlib
import sys
from os.path import exists

import channel

__builtins__ = dict(vars(builtins))

WORK = "/workspace/"
ALWAYS = {"__future__", "__main__", "glovebox"}
_import = builtins.__import__
_import_module = importlib.import_module


def restrict(allowed):
    """From now on only these, for good."""
    tops = {name.partition(".")[0] for name in allowed}
    listed = ", ".join(sorted(allowed)) or "none"

    def judge(name, importer):
        top = name.partition(".")[0]
        if top in tops or top in ALWAYS or not is_programs(importer) or is_local(top):
            return
        channel.denied("import", top, "allowed_imports", "--allow-import " + top)
        raise ImportError("import of '%s' is not allowed by allowed_imports (allowed: %s); "
                          "add it with --allow-import %s" % (top, listed, top), name=top)

    def __import__(name, globals=None, locals=None, fromlist=(), level=0):
        if level == 0 and isinstance(name, str):
            judge(name, sys._getframe(1).f_globals if globals is None else globals)
        return _import(name, globals, locals, fromlist, level)

    def import_module(name, package=None):
        if isinstance(name, str) and not name.startswith("."):
            judge(name, sys._getframe(1).f_globals)
        return _import_module(name, package)

    __import__.__doc__ = _import.__doc__
    builtins.__import__ = __import__
    importlib.import_module = import_module


def is_programs(importer):
    return importer.get("__name__") in ("__main__", "__mp_main__") or \
        str(importer.get("__file__") or "").startswith(WORK)


def is_local(top):
    return exists(WORK + top + ".py") or exists(WORK + top)
