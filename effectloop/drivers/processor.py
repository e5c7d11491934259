"""`BackgroundProcessor`: the background loop of a durable-execution engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, Literal, TypeVar, final

from returns.future import FutureResult

from effectloop.core.duration import Duration, seconds
from effectloop.core.leaves import spaced, stop
from effectloop.core.schedule import Schedule
from effectloop.drivers.clock import Clock
from effectloop.drivers.engine import Gate
from effectloop.drivers.handle import Handle
from effectloop.loop.events import Identity, Observer
from effectloop.loop.machine import never
from effectloop.loop.outcome import Outcome, Progress
from effectloop.loop.policies import background_pacing
from effectloop.observe.logging import log_events

E = TypeVar("E")


@final
class BackgroundProcessor(Handle[E], Generic[E]):
    """A background loop that drains while there is more, polls when idle, and backs off from failures.

    Paced by `background_pacing`: more to do, at once; nothing left, *interval* ± 10 %; failures, *interval*
    twice, then growing by a quarter at each up to five intervals; any success starts afresh. It begins with a
    tenth of *interval* ± 50 %, so that the loops of a deploy spread.

    Args:
        iteration: A factory of ``FutureResult[Progress, E]``, called anew for each turn; blocking work is
            said with `in_thread`, a most time with `limited`.
        name: The loop's name, in events and logs.
        interval: The wait between iterations that found nothing left, in seconds or as a timedelta.
        executor_id: Which process or replica this is, in events and logs.
        skip_initial_delay: Whether the first iteration runs at once.
        pacing: Another pacing; None means ``background_pacing(interval)``.
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
        The background processor of a durable-execution engine (on Effect 3); the differences are in
        the docs' table.
    Example:
        >>> import anyio
        >>> from returns.future import FutureResult
        >>> from effectloop import BackgroundProcessor, Progress
        >>> def poll():
        ...     return FutureResult.from_value(Progress(has_more=False))
        >>> async def main():
        ...     async with BackgroundProcessor(poll, name="poller", interval=60) as processor:
        ...         print(processor.is_running)
        ...     print(processor.is_running)
        >>> anyio.run(main)
        True
        False
    """

    def __init__(
        self,
        iteration: Callable[[], FutureResult[Progress, E]],
        *,
        name: str,
        interval: Duration,
        executor_id: str | None = None,
        skip_initial_delay: bool = False,
        pacing: Schedule[Outcome[E], object] | None = None,
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
        period = seconds(interval, "BackgroundProcessor: interval")
        super().__init__(
            iteration,
            Identity(name, "background-processor", executor_id),
            pacing=background_pacing(period) if pacing is None else pacing,
            first=stop() if skip_initial_delay else spaced(period * 0.1).jittered(0.5),
            grace=grace,
            cancel_grace=cancel_grace,
            on_defect=on_defect,
            no_work=never,
            cancelled=cancelled,
            clock=clock,
            observe=observe,
            heartbeat=heartbeat,
            heartbeat_every=heartbeat_every,
            gate=gate,
        )
