"""tools/engine/leb.py -- unsigned LEB128, the integers of wasm files.

SPDX-License-Identifier: MIT
"""


def uleb(data, at):
    """The number at data[at], and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if not byte & 128:
            return value, at


def to_uleb(value):
    out = bytearray()
    while True:
        byte = value & 127
        value >>= 7
        out.append(byte | (128 if value else 0))
        if not value:
            return bytes(out)
