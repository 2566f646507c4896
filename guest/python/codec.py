"""guest/python/codec.py -- values out through the wall: value -> JSON text.

Same tags as guest/js/codec.js (docs/values.md): what JSON cannot say travels
as an object with one `$` key, and a dict that happens to look like that is
wrapped in {"$object": ...}. Plain mode trades tags for lossy conversions.

The text is gathered in pieces and counted on the way, so a value that would
become gigabytes is given up before it exists. The walk keeps its own stack
instead of recursing: its depth is a number we check, and a frame is also the
step of a path in messages and the ancestor for finding cycles.

Classes are known by their name, so nothing has to be imported to recognise it.

SPDX-License-Identifier: MIT
"""
import builtins
import sys
from binascii import b2a_base64
from json.encoder import encode_basestring as quote
from math import isfinite

import convert

__builtins__ = dict(vars(builtins))

MAX_DEPTH = 1000
SAFE = 2 ** 53 - 1          # largest integer that a double says exactly
BULK = 1024                 # elements that are written at once
SHOWN_STEPS = 20
NO_MORE = object()
unlimited_digits = getattr(sys, "set_int_max_str_digits", lambda digits: None)


class Refused(TypeError):
    """A value that cannot leave. `foreign`: an object of some library's class,
    as a statement may well leave behind without anybody wanting it."""
    foreign = False


class TooLarge(Exception):
    """args[0]: how large, at least."""


class Frame:
    """A container that is being written."""
    __slots__ = ("owner", "entries", "close", "kind", "key", "wrote")

    def __init__(self, owner, entries, close, kind):
        self.owner, self.entries, self.close, self.kind = owner, entries, close, kind
        self.key = None
        self.wrote = False


ELEMENTS, MEMBERS, PAIRS = "elements", "members", "pairs"


def int_text(value):
    if -SAFE <= value <= SAFE:
        return int.__repr__(value)
    return '{"$bigint":"%s"}' % int.__repr__(value)


def float_text(value):
    if isfinite(value) and value != 0:
        return float.__repr__(value)
    text = float.__repr__(value)
    return FLOATS.get(text, text)


FLOATS = {
    "-0.0": '{"$number":"-0"}', "nan": '{"$number":"NaN"}',
    "inf": '{"$number":"Infinity"}', "-inf": '{"$number":"-Infinity"}',
}
SCALARS = {
    str: quote, int: int_text, float: float_text,
    bool: lambda value: "true" if value else "false",
    type(None): lambda value: "null",
}
PLAIN_SCALARS = dict(SCALARS)
PLAIN_SCALARS[int] = lambda value: int_text(value) if -SAFE <= value <= SAFE else '"%d"' % value
PLAIN_SCALARS[float] = lambda value: \
    (float.__repr__(value) if value else "0") if isfinite(value) else "null"


def encode(value, plain, limit, root="value"):
    """`value` as JSON in UTF-8, of at most `limit` bytes."""
    unlimited_digits(0)
    return Writer(plain, limit, root).whole(value)


