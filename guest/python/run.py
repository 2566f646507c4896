"""guest/python/run.py -- one program, from its text to its last word.

  compile ─► arrange ─► run ─► threads ─► figures ─► atexit ─► value ─► destructors ─► result

The order is the interpreter's own at the end of a script. It is followed by hand
because the interpreter's way out takes apart everything that was warmed, which
costs more than most programs. The result is sent last, so late changes of the
value count, and a run without one ended in some other way.

SPDX-License-Identifier: MIT
"""
import atexit
import builtins
import gc
import os
import signal
import sys
from json import loads

import channel
import codec
import decode
import errors
import figures
import imports
import program
import words
import world

__builtins__ = dict(vars(builtins))

MAX_DISPLAY = 1 << 20
SAMPLE = b"import json\nx = {str(i): [i * 0.5, i] for i in range(20)}\njson.loads(json.dumps(x))\n"
ASYNC_SAMPLE = b"import asyncio\nawait asyncio.sleep(0)\n1\n"
NOTHING = program.NOTHING
_exit, _kill, _getpid, _run_atexit = os._exit, os.kill, os.getpid, atexit._run_exitfuncs
_signal, _SIGINT, _DEFAULT = signal.signal, signal.SIGINT, signal.SIG_DFL
_collect = gc.collect


class Ending:
    """How it went. `error` until it has been told."""
    def __init__(self, reason="completed", code=0, error=None, limit="", observed=0):
        self.reason, self.code, self.error = reason, code, error
        self.limit, self.observed = limit, observed
        self.interrupted = isinstance(error, KeyboardInterrupt)


class Run:
    def __init__(self, settings, source):
        self.settings, self.source = settings, source
        self.mode = settings.get("mode", "auto")
        self.path = world.WORK + "/" + (settings.get("name") or "main.py").lstrip("/")
        self.scope = world.new_main(self.path)
        self.last = NOTHING           # value of the last expression
        self.returned = NOTHING       # of the last __return()
        self.texts = {}               # fields of the result
        self.line = self.column = 0
        self.placed = None            # our file of the source, if there was none

    def hand_over(self, value):
        """The program's value, whatever comes after."""
        self.returned = value

    # ---- the program --------------------------------------------------------

    def play(self):
        self.placed = place(self.source, self.path)
        program.remember(self.source, self.path)
        try:
            code = program.compiled(self.source, self.path, self.mode)
        except (SyntaxError, ValueError) as error:
            error.__traceback__ = None
            return Ending("syntax_error", 1, error)
        except BaseException as error:
            return failure(error)
        try:
            if program.is_async(code):
                import asyncio    # noqa: before a file of the program can take its name
            self.arrange()
            self.last = program.run(code, self.scope)
            if self.mode == "main":
                self.last = program.call_main(self.scope)
        except SystemExit as error:
            return leaving(error)
        except BaseException as error:
            return failure(error)
        return Ending()

    def arrange(self):
        settings = self.settings
        has_input = "input" in settings
        value = decode.decode(settings["input"]) if has_input else None
        world.arrange(settings, self.path)
        world.offer(self.scope, has_input, value, self.hand_over)
        words.install(settings.get("permissions") or {}, settings.get("hostname") or "")
        if settings.get("allowed_imports") is not None:
            imports.restrict(settings["allowed_imports"])

    # ---- its value ----------------------------------------------------------

    def value(self):
        """(value, was it handed over on purpose?)"""
        if self.returned is not NOTHING:
            return self.returned, True
        if self.last is not NOTHING and self.last is not None:
            return self.last, False
        named = self.scope.get("result")
        if callable(named) or type(named) is type(sys):
            return None, False        # a helper that happens to be called so
        return named, True

    def tell_value(self):
        value, on_purpose = self.value()
        settings = self.settings
        try:
            self.texts["value"] = codec.encode(value, settings.get("plain"),
                                               settings.get("result_bytes") or 16 << 20)
        except codec.TooLarge as large:
            return Ending("result_too_large", 1, None, "max_result_bytes", large.args[0])
        except codec.Refused as refusal:
            if on_purpose or not refusal.foreign:
                return Ending("exception", 1, TypeError(str(refusal)))
            self.texts["value"] = b"null"
            self.texts["detail"] = str(refusal).encode("utf-8", "replace")
        except BaseException as error:
            return failure(error)
        if settings.get("display"):
            self.texts["display"] = displayed(value)
        return None

    # ---- the way out --------------------------------------------------------

    def wind_up(self, ending):
        """Everything after the program's own text. Returns how it ended after all."""
        self.tell_error(ending)
        quietly(wait_for_threads)
        ours = channel.is_ours()
        if ours:
            failed = quietly(figures.save_all)
            if failed is not None:
                errors.write("glovebox: a figure could not be saved: %s\n" % errors.message_of(failed))
        quietly(_run_atexit)
        if ours and ending.reason == "completed":
            changed = self.tell_value()
            if changed is not None:
                self.texts.clear()
                self.tell_error(changed)
                ending = changed
        quietly(self.drop_everything)
        if not flush(sys.stdout) and ending.code == 0:
            ending.code = 120         # as the interpreter says it
        flush(sys.stderr)
        if ours and self.placed is not None:
            take_back(self.path, self.placed)
        return ending

    def tell_error(self, ending):
        error, ending.error = ending.error, None
        if error is None:
            return
        errors.clean(error)
        try:
            self.texts, self.line, self.column = errors.texts(error)
            errors.show(error)
        except SystemExit as leave:   # of a program's sys.excepthook
            ending.code = leaving(leave).code
        except BaseException:
            pass                      # no memory, or no stream: the result says it

    def drop_everything(self):
        """Files that were never closed are written when their last name goes."""
        self.last = self.returned = NOTHING
        sys.last_type = sys.last_value = sys.last_traceback = sys.last_exc = None
        flush(sys.stdout)
        clear(self.scope)
        for module in world.own_modules():
            clear(vars(module))
        _collect()


