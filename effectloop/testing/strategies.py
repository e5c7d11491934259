"""Hypothesis strategies for schedules, their ticks, and whole runs.

Times are multiples of 2**-20 s, so that sums and differences of them are exact and laws about time hold to
the last bit; with arbitrary floats they hold up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from hypothesis import strategies as st
from returns.result import Failure, Result, Success

from effectloop.core.leaves import (
    decorrelated,
    during,
    elapsed,
    exponential,
    fibonacci,
    fixed,
    forever,
    from_delays,
    identity,
    linear,
    on_result,
    recur_until,
    recur_while,
    recurs,
    route,
    spaced,
    stop,
    unfold,
    windowed,
)
from effectloop.core.node import Tick
from effectloop.core.schedule import Schedule

Numbers: TypeAlias = Schedule[int, object]
"""What the strategy answers: a schedule whose input is an integer."""

Inner: TypeAlias = st.SearchStrategy[Numbers]
Build: TypeAlias = Callable[[st.DrawFn, Inner], Numbers]

_LEVELS: Final = 3

GRAIN: Final = 2.0**-20
"""All times are multiples of this many seconds."""


# Functions of a module, so that what holds them can be compared, hashed and pickled.


def _identity() -> Numbers:
    same: Schedule[int, int] = identity()
    return same


def _decorrelated(base: float, more: float) -> Numbers:
    return decorrelated(base, base + more)


def _pair(left: object, right: object) -> tuple[object, object]:
    return left, right


def _number(output: object) -> int:
    return len(str(output)) % 7


def _twice(number: int) -> tuple[int, int]:
    return number, number + 1


def _sign(number: int) -> Result[int, int]:
    return Success(number) if number >= 0 else Failure(number)


def _remainder(number: int) -> int:
    return number % 3


def _next(number: int) -> int:
    return number + 1


def _count(so_far: int, _: object) -> int:
    return so_far + 1


def _double(_: object, delay: float) -> float:
    return delay * 2


def _by_draw(tick: Tick[int], delay: float) -> float:
    return delay + (1.0 if tick.draw < 0.5 else 0.0)


def _differ(number: int, output: object) -> bool:
    return number != output


def _is_small(value: object) -> bool:
    return _number(value) < 6


def _is_odd(value: object) -> bool:
    return _number(value) % 2 == 1


_PREDICATES: Final = st.sampled_from([_is_small, _is_odd])


def times(longest: float = 64.0) -> st.SearchStrategy[float]:
    """Answer lengths of time from 0 to *longest* seconds, in multiples of `GRAIN`."""
    return st.one_of(
        st.integers(0, int(min(longest, 8))).map(float),
        st.integers(0, int(longest / GRAIN)).map(lambda count: count * GRAIN),
    )


def draws() -> st.SearchStrategy[float]:
    """Answer uniform draws in [0, 1)."""
    return st.one_of(st.sampled_from([0.0, 0.25, 0.5, 1 - 2.0**-53]), st.floats(0, 1, exclude_max=True))


def ticks(*, recurrence: int | None = None) -> st.SearchStrategy[Tick[int]]:
    """Answer ticks with an integer input, as a driver may make them.

    Args:
        recurrence: The recurrence of all of them; None means any from 0 to a billion.
    Example:
        >>> from hypothesis import given
        >>> from effectloop import exponential
        >>> from effectloop.testing import ticks
        >>> @given(ticks())
        ... def a_cap_is_a_bound(tick):
        ...     delay, _, _ = exponential(0.1).jittered(1).capped(30).node.decide(tick)
        ...     assert delay <= 30
        >>> a_cap_is_a_bound()
    """
    counts = st.integers(0, 10**9) if recurrence is None else st.just(recurrence)
    return st.builds(Tick, st.integers(-9, 9), counts, times(2.0**20), times(2.0**31), draws())


@st.composite
def runs(draw: st.DrawFn, *, longest: int = 12) -> list[Tick[int]]:
    """Answer the ticks of one run: recurrences counted from 0, times that never go back.

    They are not those of a driver that waits as it is told: a schedule holds its promises whatever they are.

    Args:
        longest: How many ticks there are at most.
    Example:
        >>> from hypothesis import given
        >>> from effectloop import recurs
        >>> from effectloop.testing import runs
        >>> @given(runs())
        ... def it_ends(run):
        ...     delays = [recurs(3).node.decide(tick)[0] for tick in run]
        ...     assert delays[3:] == [None] * len(run[3:])
        >>> it_ends()
    """
    gaps = draw(st.lists(times(), min_size=1, max_size=longest))
    start = draw(times(2.0**31))
    seen: list[Tick[int]] = []
    now = 0.0
    for recurrence, gap in enumerate(gaps):
        now += gap
        seen.append(Tick(draw(st.integers(-9, 9)), recurrence, now, start + now, draw(draws())))
    return seen


def leaves(*, clocks: bool = True) -> st.SearchStrategy[Numbers]:
    """Answer schedules without combinators; *clocks* off leaves out those that read the elapsed time."""
    lengths = times(8.0)
    plain: list[st.SearchStrategy[Numbers]] = [
        st.just(forever()),
        st.just(stop()),
        st.just(_identity()),
        st.builds(recurs, st.integers(0, 6)),
        st.builds(spaced, lengths),
        st.builds(linear, lengths),
        st.builds(fibonacci, lengths),
        st.builds(exponential, lengths, factor=st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0])),
        st.lists(lengths, min_size=1, max_size=4).map(lambda delays: from_delays(*delays)),
        st.builds(_decorrelated, lengths, lengths),
        st.builds(unfold, st.integers(0, 3), st.just(_next)),
        st.builds(recur_while, _PREDICATES),
        st.builds(recur_until, _PREDICATES),
    ]
    timed: list[st.SearchStrategy[Numbers]] = [
        st.just(elapsed()),
        st.builds(during, lengths),
        st.builds(fixed, lengths),
        st.builds(windowed, lengths),
    ]
    return st.one_of(*plain, *(timed if clocks else []))


def schedules(*, clocks: bool = True) -> st.SearchStrategy[Numbers]:
    """Answer schedules of every leaf and every combinator, a few levels deep; their input is an integer.

    Calendars are left out: they read the wall clock, and need an extra.

    Args:
        clocks: Whether some of them read the elapsed time.
    Example:
        >>> from hypothesis import given
        >>> from effectloop import stop
        >>> from effectloop.testing import schedules, ticks
        >>> @given(schedules(), ticks(recurrence=0))
        ... def stop_is_the_identity_of_or(schedule, tick):
        ...     assert (schedule | stop()).node.decide(tick)[0] == schedule.node.decide(tick)[0]
        >>> stop_is_the_identity_of_or()
    """
    found = leaf = leaves(clocks=clocks)
    for _ in range(_LEVELS):
        found = _either(leaf, _combined(found, clocks))
    return found


@st.composite
def _either(draw: st.DrawFn, leaf: Inner, combined: Inner) -> Numbers:
    return draw(combined if draw(st.integers(0, 3)) else leaf)  # `one_of` would weigh each leaf as much


_PLAIN: Final[list[Build]] = [
    lambda draw, inner: draw(inner) & draw(inner),
    lambda draw, inner: draw(inner) | draw(inner),
    lambda draw, inner: draw(inner).intersect_with(draw(inner), _pair),
    lambda draw, inner: draw(inner).union_with(draw(inner), _pair),
    lambda draw, inner: draw(inner).keep_left(draw(inner)),
    lambda draw, inner: draw(inner).keep_right(draw(inner)),
    lambda draw, inner: draw(inner).and_then(draw(inner)),
    lambda draw, inner: draw(inner).and_then_tagged(draw(inner)),
    lambda draw, inner: draw(inner).map(_number).compose(draw(inner)),
    lambda draw, inner: draw(inner).both_in_out(draw(inner)).map_input(_twice),
    lambda draw, inner: on_result(draw(inner), draw(inner)).map_input(_sign),
    lambda draw, inner: route(_remainder, {0: draw(inner), 1: draw(inner)}, otherwise=draw(inner)),
    lambda draw, inner: draw(inner).reset_on_success().map_input(_sign),
    lambda draw, inner: draw(inner).reset_on_success(draw(inner)).map_input(_sign),
    lambda draw, inner: draw(inner).held(),
    lambda draw, inner: draw(inner).passthrough(),
    lambda draw, inner: draw(inner).map(_number),
    lambda draw, inner: draw(inner).map_input(_next),
    lambda draw, inner: draw(inner).fold(0, _count),
    lambda draw, inner: draw(inner).modify_delay(_double),
    lambda draw, inner: draw(inner).delay_from(_by_draw),
    lambda draw, inner: draw(inner).check(_differ),
    lambda draw, inner: draw(inner).capped(draw(times(8.0))),
    lambda draw, inner: draw(inner).at_least(draw(times(8.0))),
    lambda draw, inner: draw(inner).jittered(draw(st.sampled_from([0.0, 0.25, 1.0]))),
    lambda draw, inner: draw(inner).jittered_between(
        draw(st.sampled_from([0.0, 0.5])), draw(st.floats(0.5, 2))
    ),
    lambda draw, inner: draw(inner).up_to(times=draw(st.integers(0, 6))),
    lambda draw, inner: draw(inner).while_input(draw(_PREDICATES)),
    lambda draw, inner: draw(inner).until_input(draw(_PREDICATES)),
    lambda draw, inner: draw(inner).while_output(draw(_PREDICATES)),
    lambda draw, inner: draw(inner).until_output(draw(_PREDICATES)),
    lambda draw, inner: draw(inner).reset_on_input(draw(_PREDICATES)),
    lambda draw, inner: draw(inner).reset_when(draw(_PREDICATES)),
]
_TIMED: Final[list[Build]] = [
    lambda draw, inner: draw(inner).up_to(elapsed=draw(times(8.0))),
    lambda draw, inner: draw(inner).within(draw(times(8.0))),
    lambda draw, inner: draw(inner).reset_after(draw(times(8.0))),
    lambda draw, inner: draw(inner).reset_on_success(stable_for=draw(times(8.0))).map_input(_sign),
]


@st.composite
def _combined(draw: st.DrawFn, inner: Inner, clocks: bool) -> Numbers:
    builds = [*_PLAIN, *_TIMED] if clocks else _PLAIN
    return builds[draw(st.integers(0, len(builds) - 1))](draw, inner)
