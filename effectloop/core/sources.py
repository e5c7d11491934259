"""Nodes that ask no other schedule: the leaves of every tree.

Most of them are functions of the tick; only `_Fixed`, `_Decorrelated` and `_Unfold` remember anything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import floor, inf, log
from typing import Final, final

from typing_extensions import override

from effectloop.core.duration import MAX_DELAY, saturated
from effectloop.core.node import STATE, VARIADIC, A, Decision, Node, Out, Tick

_TOLERANCE: Final = 1e-6  # seconds: what is closer is one instant, so that float noise never doubles a start
_EXPONENT: Final = 709.0  # exp(709) is still a float


# --- going on, and stopping


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Forever(Node[object, int]):
    @override
    def decide(self, tick: Tick[object]) -> Decision[object, int]:
        return 0.0, tick.recurrence, self


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Stop(Node[object, None]):
    @override
    def decide(self, tick: Tick[object]) -> Decision[object, None]:
        return None, None, self


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Recurs(Node[object, int]):
    n: int

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, int]:
        recurrence = tick.recurrence
        return 0.0 if recurrence < self.n else None, recurrence, self


# --- regular times


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Spaced(Node[object, int]):
    gap: float

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, int]:
        return self.gap, tick.recurrence, self


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Fixed(Node[object, int]):
    interval: float
    slot: int = field(default=0, kw_only=True, metadata=STATE)  # the planned start, in intervals

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, int]:
        interval, now = self.interval, tick.elapsed
        if interval <= _TOLERANCE:  # every instant is on such a grid
            return 0.0, tick.recurrence, self
        planned = self.slot * interval
        if now < planned - _TOLERANCE:
            return saturated(planned - now), tick.recurrence, self
        delay, slot = (self.slot + 1) * interval - now, self.slot + 1
        if delay <= 0:
            delay, slot = 0.0, max(slot, floor((now + _TOLERANCE) / interval))
        return saturated(delay), tick.recurrence, _Fixed(interval, slot=slot)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Windowed(Node[object, int]):
    interval: float

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, int]:
        interval = self.interval
        if interval <= _TOLERANCE:
            return 0.0, tick.recurrence, self
        delay = interval - tick.elapsed % interval
        if delay < _TOLERANCE:
            delay = saturated(delay + interval)
        return delay, tick.recurrence, self


# --- growing delays


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Linear(Node[object, float]):
    base: float

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, float]:
        delay = self.base * (tick.recurrence + 1)
        if delay > MAX_DELAY:
            delay = MAX_DELAY
        return delay, delay, self


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Exponential(Node[object, float]):
    base: float
    factor: float = 2.0
    last: float = field(init=False, repr=False, compare=False)  # the greatest power that is surely a float

    def __post_init__(self) -> None:
        last = max(1, floor(_EXPONENT / log(self.factor))) if self.factor > 1 else inf
        object.__setattr__(self, "last", last)

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, float]:
        recurrence = tick.recurrence
        delay = self.base * self.factor ** (recurrence if recurrence < self.last else self.last)
        if delay > MAX_DELAY:
            delay = MAX_DELAY
        return delay, delay, self


def _fibonacci_numbers() -> tuple[float, ...]:
    numbers = [1.0, 1.0]
    while (following := numbers[-2] + numbers[-1]) < inf:
        numbers.append(following)
    return tuple(numbers)


_FIBONACCI: Final = _fibonacci_numbers()  # all that a float can hold


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Fibonacci(Node[object, float]):
    one: float

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, float]:
        delay = saturated(self.one * _FIBONACCI[min(tick.recurrence, len(_FIBONACCI) - 1)])
        return delay, delay, self


@final
@dataclass(frozen=True, slots=True, repr=False)
class _FromDelays(Node[object, float]):
    delays: tuple[float, ...] = field(metadata=VARIADIC)

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, float]:
        if tick.recurrence >= len(self.delays):
            return None, 0.0, self
        delay = self.delays[tick.recurrence]
        return delay, delay, self


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Decorrelated(Node[object, float]):
    base: float
    limit: float
    previous: float | None = field(default=None, kw_only=True, metadata=STATE)  # None: base

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, float]:
        previous = self.base if self.previous is None else self.previous
        delay = min(self.limit, self.base + tick.draw * (3 * previous - self.base))
        return delay, delay, _Decorrelated(self.base, self.limit, previous=delay)


# --- the time of the run


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Elapsed(Node[object, float]):
    @override
    def decide(self, tick: Tick[object]) -> Decision[object, float]:
        return 0.0, tick.elapsed, self


@final
@dataclass(frozen=True, slots=True, repr=False)
class _During(Node[object, float]):
    limit: float

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, float]:
        return 0.0 if tick.elapsed < self.limit else None, tick.elapsed, self


# --- the input


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Identity(Node[A, A]):
    @override
    def decide(self, tick: Tick[A]) -> Decision[A, A]:
        return 0.0, tick.input, self


@final
@dataclass(frozen=True, slots=True, repr=False)
class _RecurWhile(Node[A, A]):
    p: Callable[[A], bool]

    @override
    def decide(self, tick: Tick[A]) -> Decision[A, A]:
        return 0.0 if self.p(tick.input) else None, tick.input, self


@final
@dataclass(frozen=True, slots=True, repr=False)
class _RecurUntil(Node[A, A]):
    p: Callable[[A], bool]

    @override
    def decide(self, tick: Tick[A]) -> Decision[A, A]:
        return None if self.p(tick.input) else 0.0, tick.input, self


# --- a state of one's own


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Unfold(Node[object, Out]):
    initial: Out
    f: Callable[[Out], Out]
    current: tuple[Out, ...] = field(default=(), kw_only=True, metadata=STATE)  # empty: initial

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, Out]:
        output = self.current[0] if self.current else self.initial
        return 0.0, output, _Unfold(self.initial, self.f, current=(self.f(output),))
