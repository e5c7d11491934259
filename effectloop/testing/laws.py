"""The laws that every schedule obeys, for a schedule of one's own."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Final, TypeVar, overload

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from effectloop.core.leaves import forever, recurs, spaced, stop
from effectloop.core.node import Node, Tick
from effectloop.core.schedule import Schedule
from effectloop.testing.strategies import runs

J = TypeVar("J")

_UNHEALTHY: Final = [HealthCheck.too_slow, HealthCheck.data_too_large]  # the inputs are the user's


@overload
def check_laws(schedule: Schedule[None, object]) -> None: ...
@overload
def check_laws(schedule: Schedule[J, object], inputs: st.SearchStrategy[J]) -> None: ...
def check_laws(schedule: Schedule[J, object], inputs: st.SearchStrategy[J] | None = None) -> None:
    """Check that *schedule* obeys the laws that combinators and drivers rely on.

    It is run over generated ticks, alone and inside combinators. A step is pure: the same tick gets the same
    answer, and nothing is changed in place. Delays are finite and at least 0. The rest has the shape of the
    schedule, and differs at most in fields marked as state. A schedule that is done answers itself as the
    rest.

    Args:
        schedule: The schedule to check, as a fresh one.
        inputs: Where its inputs come from; without it they are None.
    Raises:
        AssertionError: A law is broken; it says which, by what schedule, and at which tick.
    Example:
        >>> from effectloop import exponential
        >>> from effectloop.testing import check_laws
        >>> check_laws(exponential(0.1).capped(30).jittered(0.1))
    """
    wrapped: list[Schedule[J, object]] = [
        schedule,
        schedule.capped(5),
        schedule.jittered(1),
        schedule.held(),
        schedule & forever(),
        schedule | stop(),
        schedule.keep_left(spaced(1)),
        schedule.and_then(recurs(2)),
        recurs(1).and_then(schedule),
        schedule.reset_after(3),
        schedule.up_to(times=4),
    ]

    @settings(deadline=None, derandomize=True, database=None, suppress_health_check=_UNHEALTHY)
    @given(st.sampled_from(wrapped), runs(), st.data())
    def check(candidate: Schedule[J, object], run: list[Tick[int]], data: st.DataObject) -> None:
        node: Node[J, object] | None = candidate.node
        for recurrence, elapsed, wall, draw in (tick[1:] for tick in run):
            if node is not None:
                heard: J = data.draw(inputs) if inputs is not None else None  # type: ignore[assignment]
                node = _step(node, Tick(heard, recurrence, elapsed, wall, draw))

    check()


def _step(node: Node[J, object], tick: Tick[J]) -> Node[J, object] | None:
    """Take one step of *node* and hold it to the laws; answer the rest, None when it is done."""
    before = deepcopy(node)
    where = f"{node!r} at {tick!r}"
    assert node == before, f"a node must be compared by its fields, as a dataclass is: {where}"
    delay, output, rest = node.decide(tick)
    if delay is not None:
        assert isfinite(delay), f"a delay must be finite, got {delay!r}: {where}"
        assert delay >= 0, f"a delay must be at least 0 s, got {delay!r}: {where}"
    again = node.decide(tick)
    assert node == before, f"a step must change nothing in place: {where}"
    assert again == (delay, output, rest), (
        f"the same tick must get the same answer, got {again!r} too: {where}"
    )
    assert _shape(node) == _shape(rest), (
        f"the rest must have the shape of the schedule, got {rest!r}: {where}"
    )
    if delay is None:
        assert rest == node, f"a schedule that is done must answer itself as the rest, got {rest!r}: {where}"
        return None
    return rest


def _shape(value: object) -> object:
    """Answer what a step must leave as it is: all classes and fields, but for fields marked as state."""
    if isinstance(value, tuple):
        items: tuple[object, ...] = value  # pyright: ignore[reportUnknownVariableType]  # of whatever
        return [_shape(item) for item in items]
    if isinstance(value, type) or not is_dataclass(value):
        return value
    kept = [field.name for field in fields(value) if "state" not in field.metadata]
    return type(value), [_shape(getattr(value, name)) for name in kept]
