"""tests/conform/python/traceback_chain.py -- uncaught, chained.  SPDX-License-Identifier: MIT"""
import os
import sys
import traceback


class Special(Exception):
    pass


def deep(n):
    if n == 0:
        return {}["missing"]
    return deep(n - 1)


def handled():
    try:
        deep(5)
    except KeyError:
        print(traceback.format_exc().replace(os.path.dirname(os.path.abspath(__file__)), "HERE"))
        print(traceback.format_exc().count("deep"))
        raise Special("while handling")


try:
    handled()
except Special as error:
    print(error, type(error.__context__).__name__)
try:
    eval("1 +")
except SyntaxError as error:
    print(error.msg, error.lineno, error.offset)
try:
    exec(compile("def f():\n  return g()\nf()", "<made>", "exec"))
except NameError:
    print(traceback.format_exc().splitlines()[-1])


def endless():
    return endless()


try:
    endless()
except RecursionError as error:
    print(error)
sys.stdout.flush()
handled()
