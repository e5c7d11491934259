"""`run_loop`: the interpreter of a loop, for one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import anyio
from returns.future import FutureResult

from effectloop.core import leaves
from effectloop.core.schedule import Schedule, node_of
from effectloop.drivers.clock import Clock
from effectloop.drivers.engine import Engine
from effectloop.loop.events import Identity, Observer
from effectloop.loop.machine import Rules, never
from effectloop.loop.outcome import Ended, Outcome, Progress

E = TypeVar("E")


async def run_loop(
    iteration: Callable[[], FutureResult[Progress, E]],
    pacing: Schedule[Outcome[E], object],
    *,
    first: Schedule[None, object] = leaves.stop(),  # noqa: B008 a schedule is a value
    stop: anyio.Event | None = None,
    clock: Clock | None = None,
    observe: Iterable[Observer] = (),
) -> Ended:
    """Run *iteration* again and again, waiting as *pacing* says, until it is done or *stop* is set.

    After each iteration *pacing* is given its `Outcome`, an exception that the types did not promise included
    (as a `Defect`), and decides the wait. A checkpoint is passed after every iteration, also when the wait is
    0. There are never two iterations at once.

    Args:
        iteration: A factory, called anew for each turn; blocking work is said with `in_thread`.
        pacing: Decides the wait after each iteration; when it is done, the loop is finished.
        first: Decides the wait before the first iteration; done (the default) means none.
        stop: Asks for the end when it is set: a wait ends at once, a running iteration may finish.
        clock: The time and the chance to run on; None means a fresh `SystemClock`.
        observe: Functions of one event, called for everything that happens.
    Outputs:
        How the loop ended: ``drained`` after *stop*, ``finished`` with *pacing*'s last output.
    Raises:
        TypeError: *iteration* answered something else than a `FutureResult` of `Progress`.
        Exception: What a callback of *pacing* raised, with the iteration's error as its context.
    Example:
        >>> import anyio
        >>> from returns.future import FutureResult
        >>> from effectloop import Progress, recurs, run_loop
        >>> def iteration():
        ...     return FutureResult.from_value(Progress(has_more=True))
        >>> async def main():
        ...     return await run_loop(iteration, recurs(2))
        >>> anyio.run(main)
        Ended(how='finished', error=None, iterations=3, output=2)
    """
    rules: Rules[E] = Rules(
        node_of(pacing, "run_loop: pacing"),
        node_of(first, "run_loop: first"),
        "pace",
        never,
        never,
    )
    engine = Engine(iteration, rules, Identity("loop"), of="run_loop", clock=clock, observe=observe)
    return await engine.run(stop)