def failure(error):
    if isinstance(error, MemoryError):
        return Ending("memory_limit", 1, error, "memory_mb")
    return Ending("exception", 1, error)


def leaving(error):
    """sys.exit(): nothing is 0, a number is the code, all else is printed."""
    code = error.code
    if code is None:
        code = 0
    elif not isinstance(code, int):
        try:
            errors.write("%s\n" % (code,))
        except Exception:
            pass
        code = 1
    code = int(code) & 0xff
    return Ending("nonzero_exit" if code else "completed", code)


def quietly(step):
    """Whatever the program left in the way of this step, the next one is taken."""
    try:
        return step()
    except BaseException as error:
        errors.clean(error)
        if not isinstance(error, SystemExit):
            try:
                sys.unraisablehook(Unraised(error))
            except BaseException:
                pass
        return None


class Unraised:
    """What sys.unraisablehook is given."""
    err_msg = object = None

    def __init__(self, error):
        self.exc_type, self.exc_value, self.exc_traceback = type(error), error, error.__traceback__


def wait_for_threads():
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()


def clear(scope):
    """As the interpreter does it: first what begins with one underscore."""
    for single in (True, False):
        for name in list(scope):
            private = name[:1] == "_" and name[:2] != "__"
            if name != "__builtins__" and private == single:
                scope[name] = None


def flush(stream):
    try:
        if stream is not None and not stream.closed:
            stream.flush()
    except Exception as error:
        errors.write("Exception ignored in: %r\n%s: %s\n" %
                     (stream, errors.name_of(error), errors.message_of(error)))
        return False
    return True


def displayed(value):
    if value is None:
        return b""
    try:
        text = value if isinstance(value, str) else repr(value)
        return text[:MAX_DISPLAY].encode("utf-8", "replace")
    except BaseException:
        return b""


# ---- the program as a file ---------------------------------------------------
# Interpreters that multiprocessing starts read __main__ from its file, and so
# does the printer of tracebacks. It is gone again at the end unless the
# program changed it.

def place(source, path):
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    except OSError:
        return None
    try:
        os.write(fd, source)
        return identity(os.fstat(fd))
    except OSError:
        return None
    finally:
        os.close(fd)


def identity(status):
    return status.st_ino, status.st_size, status.st_mtime_ns


def take_back(path, placed):
    try:
        if identity(os.lstat(path)) == placed:
            os.unlink(path)
    except OSError:
        pass


# ---- what zygote.py and cold.py call -----------------------------------------

def rehearse(sample=SAMPLE):
    """The way of a program, with nothing to show for it: what is used for the
    first time is slow, and in a fork copies pages."""
    path, scope = "/glovebox/sample", {"__builtins__": builtins}
    program.remember(sample, path)
    value = program.run(program.compiled(sample, path), scope)
    codec.encode(value, False, 1 << 20)
    loads('{"name":"main.py","argv":[],"env":{}}')
    program.linecache.cache.pop(path, None)


def rehearse_all():
    """In a spare, which has the time: the whole way, but for threads and words."""
    before = list(sys.path)
    run = Run({}, SAMPLE)
    run.play()
    run.tell_value()
    run.drop_everything()
    if run.placed is not None:
        take_back(run.path, run.placed)
    program.linecache.cache.pop(run.path, None)
    sys.path[:] = before


def main(streams_are_open=False):
    """Wait for a program, run it, tell it, end the process."""
    if not streams_are_open:
        world.open_streams()
    settings, source = channel.program()
    run = Run(loads(settings), source)
    ending = run.wind_up(run.play())
    if channel.is_ours():
        sent = channel.result(ending.reason, run.texts, ending.limit, ending.observed, run.line, run.column)
        if not sent:
            channel.result("memory_limit", {}, "memory_mb")
    if ending.interrupted:
        _signal(_SIGINT, _DEFAULT)
        _kill(_getpid(), _SIGINT)
    _exit(ending.code)
