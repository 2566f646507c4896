"""tests/conform/python/stdin.py -- input(), with nothing or something there.  SPDX-License-Identifier: MIT"""
import sys

try:
    print("hello", input("name? "))
    print(int(input()) + 1)
    for line in sys.stdin:
        print(repr(line))
except EOFError as error:
    print("end:", error)
print(repr(sys.stdin.read()), sys.stdin.encoding, sys.stdout.encoding, sys.stdin.fileno(), sys.stdin.isatty())
print("to stderr", file=sys.stderr)
sys.stdout.write("no newline at the end: ünï")
sys.stdout.flush()
sys.stdout.buffer.write(b" \xe2\x82\xac")
