"""What a step of a schedule costs, against a function by hand: ``python -m tests.benchmarks.bench_step``."""

from __future__ import annotations

from collections.abc import Callable

import anyio

from effectloop import Schedule, Tick, exponential, recurs
from tests.benchmarks.harness import Lane, measure, table

TIMES = 200_000
SCHEDULE: Schedule[object, object] = exponential(0.1).capped(30).jittered(0.1) & recurs(10)
READY = Tick(None, 3, 1.0, 0.0, 0.25)


def by_hand(attempt: int, draw: float) -> float | None:
    if attempt >= 10:
        return None
    return min(0.1 * 2.0**attempt, 30.0) * (0.9 + 0.2 * draw)


def lane(step: Callable[[], object]) -> Lane:
    async def run(times: int) -> None:
        for _ in range(times):
            step()

    return run


decide = SCHEDULE.node.decide
LANES: dict[str, Lane] = {
    "by hand: a function of attempt and draw": lane(lambda: by_hand(3, 0.25)),
    "decide, with a ready tick": lane(lambda: decide(READY)),
    "decide, tick included": lane(lambda: decide(Tick(None, 3, 1.0, 0.0, 0.25))),
    "step: a Continue at the edge": lane(lambda: SCHEDULE.step(READY)),
}

if __name__ == "__main__":
    print(
        table(
            "One step: exponential(0.1).capped(30).jittered(0.1) & recurs(10)",
            anyio.run(measure, LANES, TIMES),
        )
    )
