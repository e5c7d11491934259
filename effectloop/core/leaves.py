"""The schedules that everything else is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import floor, inf, log
from typing import Final, TypeVar, final, overload

from returns.result import Result
from typing_extensions import override

from effectloop.core.duration import MAX_DELAY, Duration, saturated, seconds
from effectloop.core.gate import count, finite, function
from effectloop.core.identities import _Forever, _Stop
from effectloop.core.node import STATE, VARIADIC, A, B, Decision, Node, Out, Tick
from effectloop.core.schedule import Schedule, node_of
from effectloop.core.sides import _Branches, _Counted, _OnResult, _Route

E = TypeVar("E")
J = TypeVar("J")
K = TypeVar("K")
S = TypeVar("S")

TOLERANCE: Final = (
    1e-6  # seconds: times closer than that are one instant, so float noise never doubles a start
)
_EXPONENT: Final = 709.0  # exp of that is still a float


# --- going on, and stopping


def forever() -> Schedule[object, int]:
    return Schedule(_Forever())


def stop() -> Schedule[object, None]:
    return Schedule(_Stop())


_NOTHING: Final = stop()


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Recurs(Node[object, int]):
    n: int

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, int]:
        recurrence = tick.recurrence
        return 0.0 if recurrence < self.n else None, recurrence, self


def recurs(n: int) -> Schedule[object, int]:
    return Schedule(_Recurs(count(n, "recurs: n")))


def once() -> Schedule[object, int]:
    return recurs(1)


# --- regular times


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Spaced(Node[object, int]):
    gap: float

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, int]:
        return self.gap, tick.recurrence, self


def spaced(gap: Duration) -> Schedule[object, int]:
    return Schedule(_Spaced(seconds(gap, "spaced: gap")))


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Fixed(Node[object, int]):
    interval: float
    slot: int = field(default=0, kw_only=True, metadata=STATE)  # the planned start, in intervals

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, int]:
        interval, now = self.interval, tick.elapsed
        if interval <= TOLERANCE:  # every instant is on such a grid
            return 0.0, tick.recurrence, self
        planned = self.slot * interval
        if now < planned - TOLERANCE:
            return saturated(planned - now), tick.recurrence, self
        delay, slot = (self.slot + 1) * interval - now, self.slot + 1
        if delay <= 0:
            delay, slot = 0.0, max(slot, floor((now + TOLERANCE) / interval))
        return delay, tick.recurrence, _Fixed(interval, slot=slot)


def fixed(interval: Duration) -> Schedule[object, int]:
    return Schedule(_Fixed(seconds(interval, "fixed: interval")))


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Windowed(Node[object, int]):
    interval: float

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, int]:
        interval = self.interval
        if interval <= TOLERANCE:
            return 0.0, tick.recurrence, self
        delay = interval - tick.elapsed % interval
        return delay if delay >= TOLERANCE else delay + interval, tick.recurrence, self


def windowed(interval: Duration) -> Schedule[object, int]:
    return Schedule(_Windowed(seconds(interval, "windowed: interval")))


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


def linear(base: Duration) -> Schedule[object, float]:
    return Schedule(_Linear(seconds(base, "linear: base")))


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


def exponential(base: Duration, factor: float = 2.0) -> Schedule[object, float]:
    return Schedule(_Exponential(seconds(base, "exponential: base"), finite(factor, "exponential: factor")))


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


def fibonacci(one: Duration) -> Schedule[object, float]:
    return Schedule(_Fibonacci(seconds(one, "fibonacci: one")))


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


def from_delays(*delays: Duration) -> Schedule[object, float]:
    if not delays:
        msg = "from_delays: delays must be at least one duration, got none"
        raise TypeError(msg)
    return Schedule(_FromDelays(tuple(seconds(delay, "from_delays: delays") for delay in delays)))


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


def decorrelated(base: Duration, limit: Duration) -> Schedule[object, float]:
    least, most = seconds(base, "decorrelated: base"), seconds(limit, "decorrelated: limit")
    if least > most:
        msg = f"decorrelated: limit must be a duration of at least base, {base!r}, got {limit!r}"
        raise ValueError(msg)
    return Schedule(_Decorrelated(least, most))


# --- the time of the run


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Elapsed(Node[object, float]):
    @override
    def decide(self, tick: Tick[object]) -> Decision[object, float]:
        return 0.0, tick.elapsed, self


def elapsed() -> Schedule[object, float]:
    return Schedule(_Elapsed())


@final
@dataclass(frozen=True, slots=True, repr=False)
class _During(Node[object, float]):
    limit: float

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, float]:
        return 0.0 if tick.elapsed < self.limit else None, tick.elapsed, self


def during(limit: Duration) -> Schedule[object, float]:
    return Schedule(_During(seconds(limit, "during: limit")))


# --- the input


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Identity(Node[A, A]):
    @override
    def decide(self, tick: Tick[A]) -> Decision[A, A]:
        return 0.0, tick.input, self


def identity() -> Schedule[J, J]:
    return Schedule(_Identity())


@final
@dataclass(frozen=True, slots=True, repr=False)
class _RecurWhile(Node[A, A]):
    p: Callable[[A], bool]

    @override
    def decide(self, tick: Tick[A]) -> Decision[A, A]:
        return 0.0 if self.p(tick.input) else None, tick.input, self


def recur_while(p: Callable[[J], bool]) -> Schedule[J, J]:
    return Schedule(_RecurWhile(function(p, "recur_while: p")))


@final
@dataclass(frozen=True, slots=True, repr=False)
class _RecurUntil(Node[A, A]):
    p: Callable[[A], bool]

    @override
    def decide(self, tick: Tick[A]) -> Decision[A, A]:
        return None if self.p(tick.input) else 0.0, tick.input, self


def recur_until(p: Callable[[J], bool]) -> Schedule[J, J]:
    return Schedule(_RecurUntil(function(p, "recur_until: p")))


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


def unfold(initial: S, f: Callable[[S], S]) -> Schedule[object, S]:
    return Schedule(_Unfold(initial, function(f, "unfold: f")))


# --- sides by input


def on_result(success: Schedule[A, J], failure: Schedule[E, K]) -> Schedule[Result[A, E], J | K]:
    left = node_of(success, "on_result: success")
    right = node_of(failure, "on_result: failure")
    return Schedule(_OnResult(_Counted(left), _Counted(right)))


@overload
def route(classify: Callable[[J], K], branches: Mapping[K, Schedule[J, A]]) -> Schedule[J, A | None]: ...
@overload
def route(
    classify: Callable[[J], K], branches: Mapping[K, Schedule[J, A]], otherwise: Schedule[J, B]
) -> Schedule[J, A | B]: ...
def route(
    classify: Callable[[J], K],
    branches: Mapping[K, Schedule[J, A]],
    otherwise: Schedule[J, B] | Schedule[J, None] = _NOTHING,
) -> Schedule[J, A | B | None]:
    given: object = branches
    if not isinstance(given, Mapping):
        msg = f"route: branches must be a mapping from kinds to schedules, got {branches!r}"
        raise TypeError(msg)
    sides = _Branches(
        (key, _Counted(node_of(side, f"route: branches[{key!r}]"))) for key, side in branches.items()
    )
    rest = _Counted(node_of(otherwise, "route: otherwise"))
    return Schedule(_Route(function(classify, "route: classify"), sides, rest))
