"""What the laws compare: the delays and the end of a run, for the same ticks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from effectloop import Schedule, Tick

J = TypeVar("J")


def decided(schedule: Schedule[J, object], run: Iterable[Tick[J]]) -> list[float | None]:
    """Answer the delay of each step, None for the end: what ``a ≈ b`` says is equal."""
    return [delay for delay, _ in played(schedule, run)]


def played(schedule: Schedule[J, object], run: Iterable[Tick[J]]) -> list[tuple[float | None, object]]:
    """Answer the delay and the output of each step until the end."""
    node, steps = schedule.node, list[tuple[float | None, object]]()
    for tick in run:
        delay, output, node = node.decide(tick)
        steps.append((delay, output))
        if delay is None:
            break
    return steps
