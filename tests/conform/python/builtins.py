"""tests/conform/python/builtins.py -- the language itself.  SPDX-License-Identifier: MIT"""
import functools
import itertools
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import asdict, dataclass, field
from enum import Enum, Flag

print(sorted({3, 1, 2}), divmod(-7, 3), round(2.5), 10 ** 30, 0.1 + 0.2)
print([x * y for x in range(3) for y in range(3) if x != y])
print({k: v for k, v in zip("abc", itertools.count(1))})
print("%05.2f|%-6s|%+d" % (3.14159, "ab", 7), f"{255:#x} {1234567:,} {'x':^5}|")
first, *rest = range(5)
print(first, rest, (lambda *a, **k: (a, k))(1, b=2))
print(Counter("abracadabra").most_common(2), deque(range(9), maxlen=3))

Point = namedtuple("Point", "x y")
print(Point(1, 2), Point(1, 2)._replace(x=5))


@dataclass(order=True)
class Item:
    name: str
    price: float = 1.5
    tags: list = field(default_factory=list)


class Colour(Enum):
    RED = 1
    BLUE = 2


class Access(Flag):
    READ = 1
    WRITE = 2


print(asdict(Item("a")), Item("a") < Item("b"), Colour(2), Colour.RED.name, Access.READ in Access(3))


class Base:
    def __init_subclass__(cls, **kwargs):
        print("subclass", cls.__name__, kwargs)

    def __getattr__(self, name):
        return "no " + name


class Child(Base, flavour="x"):
    __slots__ = ("a",)


print(Child().missing, Child.__mro__[1].__name__)


@functools.lru_cache(None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(80), functools.reduce(lambda a, b: a * b, range(1, 11)))


def counting():
    got = yield "first"
    while got:
        got = yield got * 2
    return "done"


gen = counting()
print(next(gen), gen.send(4))
try:
    gen.send(0)
except StopIteration as stop:
    print(stop.value)

groups = defaultdict(list)
for word in "the quick brown fox jumps over the lazy dog".split():
    groups[len(word)].append(word)
print(OrderedDict(sorted(groups.items())))
print(list(itertools.accumulate(range(6))), list(itertools.groupby("aab"))[0][0])
try:
    raise ValueError("inner") from KeyError("outer")
except ValueError as error:
    print(repr(error), repr(error.__cause__))
print(__name__, __file__.rsplit("/", 1)[-1], __spec__, __package__)
print(sorted(name for name in globals() if name.startswith("__")))
print(eval("1 + 1"), exec("q = 5"), q, compile("3", "", "eval").co_consts)    # noqa: F821
print(isinstance(True, int), type(None), ..., memoryview(b"abc")[1], bytes(3), "ß".upper())
match = {"a": 1} | {"b": 2} if hasattr(dict, "__or__") else None
print(match, (n := 10) + n)
