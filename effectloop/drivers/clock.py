"""The world as a driver sees it: `Clock`, and `SystemClock`, the real one."""

from __future__ import annotations

import os
import time
from contextlib import AbstractContextManager
from random import Random
from typing import Final, Protocol, final

import anyio
from anyio.lowlevel import checkpoint
from typing_extensions import override

_COARSEST: Final = 0.001
"""The longest an event loop's timer may be early, in seconds: uvloop rounds to whole milliseconds."""


class Clock(Protocol):
    """Time and chance for whoever runs a schedule; all times are float seconds.

    A driver reads it once a decision and hands on what it read in a `Tick`. `SystemClock` is the real one,
    `effectloop.testing.VirtualClock` the one for tests. A user's own keeps the promises below.
    """

    def monotonic(self) -> float:
        """Answer seconds since some fixed moment; they never go back, and every wait is counted in them."""
        ...

    def wall(self) -> float:
        """Answer POSIX seconds, for calendars only: they may jump either way."""
        ...

    def draw(self) -> float:
        """Answer the next uniform number in [0, 1); one is drawn for each decision."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait until *seconds* later on `monotonic`: never less, and a checkpoint also for 0 or less.

        It is awaited inside a cancel scope that a wake cancels, so it lets cancellation pass.
        """
        ...

    def limit(self, seconds: float) -> AbstractContextManager[anyio.CancelScope, bool]:
        """Answer a context manager that cancels its body *seconds* after this call, never earlier.

        It gives the scope, whose ``cancelled_caught`` tells afterwards whether the body was cut by it. For 0
        or less the body is cancelled at its first checkpoint.
        """
        ...

    def block(self, seconds: float) -> None:
        """Wait as `sleep` does, blocking the thread: for drivers without an event loop. At once for 0."""
        ...


@final
class SystemClock:
    """The machine's clocks, and a generator of its own.

    Waits are counted on ``time.monotonic``, so a change of the wall clock moves none of them, and a timer
    that fires early is waited out. Nothing is seeded before the first draw: two runs differ, forked children
    differ, and a given *seed* repeats.

    Args:
        seed: Where the draws begin, any integer; None takes it from the operating system.
    Raises:
        TypeError: *seed* is neither an integer nor None.
    Example:
        >>> from effectloop import SystemClock
        >>> SystemClock(seed=7).draw() == SystemClock(seed=7).draw()
        True
    """

    __slots__ = ("_drawn_in", "_random", "_seed")

    def __init__(self, seed: int | None = None) -> None:
        given: object = seed  # the annotation is a promise, not a fact
        if given is not None and (not isinstance(given, int) or isinstance(given, bool)):
            msg = f"SystemClock: seed must be an integer or None, got {seed!r}"
            raise TypeError(msg)
        self._seed = seed
        self._random: Random | None = None
        self._drawn_in = 0  # the process that seeded the generator

    @override
    def __repr__(self) -> str:
        return f"SystemClock(seed={self._seed})"

    def monotonic(self) -> float:
        """Answer ``time.monotonic()``."""
        return time.monotonic()

    def wall(self) -> float:
        """Answer ``time.time()``."""
        return time.time()

    def draw(self) -> float:
        """Answer the next number of this clock's generator, which the first draw makes."""
        if self._random is None or (self._seed is None and self._drawn_in != os.getpid()):
            self._random, self._drawn_in = Random(self._seed), os.getpid()
        return self._random.random()

    async def sleep(self, seconds: float) -> None:
        """Sleep until *seconds* have passed, on when a timer fires early; 0 or less is one checkpoint."""
        if seconds <= 0:
            await checkpoint()
            return
        end = time.monotonic() + seconds
        await anyio.sleep(seconds)
        while time.monotonic() < end:
            await anyio.sleep(_COARSEST)  # a timer of less would not wait at all where they are rounded

    def limit(self, seconds: float) -> AbstractContextManager[anyio.CancelScope, bool]:
        """Answer a cancel scope whose deadline is *seconds* from now; for 0 or less it is cancelled."""
        if seconds > 0:
            return anyio.CancelScope(deadline=_loop_time() + seconds)
        scope = anyio.CancelScope()
        scope.cancel()
        return scope

    def block(self, seconds: float) -> None:
        """Block with ``time.sleep``, which is never early; for 0 or less it is not called, as it costs."""
        if seconds > 0:
            time.sleep(seconds)


def _loop_time() -> float:
    """Answer the time now on the clock that deadlines are compared with.

    uvloop reads that clock once a pass of its loop and rounds it down, so a limit counted from there would
    end early by what the pass has taken so far; asyncio's loops count as ``time.monotonic`` does. trio's
    clock has another beginning, and is read afresh.
    """
    now = anyio.current_time()
    on_asyncio = anyio.get_cancelled_exc_class().__module__.startswith("asyncio")
    return max(now, time.monotonic()) if on_asyncio else now
