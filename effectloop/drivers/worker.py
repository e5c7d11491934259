"""`Worker`: the service worker of circleci/ex."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, Literal, TypeVar, final

from returns.future import FutureResult

from effectloop.core.duration import Duration, seconds
from effectloop.core.leaves import exponential, stop
from effectloop.core.schedule import Schedule, node_of
from effectloop.drivers.clock import Clock
from effectloop.drivers.engine import Gate
from effectloop.drivers.handle import Handle
from effectloop.loop.events import Identity, Observer
from effectloop.loop.outcome import Progress, should_back_off
from effectloop.loop.policies import worker_pacing
from effectloop.observe.logging import log_events

E = TypeVar("E")

DEFAULT_BACKOFF: Schedule[object, float] = exponential(0.05).capped(5)


@final
class Worker(Handle[E], Generic[E]):
    """A service worker: runs at once while there is work, backs off while there is none.

    Paced by `worker_pacing`. An idle `Progress` and a failure that is, or comes from, `ShouldBackOff` mean
    "no
    work": neither is an error. A most work time is said with ``limited(iteration, seconds)``.

    Args:
        iteration: A factory of ``FutureResult[Progress, E]``, called anew for each turn; blocking work is
            said with `in_thread`, a most time with `limited`.
        name: The loop's name, in events and logs.
        backoff: The schedule of waits while there is no work; once done it holds its last delay.
        min_work_time: The least time between two starts while there is work, in seconds or as a timedelta.
        backoff_on_all_errors: Whether errors back off too, or run again as after work.
        grace: How long a running iteration may go on after a stop; 0 cancels it at once.
        cancel_grace: How long a cancelled iteration may take before it is abandoned.
        on_defect: An exception that the types did not promise is paced like a failure (``pace``), or ends the
            loop and goes to its owner (``end``).
        cancelled: Tells which failures mean "I was told to stop": while stopping they are no errors.
        clock: The time and the chance to run on; None means a fresh `SystemClock`.
        observe: Functions of one event; by default they log.
        heartbeat: Called every *heartbeat_every*, during long work and long waits too, ending last; what it
            raises is reported once.
        heartbeat_every: In seconds or as a timedelta, above 0.
        gate: A factory of async context managers, entered around each iteration. It gives whether this
            replica may run: False counts as idle, an exception as a failure (`GateError`). While it is open
            it may cut the iteration by a task group of its own, which counts as a failure too.
    Raises:
        TypeError: *iteration* is no factory, or another argument is of the wrong kind.
        ValueError: A duration is negative or NaN, *name* is empty, or *on_defect* is unknown.
    Source:
        circleci/ex ``worker.Run``; the differences are in the docs' table.
    Example:
        >>> import anyio
        >>> from returns.future import FutureResult
        >>> from effectloop import ShouldBackOff, Worker
        >>> def look_for_work():
        ...     return FutureResult.from_failure(ShouldBackOff())
        >>> async def main():
        ...     async with Worker(look_for_work, name="mailer") as worker:
        ...         print(worker.is_running)
        >>> anyio.run(main)
        True
    """

    def __init__(
        self,
        iteration: Callable[[], FutureResult[Progress, E]],
        *,
        name: str,
        backoff: Schedule[object, object] = DEFAULT_BACKOFF,
        min_work_time: Duration = 0.0,
        backoff_on_all_errors: bool = True,
        grace: Duration = 15.0,
        cancel_grace: Duration = 5.0,
        on_defect: Literal["pace", "end"] = "pace",
        cancelled: Callable[[E], bool] | None = None,
        clock: Clock | None = None,
        observe: Iterable[Observer] = (log_events,),
        heartbeat: Callable[[], object] | None = None,
        heartbeat_every: Duration = 10.0,
        gate: Gate | None = None,
    ) -> None:
        super().__init__(
            iteration,
            Identity(name, "worker"),
            pacing=worker_pacing(
                Schedule(node_of(backoff, "Worker: backoff")),
                seconds(min_work_time, "Worker: min_work_time"),
                backoff_on_all_errors=backoff_on_all_errors,
            ),
            first=stop(),
            grace=grace,
            cancel_grace=cancel_grace,
            on_defect=on_defect,
            no_work=should_back_off,
            cancelled=cancelled,
            clock=clock,
            observe=observe,
            heartbeat=heartbeat,
            heartbeat_every=heartbeat_every,
            gate=gate,
        )
