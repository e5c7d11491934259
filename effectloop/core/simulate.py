"""What a schedule will do, without waiting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import Generic, NamedTuple, TypeVar

from effectloop.core.duration import Duration, seconds
from effectloop.core.gate import count, unit
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
    node = node_of(schedule, "trace: schedule")
    numbers, durations = _draws(draws, "trace"), _work(work)
    steps: list[Step[Out]] = []
    elapsed = 0.0
    for recurrence, given in enumerate(inputs):
        elapsed += next(durations)
        delay, output, node = node.decide(Tick(given, recurrence, elapsed, wall + elapsed, next(numbers)))
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
