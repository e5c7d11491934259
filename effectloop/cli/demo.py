"""The demo: a background loop drains a real queue through trouble of every kind, and nothing is lost.

This is the library's main job, on an embedded default, and it is meant to be read. A service writes messages
into its outbox (`outbox.py`); a background processor fetches them in batches, delivers them to the world, and
marks them as sent. Meanwhile one fetch in five fails, the world is down for seconds on end, and now and then
a bug strikes (`faults.py`). Four loops share the work. A loop is an iteration, which is what one turn does,
and a schedule, which says when the next turn is, and whether there is one:

=========  ==============================  =====================================================
loop       iteration                       schedule
=========  ==============================  =====================================================
processor  fetch, deliver, mark as sent    at once while there is more, else polling; backing off
producer   write the messages now due      ten times a second, until all are written
drain      see whether anything is left    ten times a second, until nothing is
view       count and draw                  ten times a second
=========  ==============================  =====================================================
"""

# `bind` has a type in `returns` that only mypy can name in full.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias, final

import anyio
from returns.io import IOResult

from effectloop import BackgroundProcessor, Clock, Outcome, Progress, fixed, in_thread, run_loop, spaced
from effectloop.cli.faults import Faults
from effectloop.cli.figures import Figures
from effectloop.cli.live import Show
from effectloop.cli.outbox import Counts, Outbox, Trouble, Verdict, World
from effectloop.core.duration import seconds

INTERVAL: Final = 0.2
"""Seconds between two polls of an empty outbox; the back-off goes up to five times that."""

BEAT: Final = 0.1
"""Seconds between two turns of the other loops."""

MOST: Final = 10_000.0
"""The highest rate that may be asked for, in messages a second."""

Turn: TypeAlias = Callable[[], IOResult[Progress, Trouble]]
"""One turn of a loop: blocking work that says whether there is more to do, or what went wrong."""


@final
@dataclass(frozen=True, slots=True)
class Job:
    """What the demo is asked to do.

    Attributes:
        seconds: How long messages are produced.
        rate: How many of them in a second.
        seed: Where the chance in the faults starts.
    """

    seconds: float = 10.0
    rate: float = 100.0
    seed: int = 0

    @property
    def batch(self) -> int:
        """Messages are delivered so many at a time: 25, or what a quarter of a second produces."""
        return max(25, round(self.rate / 4))

    def __post_init__(self) -> None:
        seconds(self.seconds, "demo: --seconds")
        if not 0 <= self.rate <= MOST:
            msg = f"demo: --rate must be from 0 to {MOST:.0f} messages a second, got {self.rate!r}"
            raise ValueError(msg)


def delivery(outbox: Outbox, world: World, faults: Faults, batch: int) -> Turn:
    """Fetch a batch, deliver it, mark it as sent: one turn of the processor.

    Each step takes what the one before it answered, and is skipped when that failed. The faults are put
    around the steps, so the last line is what a service without any trouble would write too.
    """
    fetch = faults.sometimes_locked(outbox.unsent)
    deliver = faults.sometimes_down(world.receive)
    mark_sent = faults.sometimes_broken(outbox.mark_sent)
    return lambda: fetch(batch).bind(deliver).bind(mark_sent).map(lambda sent: Progress(len(sent) == batch))


async def run(job: Job, outbox: Outbox, world: World, show: Show, clock: Clock) -> Figures:
    """Deliver what is produced while it is produced, then stop gracefully; answer what was seen."""
    began = clock.monotonic()
    figures = Figures(began)

    def elapsed() -> float:
        return clock.monotonic() - began

    # The loop this library is for. Nothing here handles an error: a failure, an outage, even a bug is the
    # outcome of a turn, and what to do about it is the pacing's business (by default `background_pacing`).
    faults = Faults(job.seed, seconds=job.seconds, now=elapsed)
    processor = BackgroundProcessor(
        in_thread(delivery(outbox, world, faults, job.batch)),
        name="outbox",
        interval=INTERVAL,
        clock=clock,
        observe=(figures.observe,),
    )
    look = in_thread(view(outbox, figures, show, clock))
    stop = anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stop_on_signals, stop, tasks.cancel_scope, figures, clock)
        tasks.start_soon(partial(run_loop, look, spaced(BEAT), clock=clock))
        async with processor:
            figures.enter(f"producing {job.rate:g} messages a second for {job.seconds:g} s", began)
            await run_loop(
                in_thread(production(outbox, job, elapsed)),
                fixed(BEAT).until_input(nothing_left),
                stop=stop,
                clock=clock,
            )
            # A graceful stop: the producer is over, the processor goes on until the outbox is empty, and only
            # then is it shut down, by leaving this block. Nothing that was produced stays behind.
            figures.enter("draining", clock.monotonic())
            await run_loop(in_thread(drain(outbox)), spaced(BEAT).until_input(nothing_left), clock=clock)
        tasks.cancel_scope.cancel()
    figures.enter("over" if figures.forced_by is None else "cut short", clock.monotonic())
    await look()
    return figures


def production(outbox: Outbox, job: Job, elapsed: Callable[[], float]) -> Turn:
    """Write the messages that are due by now: one turn of the producer; one that comes late catches up."""
    total = round(job.rate * job.seconds)
    written = 0

    def note(count: int) -> Progress:
        nonlocal written
        written += count
        return Progress(has_more=written < total or elapsed() < job.seconds)

    return lambda: outbox.write(round(job.rate * min(elapsed(), job.seconds)) - written).map(note)


def drain(outbox: Outbox) -> Turn:
    """See whether any message is not marked as sent yet: one turn of the drain."""
    return lambda: outbox.counts().map(lambda counts: Progress(has_more=counts.sent < counts.produced))


def view(outbox: Outbox, figures: Figures, show: Show, clock: Clock) -> Turn:
    """Count the messages and show how things stand: one turn of the view."""

    def draw(counts: Counts) -> Progress:
        figures.count(clock.monotonic(), counts)
        show(figures)
        return Progress(has_more=False)

    return lambda: outbox.counts().map(draw)


def nothing_left(outcome: Outcome[object]) -> bool:
    """Tell whether a turn answered that nothing is left to do; a turn that failed did not."""
    return outcome.result.map(lambda progress: not progress.has_more).value_or(False)


async def stop_on_signals(
    stop: anyio.Event, scope: anyio.CancelScope, figures: Figures, clock: Clock
) -> None:
    """Ask for a graceful stop at the first SIGINT or SIGTERM, and cut everything short at the second."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for number in signals:
            if stop.is_set():
                figures.forced_by = number
                scope.cancel()
            else:
                figures.tell(f"{number.name}: stopping; a second signal cuts it short", clock.monotonic())
                stop.set()


def summary(verdict: Verdict, figures: Figures) -> str:
    """Say in one line what became of the messages, and what was survived on the way."""
    undelivered = "lost" if figures.forced_by is None else "left in the outbox"
    return (
        f"produced {verdict.produced}, delivered {verdict.delivered}, {undelivered} {verdict.lost},"
        f" duplicated {verdict.duplicated} ({figures.survived} survived, {verdict.redelivered} redelivered,"
        f" longest wait {verdict.longest_wait:.1f} s)"
    )
