"""guest/python/errors.py -- uncaught exceptions: printed as python does, and told.

What is printed goes through sys.excepthook, so a program's own hook counts and
the text is the interpreter's. Before that, frames of ours are taken out of all
tracebacks in the chain.

SPDX-License-Identifier: MIT
"""
import builtins
import os.path
import sys
import traceback

__builtins__ = dict(vars(builtins))

OURS = os.path.dirname(os.path.abspath(__file__)) + "/"
WORK = "/workspace/"
MAX_TEXT = 64 << 10
MAX_STACK = 256 << 10
# Frames between us and the program: what runs an async program is not its own.
CARRIERS = ("asyncio/runners.py", "asyncio/base_events.py", "asyncio/events.py")
_format = traceback.format_exception
_hook = sys.__excepthook__


def is_ours(frame):
    return frame.f_code.co_filename.startswith(OURS)


def without_ours(step):
    """The traceback from `step` on, without our frames and what they called first."""
    while step is not None and (is_ours(step.tb_frame) or
                                step.tb_frame.f_code.co_filename.endswith(CARRIERS)):
        step = step.tb_next
    kept = step
    while step is not None and step.tb_next is not None:
        if is_ours(step.tb_next.tb_frame):
            step.tb_next = step.tb_next.tb_next
        else:
            step = step.tb_next
    return kept


def clean(error):
    """Take our frames out of an exception and all that it names as its reason."""
    todo, seen = [error], set()
    while todo:
        one = todo.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        one.__traceback__ = without_ours(one.__traceback__)
        todo += [one.__cause__, one.__context__]
        members = getattr(one, "exceptions", ())
        todo += members if isinstance(members, tuple) else ()


def show(error):
    """On standard error, as the interpreter would."""
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    sys.last_exc = error
    hook = getattr(sys, "excepthook", None) or _hook
    try:
        hook(type(error), error, error.__traceback__)
    except SystemExit:
        raise
    except BaseException as second:
        clean(second)
        write("Error in sys.excepthook:\n")
        _hook(type(second), second, second.__traceback__)
        write("\nOriginal exception was:\n")
        _hook(type(error), error, error.__traceback__)


def write(text):
    if sys.stderr is not None:
        sys.stderr.write(text)


def formatted(error):
    try:
        return "".join(_format(type(error), error, error.__traceback__))
    except Exception:
        return name_of(error)


def name_of(error):
    cls = type(error)
    if cls.__module__ in ("builtins", "__main__"):
        return cls.__qualname__
    return "%s.%s" % (cls.__module__, cls.__qualname__)


def message_of(error):
    try:
        return error.msg if isinstance(error, SyntaxError) else str(error)
    except BaseException:
        return "<exception str() failed>"


def place_of(error):
    """(file, line, column) where it happened in the program's own text."""
    if isinstance(error, SyntaxError) and error.__traceback__ is None:
        return relative(error.filename or ""), error.lineno or 0, error.offset or 0
    found, step = None, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename.startswith(WORK):
            found = step
        step = step.tb_next
    if found is None:
        return "", 0, 0
    code = found.tb_frame.f_code
    return relative(code.co_filename), found.tb_lineno or 0, column_of(code, found.tb_lasti)


def column_of(code, at):
    if not hasattr(code, "co_positions") or at < 0:
        return 0
    for i, position in enumerate(code.co_positions()):
        if i == at // 2:
            return (position[2] or 0) + 1 if position[2] is not None else 0
    return 0


def relative(name):
    return name[len(WORK):] if name.startswith(WORK) else name


def texts(error):
    """(fields of the result, line, column)."""
    file, line, column = place_of(error)
    found = {
        "error_name": (name_of(error), MAX_TEXT),
        "error_message": (str(message_of(error)), MAX_TEXT),
        "error_stack": (formatted(error), MAX_STACK),
        "file": (file, 4000),
    }
    return ({field: text.encode("utf-8", "replace")[:most] for field, (text, most) in found.items()},
            min(max(line, 0), 0xffffffff), min(max(column, 0), 0xffffffff))
