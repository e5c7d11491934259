"""The checks of parameters that are no durations; a bad one is refused when a schedule is built."""

from __future__ import annotations

from inspect import iscoroutinefunction
from sys import float_info
from typing import TypeVar

F = TypeVar("F")


def count(value: int, of: str) -> int:
    """Answer *value*, a whole number of at least 0, or refuse it; a bool or a float is no count."""
    given: object = value
    if not isinstance(given, int) or isinstance(given, bool):
        msg = f"{of} must be a whole number of at least 0, got {value!r}"
        raise TypeError(msg)
    if given < 0:
        msg = f"{of} must be a whole number of at least 0, got {value!r}"
        raise ValueError(msg)
    return given


def fraction(value: float, of: str) -> float:
    """Answer *value*, a number from 0 to 1, or refuse it."""
    if not 0 <= _number(value, of, "a number from 0 to 1") <= 1:
        msg = f"{of} must be a number from 0 to 1, got {value!r}"
        raise ValueError(msg)
    return float(value) + 0.0  # -0.0 is 0.0


def finite(value: float, of: str) -> float:
    """Answer *value*, a finite number of at least 0, or refuse it."""
    if not 0 <= _number(value, of, "a finite number of at least 0") <= float_info.max:
        msg = f"{of} must be a finite number of at least 0, got {value!r}"
        raise ValueError(msg)
    return float(value) + 0.0


def unit(value: float, of: str) -> float:
    """Answer *value*, a number in [0, 1) as a draw is, or refuse it."""
    if not 0 <= _number(value, of, "a number in [0, 1)") < 1:
        msg = f"{of} must be a number in [0, 1), got {value!r}"
        raise ValueError(msg)
    return float(value) + 0.0


def function(value: F, of: str) -> F:
    """Answer *value*, a plain function, or refuse it: a coroutine function would never be awaited."""
    if not callable(value):
        msg = f"{of} must be a function, got {value!r}"
        raise TypeError(msg)
    if iscoroutinefunction(value):
        msg = f"{of} must be a plain function, not a coroutine function, got {value!r}"
        raise TypeError(msg)
    return value


def _number(value: float, of: str, what: str) -> float:
    given: object = value
    if not isinstance(given, int | float) or isinstance(given, bool):
        msg = f"{of} must be {what}, got {value!r}"
        raise TypeError(msg)
    return given