class Writer:
    def __init__(self, plain, limit, root):
        self.plain, self.limit, self.root = plain, limit, root
        self.scalars = PLAIN_SCALARS if plain else SCALARS
        self.parts, self.size = [], 0
        self.frames, self.open_ids = [], set()

    # ---- the walk -----------------------------------------------------------

    def whole(self, value):
        self.write(value)
        while self.frames:
            self.step(self.frames[-1])
        text = "".join(self.parts)
        try:
            data = text.encode()
        except UnicodeEncodeError:
            data = mend(text).encode()
        if len(data) > self.limit:
            raise TooLarge(len(data))
        return data

    def step(self, frame):
        entry = next(frame.entries, NO_MORE)
        if entry is NO_MORE:
            self.put(frame.close)
            self.frames.pop()
            self.open_ids.discard(id(frame.owner))
            return
        comma = "," if frame.wrote else ""
        frame.wrote = True
        if frame.kind is MEMBERS:
            frame.key, entry = entry
            self.put(comma + quote(frame.key) + ":")
        elif frame.kind is PAIRS:
            (first, frame.key), entry = entry
            self.put((comma + "[") if first else ",")
        else:
            frame.key = 0 if frame.key is None else frame.key + 1
            self.put(comma)
        self.write(entry)
        if frame.kind is PAIRS and not first:
            self.after(frame, "]")

    def after(self, frame, text):
        """`text` follows what was just written, which may still be open."""
        if self.frames[-1] is frame:
            self.put(text)
        else:
            self.frames[-1].close += text

    def put(self, text):
        self.parts.append(text)
        self.size += len(text)
        if self.size > self.limit:
            raise TooLarge(self.size)

    def expect(self, size):
        """Give up before the text of at least `size` bytes is made."""
        if self.size + size > self.limit:
            raise TooLarge(self.size + size)

    def write(self, value):
        scalar = self.scalars.get(type(value))
        if scalar is None:
            return writer_of(type(value))(self, value)
        if scalar is quote:
            self.expect(len(value))
        elif type(value) is int:
            self.expect(value.bit_length() * 3 // 10)
        self.put(scalar(value))

    # ---- containers ---------------------------------------------------------

    def enter(self, owner, entries, opening, close, kind):
        if id(owner) in self.open_ids:
            self.refuse("is a cycle and cannot leave the sandbox")
        if len(self.frames) >= MAX_DEPTH:
            self.refuse("is nested deeper than %d levels and cannot leave the sandbox" % MAX_DEPTH)
        self.put(opening)
        self.frames.append(Frame(owner, iter(entries), close, kind))
        self.open_ids.add(id(owner))

    def elements(self, owner, items, tag=""):
        tag = "" if self.plain else tag
        opening, close = ('{"%s":[' % tag, "]}") if tag else ("[", "]")
        if type(items) is list and len(items) > 8 and self.bulk(items, opening, close):
            return
        self.enter(owner, items, opening, close, ELEMENTS)

    def bulk(self, items, opening, close):
        """Lists of nothing but scalars are most of what is large."""
        if not self.scalars.keys() >= set(map(type, items)):
            return False
        self.put(opening)
        for at in range(0, len(items), BULK):
            some = items[at:at + BULK]
            self.expect(sum(len(item) for item in some if type(item) is str))
            text = ",".join([self.scalars[type(item)](item) for item in some])
            self.put("," + text if at else text)
        self.put(close)
        return True

    def members(self, owner, pairs):
        """An object; `pairs` is a list whose keys are strings."""
        tagged = not self.plain and len(pairs) == 1 and pairs[0][0][:1] == "$"
        self.enter(owner, pairs, *('{"$object":{', "}}") if tagged else ("{", "}"), MEMBERS)

    def mapping(self, owner, pairs):
        if all(isinstance(key, str) for key, _ in pairs):
            return self.members(owner, pairs)
        flat = []
        for key, item in pairs:
            flat += [((True, key), key), ((False, key), item)]
        self.enter(owner, flat, *("[", "]") if self.plain else ('{"$map":[', "]}"), PAIRS)

    def tag(self, name, text):
        """Text that stands for something else."""
        self.put(quote(text) if self.plain else '{"$%s":%s}' % (name, quote(text)))

    def bytes(self, value):
        self.expect(len(value) * 4 // 3)
        self.tag("bytes", b2a_base64(value, newline=False).decode())

    # ---- refusals -----------------------------------------------------------

    def path(self):
        where = self.root
        for frame in self.frames[:SHOWN_STEPS]:
            key = frame.key
            if isinstance(key, str) and key.isidentifier():
                where += "." + key
            elif isinstance(key, str):
                where += "[" + quote(key) + "]"
            else:
                where += "[%.40r]" % (key,)
        return where + ("…" if len(self.frames) > SHOWN_STEPS else "")

    def refuse(self, why, foreign=False):
        refusal = Refused(self.path() + " " + why)
        refusal.foreign = foreign
        raise refusal


def mend(text):
    """Halves of pairs are put together; one that is alone becomes U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


# ---- which class is written how ----------------------------------------------

_known = {}


def writer_of(cls):
    writer = _known.get(cls)
    if writer is None:
        writer = _known[cls] = find_writer(cls)
    return writer


def find_writer(cls):
    for base in type.__dict__["__mro__"].__get__(cls):
        writer = convert.WRITERS.get("%s.%s" % (base.__module__, base.__qualname__))
        if writer is not None:
            return writer
    return convert.dataclass if hasattr(cls, "__dataclass_fields__") else convert.refuse
