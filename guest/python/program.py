"""guest/python/program.py -- the text of a program: compiled, run, its value.

The last statement, if it is an expression, is turned into an assignment to a
name that no program can write, so the program stays one piece: one frame, one
set of __future__ imports. Top-level await is allowed; a program that uses it
runs in asyncio.run().

SPDX-License-Identifier: MIT
"""
import ast
import builtins
import linecache
from codecs import BOM_UTF8
from io import BytesIO
from tokenize import detect_encoding

__builtins__ = dict(vars(builtins))

LAST = "(last expression)"
COROUTINE = 0x80              # CO_COROUTINE
NOTHING = object()            # no value at all, which is not None


def compiled(source, path, mode="auto"):
    """The program's code. Raises what the interpreter raises for a script."""
    tree = compile(source, path, "exec", ast.PyCF_ONLY_AST, True)
    if mode == "function":
        return as_function(tree, path)
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        tree.body[-1] = keep(tree.body[-1], tree.body[-1].value)
    return finish(tree, path)


def finish(tree, path):
    return compile(tree, path, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)


def keep(statement, value):
    target = ast.copy_location(ast.Name(LAST, ast.Store()), statement)
    return ast.copy_location(ast.Assign([target], value, None), statement)


def as_function(tree, path):
    """`return` at the top level: the whole text is the body of a function."""
    body = tree.body or [ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)]
    first = None
    for template in ("def main(): pass\nx = main()", "async def main(): pass\nx = await main()"):
        whole = compile(template, path, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
        whole.body[0].body = body
        whole.body[1].targets[0].id = LAST
        try:
            return finish(whole, path)
        except SyntaxError as error:
            first = first or error
    raise first


def remember(source, path):
    """Lines for tracebacks and inspect, whatever becomes of the file."""
    try:
        encoding, _ = detect_encoding(BytesIO(source).readline)
        text = source[len(BOM_UTF8):] if source.startswith(BOM_UTF8) else source
        lines = text.decode("utf-8" if encoding == "utf-8-sig" else encoding, "replace").splitlines(True)
    except (SyntaxError, LookupError):
        return
    linecache.cache[path] = (len(source), None, lines, path)


def is_async(code):
    return code.co_flags & COROUTINE


def run(code, scope):
    """Returns the last expression's value, or NOTHING."""
    if is_async(code):
        wait_for(eval(code, scope))
    else:
        exec(code, scope)
    return scope.pop(LAST, NOTHING)


def wait_for(coroutine):
    from asyncio import run as asyncio_run
    return asyncio_run(coroutine)


def call_main(scope):
    """Mode main: what main() gives is the value."""
    main = scope.get("main")
    if not callable(main):
        raise NameError("mode main: the program defines no function main")
    value = main()
    return wait_for(value) if type(value).__name__ == "coroutine" else value
