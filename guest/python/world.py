"""guest/python/world.py -- what a program finds around it: streams, environment,
arguments, paths, randomness, and a __main__ of its own.

A fork begins with the zygote's; everything that a script started by itself would
have fresh is made anew here.

SPDX-License-Identifier: MIT
"""
import builtins
import io
import json
import os
import site
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType

__builtins__ = dict(vars(builtins))

WORK = "/workspace"
DEFAULTS = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": WORK, "LANG": "C.UTF-8"}
HIDDEN = "GLOVEBOX_"          # variables that are for us
# fd, name, attribute, mode, errors (None: as the interpreter chose)
STREAMS = (
    (0, "<stdin>", "stdin", "r", None),
    (1, "<stdout>", "stdout", "w", None),
    (2, "<stderr>", "stderr", "w", "backslashreplace"),
)
_base = {}                    # variables that every program finds
_newest = ""                  # the last module that was loaded before programs


def take_environment():
    """Once, before anything is loaded: ours are taken out, the rest is every
    program's. Returns ours."""
    ours = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(HIDDEN)}
    _base.update(DEFAULTS)
    _base.update(os.environ)
    return ours


def hide(folder):
    """Programs find none of our modules: one of them may have a run.py of its own."""
    for name, module in list(sys.modules.items()):
        if name != "__main__" and str(getattr(module, "__file__", None)).startswith(folder + "/"):
            del sys.modules[name]


def add_packages(ours):
    """Further folders of packages, also for interpreters that programs start."""
    folders = json.loads(ours.get("GLOVEBOX_SITE") or "[]")
    if ours.get("GLOVEBOX_PACKAGES"):
        folders.append(ours["GLOVEBOX_PACKAGES"])
    for folder in folders:
        site.addsitedir(folder)
    if folders:
        _base["PYTHONPATH"] = ":".join(folders)


def open_streams():
    """Standard streams as the interpreter makes them for a terminal: a run that is
    ended by force has said every line it finished."""
    for fd, name, attribute, mode, errors in STREAMS:
        old = getattr(sys, "__%s__" % attribute)
        try:
            binary = io.open(fd, mode + "b", closefd=False)
        except OSError:
            new = None        # closed
        else:
            binary.raw.name = name
            new = io.TextIOWrapper(binary, encoding=getattr(old, "encoding", "utf-8"),
                                   errors=errors or getattr(old, "errors", "strict"),
                                   newline="\n", line_buffering=True)
            new.mode = mode
        setattr(sys, attribute, new)
        setattr(sys, "__%s__" % attribute, new)


def open_streams_ahead():
    """In the zygote: those of a run are pipes, so they are made over a pipe here,
    and mean the run's once its descriptors are in place."""
    kept = [os.dup(fd) for fd, *_ in STREAMS]
    ends = os.pipe()
    for fd, *_ in STREAMS:
        os.dup2(ends[fd != 0], fd)
    open_streams()
    for fd, old in enumerate(kept):
        os.dup2(old, fd)
    for fd in (*kept, *ends):
        os.close(fd)


def settle():
    """Once, when all that is common to the programs has been loaded."""
    global _newest
    os.environ.clear()
    os.environ.update(_base)
    _newest = next(reversed(sys.modules))


def own_modules():
    """Modules that the program loaded from files of its own. The list of all is
    read from its end: to look at a module that forks share copies its page."""
    found = []
    for name in reversed(sys.modules):
        if name == _newest:
            break
        module = sys.modules[name]
        if str(getattr(module, "__file__", None) or "").startswith(WORK + "/"):
            found.append(module)
    return found


def arrange(settings, path):
    """All of a program's surroundings but its streams and __main__."""
    if settings.get("env"):
        os.environ.update(settings["env"])
    os.chdir(settings.get("cwd") or WORK)
    sys.argv = [path] + list(settings.get("argv") or [])
    sys.orig_argv = [sys.executable] + sys.argv
    sys.path.insert(0, WORK)
    sys.path_importer_cache.pop(WORK, None)
    seed_all(settings.get("seed"))


def seed_all(seed):
    """The interpreter reseeds only the module random after a fork, and nothing
    when it is given a seed."""
    modules = sys.modules
    if seed is not None and "random" in modules:
        modules["random"].seed(seed)
    numpy = modules.get("numpy.random")
    if numpy is not None:
        numpy.seed(int.from_bytes(os.urandom(4), "little") if seed is None else seed % 2 ** 32)
    if "tempfile" in modules:
        modules["tempfile"]._name_sequence = None
    process = modules.get("multiprocessing.process")
    if process is not None:
        process.current_process().authkey = os.urandom(32)


def new_main(path):
    """A fresh __main__, with the names that a script's has."""
    module = ModuleType("__main__")
    scope = vars(module)
    scope["__loader__"] = SourceFileLoader("__main__", path)
    if sys.version_info < (3, 14):
        scope["__annotations__"] = {}
    scope["__builtins__"] = builtins
    scope["__file__"] = path
    scope["__cached__"] = None
    sys.modules["__main__"] = module
    return scope


def offer(scope, has_input, value, hand_over):
    """`__return`, `input_data` and the module glovebox."""
    module = ModuleType("glovebox", "What the sandbox offers to a program.")
    module.input = value
    module.result = hand_over
    sys.modules["glovebox"] = module
    builtins.__return = hand_over
    if has_input:
        scope["input_data"] = value
