#!/usr/bin/env python3
"""tools/engine/join_segments.py -- one data segment instead of several.

usage: join_segments.py IN.wasm OUT.wasm

A relocatable module places its second segment at `__memory_base + constant`,
an extended constant expression that wasm2c 1.0.32 refuses. The segments lie
one behind the other, so they are joined (with zeros between) into the first.

SPDX-License-Identifier: MIT
"""
import sys

from leb import to_uleb, uleb

DATA, DATA_COUNT = 11, 12
I32_CONST, GLOBAL_GET, I32_ADD, END = 0x41, 0x23, 0x6A, 0x0B


def offset_expression(body, at):
    """The bytes of an offset expression, the constant in it, and its end."""
    start, constant = at, 0
    while body[at] != END:
        op = body[at]
        if op in (I32_CONST, GLOBAL_GET):
            number, at = uleb(body, at + 1)
            constant = number if op == I32_CONST else constant
        elif op == I32_ADD:
            at += 1
        else:
            sys.exit("join_segments.py: unknown opcode %#x" % op)
    return body[start:at + 1], constant, at + 1


def join(body):
    count, at = uleb(body, 0)
    expression, data = None, b""
    for _ in range(count):
        kind, at = uleb(body, at)
        if kind != 0:
            sys.exit("join_segments.py: a passive segment cannot be joined")
        text, constant, at = offset_expression(body, at)
        length, at = uleb(body, at)
        if expression is None:
            expression = text
        elif constant < len(data):
            sys.exit("join_segments.py: segments overlap")
        else:
            data += bytes(constant - len(data))
        data += body[at:at + length]
        at += length
    return to_uleb(1) + b"\0" + expression + to_uleb(len(data)) + data


def main(source, target):
    module = open(source, "rb").read()
    out, at = bytearray(module[:8]), 8
    while at < len(module):
        section = module[at]
        size, start = uleb(module, at + 1)
        body = module[start:start + size]
        at = start + size
        if section == DATA:
            body = join(body)
        elif section == DATA_COUNT:
            body = to_uleb(1)
        out += bytes([section]) + to_uleb(len(body)) + body
    open(target, "wb").write(out)


main(*sys.argv[1:3])
