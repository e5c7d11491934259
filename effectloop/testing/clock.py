"""Time for tests: `VirtualClock` runs a day of loop in milliseconds, on asyncio, uvloop and trio alike.

This module is imported by tests alone; nothing else in the package imports it.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from math import isfinite
from types import TracebackType
from typing import Final, Self, final

import anyio
from anyio import CancelScope, NoEventLoopError, create_task_group, from_thread, get_cancelled_exc_class
from anyio.lowlevel import checkpoint
from typing_extensions import override

from effectloop.core.duration import Duration
from effectloop.core.duration import seconds as _seconds
from effectloop.core.gate import finite, unit
from effectloop.testing.quiet import Tasks, threads_at_work, watching

_SECOND: Final = 1_000_000_000

_QUIET: Final = 3
"""Passes of the event loop in a row without a task that runs, before all are taken to wait."""

_RESTLESS: Final = 100_000
"""Passes with a task that runs, while time stands still, before that is taken to go on for ever."""


@final
class VirtualClock:
    """A `Clock` whose time passes when the test says so, or when every task waits.

    Two ways to let time pass:

    - ``await clock.advance(10)``: by ten seconds, exactly. Otherwise the clock stands still.
    - ``async with VirtualClock() as clock:`` inside the block time jumps to the next wake whenever every task
      waits; nobody has to advance, and `advance` works there as well.

    Either way what is due happens in order of time, and at one instant in order of registration; all that one
    wake leads to has happened before the next. Work takes no time unless it sleeps on the clock. A worker
    thread (of ``anyio``, ``asyncio`` or ``trio.to_thread``) that works is waited for, in real time, before
    time passes; one that waits in `block` is not. Waits for other things, such as real sleeps and sockets,
    the clock cannot see: time may pass meanwhile. Inside it counts whole nanoseconds.

    Args:
        start: What `monotonic` answers at first, in seconds.
        wall: What `wall` answers at first, in POSIX seconds; see `shift_wall`.
        draws: What `draw` answers, in [0, 1): one number for all, one a draw, or a function of the virtual
            time in seconds.
        patience: How long to wait in real time for a thread, or for anything at all to happen, before that is
            an error; in seconds or as a timedelta.
    Raises:
        TypeError: *start*, *wall*, *patience* or a draw is no number.
        ValueError: One of them is out of range, or there are fewer draws than are drawn.
        RuntimeError: While time should pass (raised by `advance`, or out of the block): a task runs on and on
            without waiting, or nothing happened within *patience*; when two tasks advance at once.
    Source:
        trio's ``MockClock``, for both backends and without its real naps.
    Example:
        >>> import anyio
        >>> from effectloop.testing import VirtualClock
        >>> async def ticker(clock):
        ...     while True:
        ...         await clock.sleep(60)
        ...         print("a minute later:", clock.monotonic())
        >>> async def by_hand():
        ...     clock = VirtualClock()
        ...     async with anyio.create_task_group() as group:
        ...         group.start_soon(ticker, clock)
        ...         await clock.advance(150)
        ...         group.cancel_scope.cancel()
        >>> anyio.run(by_hand)
        a minute later: 60.0
        a minute later: 120.0
        >>> async def by_itself():
        ...     async with VirtualClock() as clock:
        ...         with clock.limit(150):
        ...             await ticker(clock)
        ...         print(clock.monotonic())
        >>> anyio.run(by_itself)
        a minute later: 60.0
        a minute later: 120.0
        150.0
    """

    def __init__(
        self,
        *,
        start: float = 0.0,
        wall: float = 0.0,
        draws: float | Iterable[float] | Callable[[float], float] = 0.5,
        patience: Duration = 10.0,
    ) -> None:
        self._now = _nanoseconds(finite(start, "VirtualClock: start"))
        self._wall = _nanoseconds(finite(wall, "VirtualClock: wall")) - self._now
        self._draws = _draws(draws)
        self._patience = _seconds(patience, "VirtualClock: patience")
        self._wakes = _Wakes()
        self._advancing = False
        self._jumping = False
        self._jumps_until = AsyncExitStack()
        self._failure: RuntimeError | None = None

    @override
    def __repr__(self) -> str:
        return f"<VirtualClock at {self.monotonic()} s>"

    # What a clock does.

    def monotonic(self) -> float:
        """Answer the virtual time, in seconds."""
        return self._now / _SECOND

    def wall(self) -> float:
        """Answer the virtual POSIX time; it passes as `monotonic` does, and jumps by `shift_wall`."""
        return (self._wall + self._now) / _SECOND

    def draw(self) -> float:
        """Answer the next draw."""
        return unit(self._draws(self.monotonic()), "VirtualClock: draws")

    async def sleep(self, seconds: float) -> None:
        """Wait until the virtual time is *seconds* later; a checkpoint for 0 or less."""
        due = self._now + _nanoseconds(seconds)
        if due > self._now:
            await self._wait(due)
        else:
            await checkpoint()

    def limit(self, seconds: float) -> AbstractContextManager[CancelScope, bool]:
        """Cancel the body when the virtual time is *seconds* later than now, whatever it waits for."""
        due = self._now + _nanoseconds(seconds)
        return _Limit(self._wakes, due if due > self._now else None)

    def block(self, seconds: float) -> None:
        """Let *seconds* of virtual time pass in blocking code.

        In a worker thread of ``anyio.to_thread`` it waits, as `sleep` does, until the virtual time gets
        there. Anywhere else there is nobody to wait for: it moves the time itself, and what is due happens
        when the event loop, if there is one, runs on.

        Raises:
            RuntimeError: In a worker thread, that nobody has let time pass within the clock's patience.
        """
        if seconds <= 0:
            return
        woken = threading.Event()
        try:
            from_thread.run_sync(self._enroll, woken, seconds)
        except NoEventLoopError:
            self._now += _nanoseconds(seconds)
            return
        while not woken.wait(self._patience):
            if not (self._advancing or self._jumping):
                self._wakes.drop(woken)
                msg = f"VirtualClock.block: nobody has let time pass for {self._patience} s of real time"
                raise RuntimeError(msg)

    # What a test does.

    async def advance(self, seconds: Duration) -> None:
        """Let *seconds* pass: all that is due until then, and then, happens, and what it leads to settles.

        ``advance(0)`` lets everything settle, and the time stand. In a test that advances by hand, only one
        task does; the others sleep.

        Args:
            seconds: How long, in seconds or as a timedelta.
        """
        until = self._now + _nanoseconds(_seconds(seconds, "VirtualClock.advance: seconds"))
        if self._jumping:
            await self._wait(until, last=True)
            return
        if self._advancing:
            msg = "VirtualClock.advance: must not be called while another task advances; sleep instead"
            raise RuntimeError(msg)
        self._advancing = True
        try:
            await self._drive(until)
        finally:
            self._advancing = False

    def shift_wall(self, seconds: float) -> None:
        """Let `wall` jump by *seconds*, back if negative: somebody set the clock, or the machine slept."""
        if not isfinite(seconds):
            msg = f"VirtualClock.shift_wall: seconds must be a finite number, got {seconds!r}"
            raise ValueError(msg)
        self._wall += _nanoseconds(seconds)

    async def __aenter__(self) -> Self:
        """Let time jump to the next wake whenever every task waits, until the block is left."""
        if self._jumping or self._advancing:
            msg = "VirtualClock: must not be entered while time passes already"
            raise RuntimeError(msg)
        await self._jumps_until.enter_async_context(self._jumps())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        """Let the clock stand still again."""
        return await self._jumps_until.__aexit__(kind, error, traceback)

    # How time passes.

    @asynccontextmanager
    async def _jumps(self) -> AsyncGenerator[None]:
        raised: BaseException | None = None
        self._failure = None
        self._jumping = True
        try:
            async with create_task_group() as group:
                with CancelScope() as body:
                    group.start_soon(self._jump, body, name="VirtualClock")
                    try:
                        yield
                    except get_cancelled_exc_class():
                        raise
                    except BaseException as error:  # past the group, so that it leaves as itself
                        raised = error
                group.cancel_scope.cancel()
        finally:
            self._jumping = False
        if self._failure is not None:
            raise self._failure from raised
        if raised is not None:
            raise raised

    async def _jump(self, body: CancelScope) -> None:
        for _ in range(2):  # after a failure once more: what it cancels may have to sleep before it ends
            try:
                await self._drive(None)
            except RuntimeError as error:
                self._failure = self._failure or error
                body.cancel()

    async def _drive(self, until: int | None) -> None:
        """Fire what is due until then, each when all tasks wait; without end if *until* is None."""
        with watching() as tasks:
            while True:
                await self._settle(tasks)
                wake = self._wakes.take(until)
                if wake is not None:
                    due, fire = wake
                    self._now = max(self._now, due)
                    fire()
                elif until is not None:
                    self._now = max(self._now, until)
                    return
                else:
                    await self._stir(tasks, "every task waits, and none of them on this clock")

    async def _settle(self, tasks: Tasks) -> None:
        """Return when every task waits, and every thread at work has come back."""
        quiet = restless = 0
        while quiet < _QUIET:
            await checkpoint()
            busy = tasks.busy()
            if busy is not None:
                quiet = 0
                restless += 1
                if restless > _RESTLESS:
                    msg = f"VirtualClock: time stands still: task {busy!r} runs on and on without waiting"
                    raise RuntimeError(msg)
                continue
            quiet += 1
            if quiet == _QUIET and threads_at_work() > self._wakes.blocked_threads():
                quiet = 0
                await self._stir(
                    tasks, "a thread is at work (one that waits for time calls the clock's block)"
                )

    async def _stir(self, tasks: Tasks, why: str) -> None:
        """Wait, in real time, until some task is woken or has something to do with the clock."""
        stirred = anyio.Event()
        self._wakes.added = stirred.set
        try:
            with anyio.move_on_after(self._patience), tasks.bell(stirred.set):
                await stirred.wait()
        finally:
            self._wakes.added = None
        if not stirred.is_set():
            msg = f"VirtualClock: nothing has happened for {self._patience} s of real time: {why}"
            raise RuntimeError(msg)

    async def _wait(self, due: int, *, last: bool = False) -> None:
        woken = anyio.Event()
        self._wakes.add(woken, due, woken.set, last=last)
        try:
            await woken.wait()
        finally:
            self._wakes.drop(woken)

    def _enroll(self, woken: threading.Event, seconds: float) -> None:
        self._wakes.add(woken, self._now + _nanoseconds(seconds), woken.set)


@final
class _Wakes:
    """What is due: in order of time, at one instant the last ones last, else in order of registration."""

    def __init__(self) -> None:
        self._wakes: dict[object, tuple[int, bool, Callable[[], object]]] = {}  # when, whether last, what
        self.added: Callable[[], object] | None = None  # told of every new wake

    def add(self, key: object, due: int, fire: Callable[[], object], *, last: bool = False) -> None:
        self._wakes[key] = (due, last, fire)
        if self.added is not None:
            self.added()

    def drop(self, key: object) -> None:
        self._wakes.pop(key, None)

    def take(self, until: int | None) -> tuple[int, Callable[[], object]] | None:
        """Take the next one away, unless it is due after *until*; of equals `min` finds the first."""
        key = min(self._wakes, key=lambda key: self._wakes[key][:2], default=None)
        if key is None or (until is not None and self._wakes[key][0] > until):
            return None
        due, _, fire = self._wakes.pop(key)
        return due, fire

    def blocked_threads(self) -> int:
        """Count the worker threads that wait in `VirtualClock.block`, also those that were left behind."""
        return sum(isinstance(key, threading.Event) for key in self._wakes)


@final
class _Limit:
    """A cancel scope that a wake cancels while it is entered; at once if nothing is due."""

    def __init__(self, wakes: _Wakes, due: int | None) -> None:
        self._wakes = wakes
        self._due = due
        self._scope = CancelScope()

    def __enter__(self) -> CancelScope:
        if self._due is None:
            self._scope.cancel()
        else:
            self._wakes.add(self._scope, self._due, self._scope.cancel)
        return self._scope.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        self._wakes.drop(self._scope)
        return self._scope.__exit__(kind, error, traceback)


def _nanoseconds(seconds: float) -> int:
    whole = int(seconds)  # apart, since a POSIX time has no nanoseconds to spare as a float
    return whole * _SECOND + round((seconds - whole) * _SECOND)


def _draws(draws: float | Iterable[float] | Callable[[float], float]) -> Callable[[float], float]:
    if callable(draws):
        return draws
    if not isinstance(draws, Iterable):
        number = unit(draws, "VirtualClock: draws")
        return lambda _: number
    numbers = iter(draws)

    def next_number(_: float) -> float:
        for number in numbers:
            return number
        msg = "VirtualClock: draws must be one number, or as many as are drawn, got too few"
        raise ValueError(msg)

    return next_number
