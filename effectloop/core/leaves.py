"""The schedules that everything else is made of: functions that build a schedule from plain values.

Every delay is in seconds, at least 0 and at most `MAX_DELAY`. A recurrence is a run after the first one, so
the first decision, when the first attempt has ended, has recurrence 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeVar, overload

from returns.result import Result

from effectloop.core import sources
from effectloop.core.duration import Duration, seconds
from effectloop.core.gate import count, finite, function
from effectloop.core.node import A, B
from effectloop.core.schedule import Schedule, node_of
from effectloop.core.sides import _Branches, _Counted, _OnResult, _Route

E = TypeVar("E")
J = TypeVar("J")
K = TypeVar("K")
S = TypeVar("S")
X = TypeVar("X")
Y = TypeVar("Y")


def forever() -> Schedule[object, int]:
    """Go on at once, without end.

    Outputs:
        The recurrence: 0, 1, 2, ...
    Laws:
        ``a & forever() ≈ a`` and ``a | forever() ≈ forever()``
    Source:
        ``forever`` of Effect; same. Alone it is a busy loop.
    Example:
        >>> from effectloop import delays, forever
        >>> delays(forever(), 3)
        [0.0, 0.0, 0.0]
    """
    return Schedule(sources._Forever())


def stop() -> Schedule[object, None]:
    """Be done at the first decision: no recurrence at all.

    Outputs:
        None.
    Laws:
        ``a | stop() ≈ a``, ``a & stop() ≈ stop()`` and ``a.and_then(stop()) ≈ a``
    Source:
        ``stop`` of Effect; same.
    Example:
        >>> from effectloop import delays, stop
        >>> delays(stop(), 3)
        []
    """
    return Schedule(sources._Stop())


_STOP: Final = stop()


def recurs(n: int) -> Schedule[object, int]:
    """Grant *n* recurrences after the first run, at once: *n* + 1 runs in all.

    Goes on while the recurrence is less than *n*, so that ``recurs(0)`` is done at its first decision.

    Args:
        n: The number of recurrences, at least 0.
    Outputs:
        The recurrence; at Done *n*.
    Raises:
        TypeError: *n* is not a whole number.
        ValueError: *n* is negative.
    Source:
        ``recurs`` of Effect; same.
    Example:
        >>> from effectloop import delays, exponential, recurs
        >>> delays(exponential(0.1) & recurs(3), 10)
        [0.1, 0.2, 0.4]
    """
    return Schedule(sources._Recurs(count(n, "recurs: n")))


def once() -> Schedule[object, int]:
    """Grant one recurrence, at once.

    Outputs:
        The recurrence: 0, at Done 1.
    Laws:
        ``once() == recurs(1)``
    Source:
        ``once`` of Effect, without its output of None.
    Example:
        >>> from effectloop import delays, once
        >>> delays(once(), 3)
        [0.0]
    """
    return recurs(1)


def spaced(gap: Duration) -> Schedule[object, int]:
    """Wait the same time between the end of a run and the start of the next, without end.

    Args:
        gap: The delay, in seconds or as a timedelta; at least 0.
    Outputs:
        The recurrence.
    Raises:
        TypeError: *gap* is no duration.
        ValueError: *gap* is negative, NaN, or above `MAX_DELAY`.
    Source:
        ``spaced`` of Effect; same.
    Example:
        >>> from effectloop import delays, spaced
        >>> delays(spaced(5), 3)
        [5.0, 5.0, 5.0]
    """
    return Schedule(sources._Spaced(seconds(gap, "spaced: gap")))


def fixed(interval: Duration) -> Schedule[object, int]:
    """Start a run at every multiple of *interval* from the start of the first, without end.

    Remembers the start it planned last. A decision more than 1 µs before that keeps it. Otherwise the next
    start is the next multiple, or at once when that is now or past: after an overrun one run starts at once,
    then the grid goes on, and nothing is made up for. Work of exactly one interval loses no slot. An interval
    of 1 µs or less means at once.

    Jitter that shortens the delay starts a slot twice; spread upward with ``jittered_between(1, 1.1)``.

    Args:
        interval: The time between two starts, in seconds or as a timedelta; at least 0.
    Outputs:
        The recurrence.
    Raises:
        TypeError: *interval* is no duration.
        ValueError: *interval* is negative, NaN, or above `MAX_DELAY`.
    Source:
        ``fixed`` of Effect, but counted from the start of the first run and not from its end.
    Example:
        >>> from effectloop import fixed, trace
        >>> [step.delay for step in trace(fixed(10), [None] * 5, work=[4, 4, 10, 25, 4])]
        [6.0, 6.0, 0.0, 0.0, 1.0]
    """
    return Schedule(sources._Fixed(seconds(interval, "fixed: interval")))


def windowed(interval: Duration) -> Schedule[object, int]:
    """Wait until the next multiple of *interval* from the start of the first run, without end.

    The delay is ``interval - elapsed % interval``: on a boundary, or less than 1 µs before one, a whole
    interval. An interval of 1 µs or less means at once.

    Jitter that shortens the delay starts a slot twice; spread upward with ``jittered_between(1, 1.1)``.

    Args:
        interval: The length of a window, in seconds or as a timedelta; at least 0.
    Outputs:
        The recurrence.
    Raises:
        TypeError: *interval* is no duration.
        ValueError: *interval* is negative, NaN, or above `MAX_DELAY`.
    Source:
        ``windowed`` of Effect, but counted from the start of the first run and not from its end.
    Example:
        >>> from effectloop import trace, windowed
        >>> [step.delay for step in trace(windowed(10), [None] * 4, work=[4, 10, 25, 4])]
        [6.0, 10.0, 5.0, 6.0]
    """
    return Schedule(sources._Windowed(seconds(interval, "windowed: interval")))


def linear(base: Duration) -> Schedule[object, float]:
    """Wait ``base * (recurrence + 1)``, without end.

    Args:
        base: The first delay and the growth, in seconds or as a timedelta; at least 0.
    Outputs:
        The delay, in seconds.
    Raises:
        TypeError: *base* is no duration.
        ValueError: *base* is negative, NaN, or above `MAX_DELAY`.
    Source:
        ``linear`` of Effect; same.
    Example:
        >>> from effectloop import delays, linear
        >>> delays(linear(2), 4)
        [2.0, 4.0, 6.0, 8.0]
    """
    return Schedule(sources._Linear(seconds(base, "linear: base")))


def exponential(base: Duration, factor: float = 2.0) -> Schedule[object, float]:
    """Wait ``base * factor**recurrence``, without end.

    Stays at `MAX_DELAY` once it is reached; no power is computed that a float cannot hold. A base of 0 stays
    0, a factor of 1 is constant, a factor below 1 shrinks towards 0.

    Args:
        base: The first delay, in seconds or as a timedelta; at least 0.
        factor: The growth, a finite number of at least 0.
    Outputs:
        The delay, in seconds.
    Raises:
        TypeError: *base* is no duration, or *factor* no number.
        ValueError: *base* is negative, NaN, or above `MAX_DELAY`; *factor* is negative, NaN, or infinite.
    Source:
        ``exponential`` of Effect; same.
    Example:
        >>> from effectloop import delays, exponential
        >>> delays(exponential(0.1), 5)
        [0.1, 0.2, 0.4, 0.8, 1.6]
        >>> delays(exponential(1, factor=1.5).capped(3), 5)
        [1.0, 1.5, 2.25, 3.0, 3.0]
    """
    start = seconds(base, "exponential: base")
    return Schedule(sources._Exponential(start, finite(factor, "exponential: factor")))


def fibonacci(one: Duration) -> Schedule[object, float]:
    """Wait *one* times 1, 1, 2, 3, 5, 8, ..., without end.

    Args:
        one: The first delay, in seconds or as a timedelta; at least 0.
    Outputs:
        The delay, in seconds.
    Raises:
        TypeError: *one* is no duration.
        ValueError: *one* is negative, NaN, or above `MAX_DELAY`.
    Source:
        ``fibonacci`` of Effect; same.
    Example:
        >>> from effectloop import delays, fibonacci
        >>> delays(fibonacci(1), 6)
        [1.0, 1.0, 2.0, 3.0, 5.0, 8.0]
    """
    return Schedule(sources._Fibonacci(seconds(one, "fibonacci: one")))


def from_delays(*delays: Duration) -> Schedule[object, float]:
    """Wait the given delays, one after the other, and then be done.

    Args:
        delays: At least one delay, in seconds or as a timedelta; each at least 0.
    Outputs:
        The delay, in seconds; at Done 0.0.
    Raises:
        TypeError: There is no delay, or one that is no duration.
        ValueError: A delay is negative, NaN, or above `MAX_DELAY`.
    Source:
        ``fromDelays`` of Effect; same.
    Example:
        >>> from effectloop import delays, from_delays
        >>> delays(from_delays(1, 5, 30), 10)
        [1.0, 5.0, 30.0]
    """
    if not delays:
        msg = "from_delays: delays must be at least one duration, got none"
        raise TypeError(msg)
    return Schedule(sources._FromDelays(tuple(seconds(delay, "from_delays: delays") for delay in delays)))


def decorrelated(base: Duration, limit: Duration) -> Schedule[object, float]:
    """Wait a random time between *base* and three times the delay before, at most *limit*; without end.

    The delay is ``min(limit, base + draw * (3 * previous - base))``, where *previous* is *base* at first.

    Args:
        base: The least delay, in seconds or as a timedelta; at least 0.
        limit: The greatest delay, in seconds or as a timedelta; at least *base*.
    Outputs:
        The delay, in seconds.
    Raises:
        TypeError: *base* or *limit* is no duration.
        ValueError: *base* or *limit* is negative, NaN, or above `MAX_DELAY`; *limit* is less than *base*.
    Source:
        Decorrelated jitter, AWS 2015; same. It can be said with no other schedule, since its delay depends on
        the one before.
    Example:
        >>> from effectloop import decorrelated, delays
        >>> delays(decorrelated(1, 10), 5)
        [2.0, 3.5, 5.75, 9.125, 10.0]
    """
    least, most = seconds(base, "decorrelated: base"), seconds(limit, "decorrelated: limit")
    if least > most:
        msg = f"decorrelated: limit must be a duration of at least base ({base!r}), got {limit!r}"
        raise ValueError(msg)
    return Schedule(sources._Decorrelated(least, most))


def elapsed() -> Schedule[object, float]:
    """Go on at once, without end, and tell how long the run has lasted.

    Outputs:
        Seconds from the start of the first run to this decision.
    Source:
        ``elapsed`` of Effect, but counted from the start of the first run and not from its end.
    Example:
        >>> from effectloop import elapsed, trace
        >>> [step.output for step in trace(elapsed(), [None] * 3, work=2)]
        [2.0, 4.0, 6.0]
    """
    return Schedule(sources._Elapsed())


def during(limit: Duration) -> Schedule[object, float]:
    """Go on at once while the run has lasted less than *limit*.

    Done when ``elapsed >= limit``. It bounds the start of the last wait and not its end: `Schedule.within`
    does.

    Args:
        limit: The time limit, in seconds or as a timedelta; at least 0.
    Outputs:
        Seconds from the start of the first run to this decision.
    Raises:
        TypeError: *limit* is no duration.
        ValueError: *limit* is negative, NaN, or above `MAX_DELAY`.
    Source:
        ``recurUpTo`` of Effect 3, ``during`` of Effect 4; but done at exactly *limit*, as in 3, and counted
        from the start of the first run and not from its end.
    Example:
        >>> from effectloop import delays, during, spaced
        >>> delays(spaced(2) & during(6), 10)
        [2.0, 2.0, 2.0]
    """
    return Schedule(sources._During(seconds(limit, "during: limit")))


def identity() -> Schedule[J, J]:
    """Go on at once, without end, and answer the input.

    Nothing here tells a type checker what the input is: annotate the variable.

    Outputs:
        The input.
    Source:
        ``identity`` of Effect; same.
    Example:
        >>> from effectloop import Schedule, identity, trace
        >>> echo: Schedule[str, str] = identity()
        >>> [step.output for step in trace(echo, ["a", "b"])]
        ['a', 'b']
    """
    return Schedule(sources._Identity())


def recur_while(p: Callable[[J], bool]) -> Schedule[J, J]:
    """Go on at once while *p* holds for the input.

    Args:
        p: What the input must satisfy.
    Outputs:
        The input, at Done too.
    Raises:
        TypeError: *p* is not a plain function.
    Source:
        ``recurWhile`` of Effect; same.
    Example:
        >>> from effectloop import recur_while, trace
        >>> def negative(n: int) -> bool:
        ...     return n < 0
        >>> [step.delay for step in trace(recur_while(negative), [-2, -1, 0])]
        [0.0, 0.0, None]
    """
    return Schedule(sources._RecurWhile(function(p, "recur_while: p")))


def recur_until(p: Callable[[J], bool]) -> Schedule[J, J]:
    """Go on at once until *p* holds for the input.

    Args:
        p: What ends the schedule.
    Outputs:
        The input, at Done too.
    Raises:
        TypeError: *p* is not a plain function.
    Source:
        ``recurUntil`` of Effect; same.
    Example:
        >>> from effectloop import recur_until, trace
        >>> def ready(status: str) -> bool:
        ...     return status == "ready"
        >>> [step.delay for step in trace(recur_until(ready), ["queued", "ready"])]
        [0.0, None]
    """
    return Schedule(sources._RecurUntil(function(p, "recur_until: p")))


def unfold(initial: S, f: Callable[[S], S]) -> Schedule[object, S]:
    """Go on at once, without end, along *initial*, ``f(initial)``, ``f(f(initial))``, ...

    Args:
        initial: The first output.
        f: Makes the next output of the one before; called once a decision.
    Outputs:
        The values, *initial* first.
    Raises:
        TypeError: *f* is not a plain function.
    Source:
        ``unfold`` of Effect; same.
    Example:
        >>> from effectloop import trace, unfold
        >>> [step.output for step in trace(unfold(1, lambda n: 3 * n), [None] * 4)]
        [1, 3, 9, 27]
    """
    return Schedule(sources._Unfold(initial, function(f, "unfold: f")))


def on_result(success: Schedule[A, X], failure: Schedule[E, Y]) -> Schedule[Result[A, E], X | Y]:
    """Let a Success decide by one schedule and a Failure by another.

    Each side counts its own ticks: its recurrence is the number of ticks it has decided, its elapsed time
    counts from its first one. A side that is done ends the whole.

    Args:
        success: Hears the value of every Success.
        failure: Hears the error of every Failure.
    Outputs:
        That of the side that decides.
    Raises:
        TypeError: *success* or *failure* is no schedule; at a step, the input is no Result.
    Source:
        Ours: Effect runs one schedule over successes (repeat) or over errors (retry).
    Example:
        >>> from returns.result import Failure, Success
        >>> from effectloop import exponential, on_result, spaced, trace
        >>> poll = on_result(spaced(10), exponential(1))
        >>> [step.delay for step in trace(poll, [Success(0), Failure("a"), Success(0), Failure("b")])]
        [10.0, 1.0, 10.0, 2.0]
    """
    left = _Counted(node_of(success, "on_result: success"))
    return Schedule(_OnResult(left, _Counted(node_of(failure, "on_result: failure"))))


@overload
def route(classify: Callable[[J], K], branches: Mapping[K, Schedule[object, A]]) -> Schedule[J, A | None]: ...
@overload
def route(classify: Callable[[J], K], branches: Mapping[K, Schedule[J, A]]) -> Schedule[J, A | None]: ...
@overload
def route(
    classify: Callable[[J], K], branches: Mapping[K, Schedule[object, A]], otherwise: Schedule[object, B]
) -> Schedule[J, A | B]: ...
@overload
def route(
    classify: Callable[[J], K], branches: Mapping[K, Schedule[J, A]], otherwise: Schedule[J, B]
) -> Schedule[J, A | B]: ...
def route(
    classify: Callable[[J], K],
    branches: Mapping[K, Schedule[J, A]],
    otherwise: Schedule[J, B] | Schedule[J, None] = _STOP,
) -> Schedule[J, A | B | None]:
    """Let each kind of input decide by a schedule of its own.

    Each side counts its own ticks: its recurrence is the number of ticks it has decided, its elapsed time
    counts from its first one. A side that is done ends the whole.

    Args:
        classify: Tells the kind of an input.
        branches: A schedule for each kind; kinds are compared by ``==``.
        otherwise: Decides on every other kind. By default it ends the whole.
    Outputs:
        That of the side that decides.
    Raises:
        TypeError: *classify* is not a plain function, *branches* no mapping, or one of the sides no schedule.
    Source:
        Ours: Effect has one schedule for all errors.
    Example:
        >>> from effectloop import exponential, route, spaced, trace
        >>> def status(code: int) -> str:
        ...     return "busy" if code == 429 else "broken" if code >= 500 else "wrong"
        >>> patient = route(status, {"busy": spaced(60), "broken": exponential(1)})
        >>> [step.delay for step in trace(patient, [503, 429, 503, 404])]
        [1.0, 60.0, 2.0, None]
    """
    given: object = branches
    if not isinstance(given, Mapping):
        msg = f"route: branches must be a mapping from kinds to schedules, got {branches!r}"
        raise TypeError(msg)
    sides = _Branches(
        (key, _Counted(node_of(side, f"route: branches[{key!r}]"))) for key, side in branches.items()
    )
    rest = _Counted(node_of(otherwise, "route: otherwise"))
    return Schedule(_Route(function(classify, "route: classify"), sides, rest))
