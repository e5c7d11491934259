"""Races: seeded scripts in which everything may happen in the same pass of the scheduler.

Each actor passes a drawn number of checkpoints before it acts, and so does each turn of the work. Whatever
the order, no iteration starts after a stop, none overlaps another, no answer is lost, and there is one end.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from random import Random

import anyio
import pytest
from anyio.lowlevel import checkpoint
from returns.future import FutureResult
from returns.result import Failure, Success

from effectloop import (
    BackgroundProcessor,
    Ended,
    Event,
    IterationCancelled,
    IterationDefect,
    IterationFailed,
    IterationStarted,
    IterationSucceeded,
    LoopEnded,
    Progress,
    StopAsked,
    forever,
    recurs,
    spaced,
)

from .scripts import Answer

pytestmark = pytest.mark.anyio

ANSWERED = (IterationSucceeded, IterationFailed, IterationDefect)
SCRIPTS = 10_000


async def passes(count: int) -> None:
    for _ in range(count):
        await checkpoint()


class Trial:
    """One script: the work, the actors, and what was seen of them."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.events: list[Event] = []
        self.running = 0
        self.answered = 0
        self.asked: list[int] = []  # how much had been told when a stop was asked
        self.ends: list[Ended | None] = []
        pacing = self.random.choice([forever(), forever() & recurs(self.random.randrange(4)), spaced(3600)])
        self.processor: BackgroundProcessor[object] = BackgroundProcessor(
            lambda: FutureResult(self.work()),
            name="race",
            interval=0,
            skip_initial_delay=self.random.random() < 0.8,
            pacing=pacing,
            grace=self.random.choice([0, 3600]),
            observe=(self.events.append,),
        )

    async def work(self) -> Answer:
        self.running += 1
        assert self.running == 1, "two iterations at once"
        try:
            await passes(self.random.randrange(4))
        finally:
            self.running -= 1
        self.answered += 1
        if self.random.random() < 0.1:
            raise ValueError("a bug")
        return self.random.choice([Success(Progress(has_more=True)), Failure("down")])

    def ask_to_stop(self) -> None:
        self.processor.stop()
        self.asked.append(len(self.events))

    async def act(self, scope: anyio.CancelScope) -> None:
        actions: list[Callable[[], object]] = [
            self.processor.trigger,
            self.processor.pause,
            self.processor.resume,
            self.ask_to_stop,
            lambda: self.processor.reconfigure(forever()),
            scope.cancel if self.random.random() < 0.3 else self.ask_to_stop,
        ]
        await passes(self.random.randrange(8))
        self.random.choice(actions)()

    async def stop(self) -> None:
        await passes(self.random.randrange(12))
        self.ends.append(await self.processor.shutdown(force=self.random.random() < 0.2))

    async def run(self) -> None:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                self.processor.start(group)
                actors: list[Callable[[], Awaitable[None]]] = [
                    lambda: self.act(scope)
                ] * self.random.randrange(4)
                for actor in (*actors, self.stop, self.stop):
                    group.start_soon(actor)
        if scope.cancel_called:
            self.ends.append(await self.processor.shutdown())

    def check(self) -> None:
        kinds = [type(event) for event in self.events]
        started = kinds.count(IterationStarted)
        told = sum(kind in ANSWERED for kind in kinds)
        assert told == self.answered, "an answer was lost"
        assert started == told + kinds.count(IterationCancelled), "an iteration has no end"
        assert kinds.count(LoopEnded) <= 1, "more than one end"
        assert kinds.count(StopAsked) <= 1, "more than one stop"
        if LoopEnded in kinds:
            assert kinds[-1] is LoopEnded, "something after the end"
        if self.asked:
            assert IterationStarted not in kinds[min(self.asked) :], "a start after the stop"
        if StopAsked in kinds:
            assert IterationStarted not in kinds[kinds.index(StopAsked) :], "a start after the stop was told"
        assert self.running == 0
        assert not self.processor.is_running
        assert len(set(self.ends)) == 1, "callers were told different ends"


@pytest.mark.parametrize("part", range(4))
async def test_whatever_the_order_nothing_is_lost_doubled_or_started_after_the_stop(part: int) -> None:
    for seed in range(part, SCRIPTS, 4):
        trial = Trial(seed)
        try:
            await trial.run()
            trial.check()
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
