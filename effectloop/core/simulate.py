"""What a schedule will do, without waiting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import Generic, NamedTuple, TypeVar

from effectloop.core.duration import Duration, seconds
from effectloop.core.gate import count, finite, unit
from effectloop.core.node import Out, Tick
from effectloop.core.schedule import Schedule, node_of

J = TypeVar("J")


class Step(NamedTuple, Generic[Out]):
    """One decision of a simulated run.

    Attributes:
        elapsed: Seconds from the start of the first attempt to the decision.
        delay: Seconds until the next attempt; None when the schedule is done.
        output: What the schedule answered.
    """

    elapsed: float
    delay: float | None
    output: Out


def delays(schedule: Schedule[None, object], n: int, *, draws: float | Iterable[float] = 0.5) -> list[float]:
    """Answer the first *n* delays of a run whose work takes no time; fewer when it is done before.

    The input is None, and the elapsed time at each decision is the sum of the delays so far.

    Args:
        schedule: What to run; it is not changed.
        n: How many delays, at least 0.
        draws: What jitter draws, in [0, 1): one number for every step, or one a step.
    Outputs:
        The delays, in seconds.
    Raises:
        TypeError: *schedule* is no schedule, *n* no whole number, or a draw no number.
        ValueError: *n* is negative; a draw is not in [0, 1); there are fewer draws than steps.
    Source:
        ``simulatePolicy`` of Haskell retry.
    Example:
        >>> from effectloop import delays, exponential, recurs
        >>> delays(exponential(0.1).capped(0.5) & recurs(5), 100)
        [0.1, 0.2, 0.4, 0.5, 0.5]
    """
    node = node_of(schedule, "delays: schedule")
    numbers = _draws(draws, "delays")
    answer: list[float] = []
    elapsed = 0.0
    for recurrence in range(count(n, "delays: n")):
        delay, _, node = node.decide(Tick(None, recurrence, elapsed, elapsed, next(numbers)))
        if delay is None:
            break
        answer.append(delay)
        elapsed += delay
    return answer


def trace(
    schedule: Schedule[J, Out],
    inputs: Iterable[J],
    *,
    work: Duration | Iterable[Duration] = 0.0,
    draws: float | Iterable[float] = 0.5,
    wall: float = 0.0,
) -> list[Step[Out]]:
    """Answer what a run decides after each input, until the inputs end or the schedule is done.

    The first decision is at ``work[0]``, when the first attempt has ended; every next one a delay and a work
    later.

    Args:
        schedule: What to run; it is not changed.
        inputs: What happens at each attempt: values, errors, outcomes.
        work: How long an attempt takes, in seconds or as a timedelta: one for every attempt, or one each.
        draws: What jitter draws, in [0, 1): one number for every step, or one a step.
        wall: The time of the start in POSIX seconds, at least 0; only calendars read it.
    Outputs:
        One `Step` for each decision.
    Raises:
        TypeError: *schedule* is no schedule, a draw or *wall* no number, a work no duration.
        ValueError: A draw is not in [0, 1); a work is negative, NaN, or above `MAX_DELAY`; *wall* is
            negative, NaN, or infinite; there are fewer draws or works than steps.
    Source:
        Ours; as ``Schedule.run`` of Effect, with the delays.
    Example:
        >>> from effectloop import exponential, recurs, trace
        >>> for step in trace(exponential(1) & recurs(2), ["a", "b", "c"], work=0.5):
        ...     print(step)
        Step(elapsed=0.5, delay=1.0, output=1.0)
        Step(elapsed=2.0, delay=2.0, output=2.0)
        Step(elapsed=4.5, delay=None, output=0.0)
    """
    node = node_of(schedule, "trace: schedule")
    numbers, durations, start = _draws(draws, "trace"), _work(work), finite(wall, "trace: wall")
    steps: list[Step[Out]] = []
    elapsed = 0.0
    for recurrence, given in enumerate(inputs):
        elapsed += next(durations)
        delay, output, node = node.decide(Tick(given, recurrence, elapsed, start + elapsed, next(numbers)))
        steps.append(Step(elapsed, delay, output))
        if delay is None:
            break
        elapsed += delay
    return steps


def _draws(draws: float | Iterable[float], who: str) -> Iterator[float]:
    values = draws if isinstance(draws, Iterable) else repeat(draws)
    return _all_steps((unit(draw, f"{who}: draws") for draw in values), f"{who}: draws")


def _work(work: Duration | Iterable[Duration]) -> Iterator[float]:
    values = work if isinstance(work, Iterable) else repeat(work)
    return _all_steps((seconds(duration, "trace: work") for duration in values), "trace: work")


def _all_steps(numbers: Iterator[float], of: str) -> Iterator[float]:
    yield from numbers
    msg = f"{of} must be one number, or as many as there are steps, got too few"
    raise ValueError(msg)
