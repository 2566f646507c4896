"""guest/python/decode.py -- values in through the wall: tagged JSON -> value.

The reverse of codec.py. The JSON was made outside, so a tag that is unknown or
malformed is refused by name rather than passed on as data.

SPDX-License-Identifier: MIT
"""
import builtins
from binascii import Error as BadBase64, a2b_base64

__builtins__ = dict(vars(builtins))

NUMBERS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf"), "-0": -0.0}
FLAGS = {"i": 2, "m": 8, "s": 16}          # re.I, re.M, re.S; the rest means nothing here
ARRAYS = {
    "Int8Array": "b", "Uint8Array": "B", "Uint8ClampedArray": "B", "Int16Array": "h",
    "Uint16Array": "H", "Int32Array": "i", "Uint32Array": "I", "Float32Array": "f",
    "Float64Array": "d", "BigInt64Array": "q", "BigUint64Array": "Q",
}


def decode(value):
    """The value that parsed JSON stands for."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        (tag, body), = value.items()
        if tag[:1] == "$":
            return untag(tag, body)
    return members(value)


def members(value):
    return {key: decode(item) for key, item in value.items()}


def untag(tag, body):
    if tag not in READERS:
        raise TypeError('unknown tag "%s" in input' % tag)
    kind, reader = READERS[tag]
    if not isinstance(body, kind):
        raise TypeError("malformed %s in input" % tag)
    try:
        return reader(body)
    except (ValueError, KeyError, BadBase64):
        raise TypeError("malformed %s in input" % tag) from None


def read_date(body):
    from datetime import datetime, timezone
    if body is None:
        return None
    text = body[:-1] + "+00:00" if body.endswith("Z") else body
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)


def read_bytes(body):
    return a2b_base64(body)


def read_typed(body):
    from array import array
    raw = read_bytes(body["bytes"])
    return raw if body["kind"] == "DataView" else array(ARRAYS[body["kind"]], raw)


def read_map(body):
    result = {}
    for pair in decode(body):
        key, item = pair
        result[as_key(key)] = item
    return result


def as_key(value):
    """Lists come back as what can be a key or a member of a set."""
    return tuple(as_key(item) for item in value) if isinstance(value, list) else value


def read_error(body):
    cls = getattr(builtins, body["name"], Exception)
    if not isinstance(cls, type) or not issubclass(cls, Exception):
        cls = Exception
    try:
        error = cls(body["message"])
    except TypeError:
        error = Exception(body["message"])    # UnicodeError and others want more
    for key, item in body.items():
        if key == "cause":
            error.__cause__ = as_error(decode(item))
        elif key != "message":
            setattr(error, key, decode(item))
    return error


def as_error(value):
    return value if isinstance(value, BaseException) else Exception(value)


def read_regexp(body):
    import re
    flags = 0
    for letter in body["flags"]:
        flags |= FLAGS.get(letter, 0)
    try:
        return re.compile(body["source"], flags)
    except re.error:
        raise ValueError from None


def read_undefined(body):
    if body is not True:
        raise ValueError
    return None


READERS = {
    "$undefined": (bool, read_undefined),
    "$number": (str, NUMBERS.__getitem__),
    "$bigint": (str, lambda body: int(body) if body.lstrip("-").isdigit() else int("")),
    "$date": ((str, type(None)), read_date),
    "$bytes": (str, read_bytes),
    "$typed": (dict, read_typed),
    "$map": (list, read_map),
    "$set": (list, lambda body: {as_key(item) for item in decode(body)}),
    "$error": (dict, read_error),
    "$regexp": (dict, read_regexp),
    "$object": (dict, members),
}
