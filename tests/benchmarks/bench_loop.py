"""What one turn of a loop costs that always has more to do, against the bare loop: ``python -m
tests.benchmarks.bench_loop``."""

from __future__ import annotations

import anyio
from anyio.lowlevel import checkpoint
from returns.future import FutureResult
from returns.result import Result, Success

from effectloop import (
    Event,
    Observer,
    Outcome,
    Progress,
    Schedule,
    background_pacing,
    forever,
    log_events,
    run_loop,
)
from tests.benchmarks.harness import Lane, measure, table

TIMES = 20_000
MORE: Result[Progress, object] = Success(Progress(has_more=True))


async def work() -> Result[Progress, object]:
    return MORE


async def bare(times: int) -> None:
    for _ in range(times):
        await FutureResult(work())
        await checkpoint()


def ours(*observers: Observer, pacing: Schedule[Outcome[object], object] | None = None) -> Lane:
    async def lane(times: int) -> None:
        left, stop = times, anyio.Event()

        def iteration() -> FutureResult[Progress, object]:
            nonlocal left
            left -= 1
            if not left:
                stop.set()
            return FutureResult(work())

        await run_loop(iteration, pacing or background_pacing(1), stop=stop, observe=observers)

    return lane


def ignore(_: Event) -> None:
    pass


LANES: dict[str, Lane] = {
    "bare: while True: await work(); await checkpoint()": bare,
    "run_loop, paced by forever()": ours(pacing=forever()),
    "run_loop, paced by background_pacing": ours(),
    "the same, with an observer that ignores events": ours(ignore),
    "the same, with log_events": ours(log_events),
}

if __name__ == "__main__":
    for backend in ("asyncio", "trio"):
        print(table(f"One turn of a busy loop, {backend}", anyio.run(measure, LANES, TIMES, backend=backend)))
