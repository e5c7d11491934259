"""The values of the recorded traces, and the little language of functions on them.

The traces speak of numbers, strings, booleans, null, durations, options, eithers, tuples and chunks; here
these are Python's own values, `Length`, `Option`, ``Failure``, ``Success``, ``tuple`` and `Chunk`. Times are
in milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import floor, inf, isclose, isfinite, isnan, nan
from typing import Any

from returns.result import Failure, Result, Success

Json = Any
Value = Any
TOLERANCE = 1e-3  # ms: a delay of the originals is a difference of absolute times


@dataclass(frozen=True)
class Length:
    """A duration that is an output; a delay is a plain number."""

    ms: float


@dataclass(frozen=True)
class Option:
    """Some value, or none at all."""

    some: tuple[Value, ...] = ()


@dataclass(frozen=True)
class Chunk:
    items: tuple[Value, ...] = ()

    def append(self, item: Value) -> Chunk:
        return Chunk((*self.items, item))


def number(json: Json) -> float:
    """Answer a number of a trace: three of them are strings, as JSON has no words for them."""
    return {"Infinity": inf, "-Infinity": -inf, "NaN": nan}[json] if isinstance(json, str) else json


def value(json: Json) -> Value:
    """Answer the value that *json* stands for."""
    match json:
        case {"ms": ms}:
            return Length(number(ms))
        case {"tag": "None"}:
            return Option()
        case {"tag": "Some", "value": some}:
            return Option((value(some),))
        case {"tag": "Left", "value": left}:
            return Failure(value(left))
        case {"tag": "Right", "value": right}:
            return Success(value(right))
        case {"tuple": items}:
            return tuple(map(value, items))
        case {"chunk": items}:
            return Chunk(tuple(map(value, items)))
        case "Infinity" | "-Infinity" | "NaN":
            return number(json)
        case _:
            return json


def num(x: Value) -> float:
    """Answer the numeric view of any value."""
    match x:
        case bool() | int() | float():
            return float(x)
        case str():
            return len(x)
        case Length(ms):
            return ms
        case Option(some):
            return num(some[0]) if some else 0
        case Success() | Failure():
            return num(merged(x))
        case Chunk(items):
            return len(items)
        case tuple():
            return num(x[0]) if x else 0
        case _:
            return 0


def merged(x: Result[Value, Value]) -> Value:
    return x.unwrap() if isinstance(x, Success) else x.failure()


def same(ours: Value, theirs: Value) -> bool:
    """Whether two values are equal, numbers and durations within the tolerance."""
    match ours, theirs:
        case (bool(), _) | (_, bool()):
            return ours is theirs
        case int() | float(), int() | float():
            return isclose(ours, theirs, rel_tol=1e-12, abs_tol=TOLERANCE) or (isnan(ours) and isnan(theirs))
        case Length(a), Length(b):
            return same(a, b)
        case tuple(), tuple():
            return len(ours) == len(theirs) and all(map(same, ours, theirs))
        case (Chunk(a), Chunk(b)) | (Option(a), Option(b)):
            return same(a, b)
        case (Success(), Success()) | (Failure(), Failure()):
            return same(merged(ours), merged(theirs))
        case _:
            return type(ours) is type(theirs) and ours == theirs


Predicate = Callable[[Value], bool]


def predicate(json: Json) -> Predicate:
    match json:
        case {"pred": "not", "of": of}:
            inner = predicate(of)
            return lambda x: not inner(x)
        case {"pred": "always"}:
            return lambda x: True
        case {"pred": "never"}:
            return lambda x: False
        case _:
            holds, wanted, path = (
                COMPARISONS[json["pred"]],
                number(json.get("value", 0)),
                json.get("path", ()),
            )
            return lambda x: holds(num(at(path, x)), wanted)


COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "even": lambda a, _: isfinite(a) and a % 2 == 0,
    "odd": lambda a, _: isfinite(a) and abs(a) % 2 == 1,
}


def at(path: list[int], x: Value) -> Value:
    for index in path:
        if isinstance(x, tuple):
            x = x[index] if index < len(x) else None
    return x


def function(json: Json) -> Callable[[Value], Value]:
    match json:
        case {"fn": "identity"}:
            return lambda x: x
        case {"fn": "const", "value": v}:
            constant = value(v)
            return lambda x: constant
        case {"fn": "add", "value": v}:
            return lambda x: num(x) + v
        case {"fn": "mul", "value": v}:
            return lambda x: num(x) * v
        case {"fn": "num"}:
            return num
        case {"fn": "first"}:
            return lambda x: at([0], x)
        case {"fn": "second"}:
            return lambda x: at([1], x)
        case {"fn": "pair", "value": v}:
            other = value(v)
            return lambda x: (x, other)
    raise KeyError(json)


def pairing(json: Json) -> Callable[[Value, Value], Value]:
    return {
        "sum": lambda a, b: num(a) + num(b),
        "left": lambda a, b: a,
        "right": lambda a, b: b,
        "swap": lambda a, b: (b, a),
    }[json["fn2"]]


def folding(name: str) -> Callable[[Value, Value], Value]:
    return {
        "sum": lambda z, out: num(z) + num(out),
        "count": lambda z, out: num(z) + 1,
        "max": lambda z, out: max(num(z), num(out)),
        "last": lambda z, out: out,
    }[name]


def length(ms: float) -> float:
    """Answer the duration that the originals make of *ms*: none below 0, and whole nanoseconds."""
    if isnan(ms) or ms <= 0:
        return 0.0
    return ms if ms == inf or float(ms).is_integer() else floor(ms * 1e6 + 0.5) / 1e6


def delay_function(json: Json) -> Callable[[Value, float], float]:
    """Answer the function from an output and a delay to a new delay, in ms and not yet made a duration."""
    match json:
        case {"dfn": "const", "ms": ms}:
            return lambda out, delay: number(ms)
        case {"dfn": "add", "ms": ms}:
            return lambda out, delay: delay + number(ms)
        case {"dfn": "mul", "by": by}:
            return lambda out, delay: delay * by
        case {"dfn": "cap", "ms": ms}:
            return lambda out, delay: min(delay, number(ms))
        case {"dfn": "floor", "ms": ms}:
            return lambda out, delay: max(delay, number(ms))
        case {"dfn": "out_mul", "by": by}:
            return lambda out, delay: num(out) * by
        case {"dfn": "out_plus", "by": by}:
            return lambda out, delay: delay + num(out) * by
    raise KeyError(json)


def checking(json: Json) -> Callable[[Value, Value], bool]:
    """Answer the test of an input and an output in which every named part must hold."""
    parts: list[Callable[[Value, Value], bool]] = []
    if "input" in json:
        of_input = predicate(json["input"])
        parts.append(lambda i, o: of_input(i))
    if "output" in json:
        of_output = predicate(json["output"])
        parts.append(lambda i, o: of_output(o))
    if "cmp" in json:
        less = json["cmp"] == "input_lt_output"
        parts.append(lambda i, o: (num(i) < num(o)) is less)
    return lambda i, o: all(part(i, o) for part in parts)
