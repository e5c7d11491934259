"""Durations: what a caller may write, and the one gate that turns it into seconds.

Everything inside effectloop is a float number of seconds, finite and at least 0.
Nothing else in the package looks at a `timedelta` or checks a number of seconds.
"""

from __future__ import annotations

from datetime import timedelta
from math import inf
from typing import Final, TypeAlias

Duration: TypeAlias = float | timedelta
"""A length of time: a number of seconds, or a `timedelta`."""

MAX_DELAY: Final = 1e9
"""The longest delay there is, in seconds (31 years): arithmetic saturates here."""


def seconds(value: Duration, of: str) -> float:
    """Answer *value* in seconds, or refuse it.

    Args:
        value: A number of seconds or a timedelta, from 0 to `MAX_DELAY`; a bool is refused.
        of: Who asks and for what, for the message: ``"exponential: base"``.
    Raises:
        TypeError: *value* is neither a number nor a timedelta.
        ValueError: *value* is negative, NaN, or above `MAX_DELAY`.
    Example:
        >>> seconds(timedelta(minutes=1), "spaced: gap")
        60.0
        >>> seconds(-1, "exponential: base")
        Traceback (most recent call last):
        ValueError: exponential: base must be a duration of at least 0 s, got -1
    """
    number = _number(value, f"{of} must be")
    if number > MAX_DELAY:
        msg = f"{of} must be a duration of at most {MAX_DELAY:.0f} s (31 years), got {value!r}"
        raise ValueError(msg)
    return float(number) + 0.0  # -0.0 is 0.0


def positive(value: Duration, of: str) -> float:
    """Answer *value* in seconds, or refuse it; 0 is refused too."""
    number = seconds(value, of)
    if not number:
        msg = f"{of} must be a duration above 0 s, got {value!r}"
        raise ValueError(msg)
    return number


def answered(value: Duration, of: str) -> float:
    """Answer in seconds the delay that a user's function gave, or refuse it.

    Args:
        value: A number of seconds or a timedelta; above `MAX_DELAY` it saturates, infinite it is refused.
        of: Whose function it is: ``"modify_delay: f"``.
    Raises:
        TypeError: *value* is neither a number nor a timedelta.
        ValueError: *value* is negative, NaN, or infinite.
    Example:
        >>> answered(1e12, "modify_delay: f")
        1000000000.0
        >>> answered(-1, "modify_delay: f")
        Traceback (most recent call last):
        ValueError: modify_delay: f must answer a duration of at least 0 s, got -1
    """
    number = _number(value, f"{of} must answer")
    if number == inf:
        msg = f"{of} must answer a finite duration, got {value!r}"
        raise ValueError(msg)
    return float(saturated(number)) + 0.0


def _number(value: Duration, wish: str) -> float:
    given: object = value  # the annotation is a promise, not a fact
    if isinstance(given, timedelta):
        number = given.total_seconds()
    elif isinstance(given, int | float) and not isinstance(given, bool):
        number = given
    else:
        msg = f"{wish} a duration (seconds or a timedelta), got {value!r}"
        raise TypeError(msg)
    if not number >= 0:  # so that NaN is refused too
        msg = f"{wish} a duration of at least 0 s, got {value!r}"
        raise ValueError(msg)
    return number


def saturated(delay: float) -> float:
    """Answer *delay*, or `MAX_DELAY` where it is longer."""
    return delay if delay < MAX_DELAY else MAX_DELAY
