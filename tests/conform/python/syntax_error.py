# tests/conform/python/syntax_error.py -- nothing of it runs.  SPDX-License-Identifier: MIT
print("never")
def broken(:
    pass
