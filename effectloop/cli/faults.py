"""Trouble on purpose: functions that take a step of a pipeline and answer one that goes wrong at times.

The pipeline itself knows nothing of it. The same seed gives the same trouble: which fetches fail, which calls
meet the bug, and when the world is down.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from random import Random
from typing import Final, TypeAlias, TypeVar, final

from returns.io import IOFailure, IOResult

from effectloop.cli.outbox import Trouble

A = TypeVar("A")
B = TypeVar("B")

Step: TypeAlias = Callable[[A], IOResult[B, Trouble]]
"""A step of the pipeline: a function of one value that may fail, and says how."""

LOCKED: Final = 0.2
"""The share of calls that a locked database refuses: one in five."""

BROKEN: Final = 0.04
"""The share of calls that meet the bug: now and then."""

PERIOD: Final = 10.0
"""The world goes down once in so many seconds, or once in a run that is shorter."""

OUTAGE: Final = 0.4
"""The share of that time for which it stays down: 4 s of 10 s."""


@final
class Faults:
    """The trouble of one run, drawn from one seed.

    Args:
        seed: Where the draws start.
        seconds: How long messages are produced; a run shorter than `PERIOD` has a shorter outage.
        now: Seconds since the run began.
    """

    def __init__(self, seed: int, *, seconds: float, now: Callable[[], float]) -> None:
        self._seed = seed
        self._period = min(seconds, PERIOD)
        self._down_from = Random(f"{seed} down").uniform(0.15, 0.35) * self._period
        self._now = now

    def sometimes_locked(self, step: Step[A, B]) -> Step[A, B]:
        """One call in five fails, as on a database that somebody else has locked."""
        draw = Random(f"{self._seed} locked").random

        def locked_or_not(given: A) -> IOResult[B, Trouble]:
            if draw() < LOCKED:
                return IOFailure(sqlite3.OperationalError("database is locked"))
            return step(given)

        return locked_or_not

    def sometimes_down(self, step: Step[A, B]) -> Step[A, B]:
        """For a few seconds in ten every call is refused, as by a server that is down."""

        def down_or_not(given: A) -> IOResult[B, Trouble]:
            if self.world_is_down():
                return IOFailure(ConnectionRefusedError("the world is down"))
            return step(given)

        return down_or_not

    def sometimes_broken(self, step: Step[A, B]) -> Step[A, B]:
        """Now and then a call raises what its type does not promise: a bug that nobody foresaw."""
        draw = Random(f"{self._seed} broken").random

        def broken_or_not(given: A) -> IOResult[B, Trouble]:
            if draw() < BROKEN:
                msg = "list index out of range"
                raise IndexError(msg)
            return step(given)

        return broken_or_not

    def world_is_down(self) -> bool:
        """Tell whether the world refuses every call now."""
        if self._period == 0:
            return False
        return 0 <= self._now() % self._period - self._down_from < OUTAGE * self._period
