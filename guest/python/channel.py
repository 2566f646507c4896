"""guest/python/channel.py -- the way out: results and denials, by native.c.

Everything is bound when this is imported, in the zygote, so that a program
which replaces json, os or print by something of its own still gets its result
out. A program that reaches for this module on purpose can only spoil what is
said about itself.

SPDX-License-Identifier: MIT
"""
import builtins
import ctypes
import os.path
import sys
from os import getpid, set_inheritable

__builtins__ = dict(vars(builtins))    # a guest may replace what is in the real one

CHANNEL = 200    # GUEST_CHANNEL_FD of wire/guest.h
MOST_DENIALS = 100


class Text(ctypes.Structure):
    """struct str of base/base.h."""
    _fields_ = [("at", ctypes.c_void_p), ("len", ctypes.c_size_t)]

    def bytes(self, string_at=ctypes.string_at):
        return string_at(self.at, self.len) if self.len else b""


def _bind(name, result, *arguments):
    function = getattr(_library, name)
    function.restype, function.argtypes = result, arguments
    return function


_library = ctypes.PyDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "glovebox-python.so"))
_text, _number = ctypes.c_char_p, ctypes.c_uint64
_serve = _bind("glovebox_serve", ctypes.c_uint32, *[ctypes.c_void_p] * 3, _text)
_attach = _bind("glovebox_attach", None, _number)
_program = _bind("glovebox_program", None, *[ctypes.POINTER(Text)] * 2)
_set = _bind("glovebox_text", ctypes.c_int, _text, _text, ctypes.c_size_t)
_result = _bind("glovebox_result", ctypes.c_int, _text, _text, _number, ctypes.c_uint32, ctypes.c_uint32)
_denied = _bind("glovebox_denied", ctypes.c_int, *[_text] * 4)
_compact = _bind("glovebox_compact", ctypes.c_uint)
_hooks = [ctypes.cast(getattr(ctypes.pythonapi, "PyOS_" + name), ctypes.c_void_p)
          for name in ("BeforeFork", "AfterFork_Parent", "AfterFork_Child")]
_byref = ctypes.byref

_owner = 0          # pid of the run's first process: children of it say nothing
_denials = set()


def compact():
    return _compact()


def serve():
    """Be the zygote. Returns in a fork, with its flags."""
    flags = _serve(*_hooks, b"%d.%d.%d" % sys.version_info[:3])
    _own()
    return flags


def attach():
    """Be a run that is no fork of a zygote, and does not know its number."""
    set_inheritable(CHANNEL, False)    # it came through an exec; it goes through no other
    _attach(0)
    _own()


def _own():
    global _owner
    _owner = getpid()


def is_ours():
    """False in processes that the program forked."""
    return getpid() == _owner


def program():
    """Wait for the program: its settings (JSON) and its source, as bytes."""
    settings, source = Text(), Text()
    _program(_byref(settings), _byref(source))
    return settings.bytes(), source.bytes()


def result(reason, texts, limit="", observed=0, line=0, column=0):
    """True if it was sent. `texts`: field -> bytes, kept until then."""
    for field, text in texts.items():
        _set(field.encode(), text, len(text))
    return _result(reason.encode(), limit.encode(), observed, line, column) == 0


def denied(what, subject, rule, hint):
    """Say once that we refused something; a loop of tries is not a flood of frames."""
    said = (what, subject)
    if said in _denials or len(_denials) >= MOST_DENIALS or not is_ours():
        return
    _denials.add(said)
    _denied(*(text[:900].encode("utf-8", "replace").replace(b"\0", b"?")
              for text in (what, subject, rule, hint)))
