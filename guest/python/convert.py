"""guest/python/convert.py -- how each class is said in JSON.

A row is the full name of a class and how an instance of it, or of a class
derived from it, is written; docs/values.md has the same list for people. Rows
take the writer (codec.py) and the value.

SPDX-License-Identifier: MIT
"""
import builtins

import errors

__builtins__ = dict(vars(builtins))

REGEXP_FLAGS = (("i", 2), ("m", 8), ("s", 16))    # re.I, re.M, re.S
KINDS = {                                         # in place of the class's name
    "builtin_function_or_method": "function", "method": "function",
    "method-wrapper": "function", "wrapper_descriptor": "function",
    "method_descriptor": "function", "type": "class", "ABCMeta": "class",
}
ADVICE = {
    "coroutine": "; await it first", "generator": "; make a list of it first",
    "async_generator": "; make a list of it first", "Task": "; await it first",
    "map": "; make a list of it first", "zip": "; make a list of it first",
    "filter": "; make a list of it first",
    "complex": "; hand out .real and .imag",
}


def refuse(writer, value):
    cls = type(value)
    name = "class" if isinstance(value, type) else KINDS.get(cls.__name__, cls.__name__)
    article = "an" if name[:1] in "aeiou" else "a"
    writer.refuse("is %s %s and cannot leave the sandbox%s" % (article, name, ADVICE.get(name, "")),
                  foreign=cls.__module__ not in ("builtins", "functools"))


def text(writer, value):
    writer.write(str(value))


def list_of(writer, value):
    writer.elements(value, list(value))


def set_of(writer, value):
    items = list(value)
    try:
        items.sort()            # the order of a set differs from run to run
    except Exception:
        pass
    writer.elements(value, items, "$set")


def attributes(writer, value):
    writer.mapping(value, list(vars(value).items()))


def dataclass(writer, value):
    writer.members(value, [(name, getattr(value, name)) for name in value.__dataclass_fields__
                           if hasattr(value, name)])


def moment(writer, value):
    """A time without a zone counts as UTC, which is the zone of the sandbox."""
    if value != value:
        return writer.write(None)    # pandas' NaT
    if value.utcoffset() is not None:
        value = (value - value.utcoffset()).replace(tzinfo=None)
    digits = "milliseconds" if value.microsecond % 1000 == 0 else "microseconds"
    writer.tag("date", value.isoformat(timespec=digits)[:26] + "Z")


def pattern(writer, value):
    if not isinstance(value.pattern, str):
        return refuse(writer, value)
    flags = "".join(letter for letter, bit in REGEXP_FLAGS if value.flags & bit)
    if writer.plain:
        return writer.write("/%s/%s" % (value.pattern, flags))
    writer.put('{"$regexp":')
    writer.members(value, [("source", value.pattern), ("flags", flags)])
    writer.frames[-1].close += "}"


def error(writer, value):
    pairs = [("name", type(value).__name__), ("message", str(value))]
    if writer.plain:
        return writer.members(value, pairs)
    pairs.append(("stack", errors.formatted(value)))
    if value.__cause__ is not None:
        pairs.append(("cause", value.__cause__))
    if isinstance(getattr(value, "exceptions", None), tuple):
        pairs.append(("errors", value.exceptions))
    writer.put('{"$error":')
    writer.members(value, pairs)
    writer.frames[-1].close += "}"


# ---- numpy and pandas --------------------------------------------------------

def number(writer, value):
    plain = value.item()
    if type(plain) is type(value):
        return refuse(writer, value)    # longdouble gives itself
    writer.write(plain)


def array(writer, value):
    writer.expect(value.size * 2)
    listed = value.tolist()
    if isinstance(listed, list):
        writer.elements(value, listed)
    else:
        writer.write(listed)


def has_labels(value):
    index = value.index
    return type(index).__name__ != "RangeIndex" or index.name is not None


def series(writer, value):
    """A list; with an index of its own, what the labels stand for."""
    writer.expect(len(value) * 2)
    if has_labels(value) and value.index.is_unique:
        writer.mapping(value, list(zip(value.index.tolist(), value.tolist())))
    else:
        writer.elements(value, value.tolist())


def frame(writer, value):
    """A list of records; labels of the rows come first, as columns."""
    writer.expect(value.size * 4)
    if has_labels(value):
        try:
            value = value.reset_index()
        except ValueError:
            pass    # a column of that name is there: it is the more telling one
    names = [name if isinstance(name, str) else str(name) for name in value.columns.tolist()]
    columns = [value.iloc[:, at].tolist() for at in range(len(names))]
    writer.elements(value, [dict(zip(names, row)) for row in zip(*columns)])


WRITERS = {
    "builtins.str": lambda writer, value: writer.write(str.__str__(value)),
    "builtins.int": lambda writer, value: writer.write(int(value)),
    "builtins.float": lambda writer, value: writer.write(float(value)),
    "builtins.list": lambda writer, value: writer.elements(
        value, value if type(value) is list else list.__getitem__(value, slice(None))),
    "builtins.tuple": lambda writer, value: writer.elements(value, list(tuple.__iter__(value))),
    "builtins.dict": lambda writer, value: writer.mapping(value, list(dict.items(value))),
    "builtins.set": set_of,
    "builtins.frozenset": set_of,
    "builtins.bytes": lambda writer, value: writer.bytes(value),
    "builtins.bytearray": lambda writer, value: writer.bytes(value),
    "builtins.memoryview": lambda writer, value: writer.bytes(value.tobytes()),
    "builtins.range": list_of,
    "builtins.dict_keys": list_of,
    "builtins.dict_values": list_of,
    "builtins.dict_items": list_of,
    "builtins.mappingproxy": lambda writer, value: writer.mapping(value, list(value.items())),
    "builtins.BaseException": error,
    "array.array": list_of,
    "collections.deque": list_of,
    "collections.UserDict": lambda writer, value: writer.mapping(value, list(value.data.items())),
    "collections.UserList": lambda writer, value: writer.elements(value, list(value.data)),
    "collections.ChainMap": lambda writer, value: writer.mapping(value, list(value.items())),
    "types.SimpleNamespace": attributes,
    "argparse.Namespace": attributes,
    "enum.Enum": lambda writer, value: writer.write(value.value),
    "datetime.datetime": moment,
    "datetime.date": lambda writer, value: writer.write(value.isoformat()),
    "datetime.time": lambda writer, value: writer.write(value.isoformat()),
    "datetime.timedelta": lambda writer, value: writer.write(
        value.total_seconds() if value == value else None),
    "decimal.Decimal": text,
    "fractions.Fraction": text,
    "uuid.UUID": text,
    "ipaddress._BaseAddress": text,
    "ipaddress._BaseNetwork": text,
    "pathlib.PurePath": text,
    "pathlib._local.PurePath": text,
    "zoneinfo.ZoneInfo": text,
    "re.Pattern": pattern,
    "numpy.ndarray": array,
    "numpy.generic": number,
    "pandas.core.frame.DataFrame": frame,
    "pandas.core.series.Series": series,
    "pandas.core.indexes.base.Index": lambda writer, value: writer.elements(value, value.tolist()),
    "pandas.core.arrays.base.ExtensionArray": list_of,
    "pandas._libs.tslibs.nattype.NaTType": lambda writer, value: writer.write(None),
    "pandas._libs.missing.NAType": lambda writer, value: writer.write(None),
    "pandas._libs.tslibs.period._Period": text,
    "pandas._libs.interval.Interval": text,
}
