"""What the owner of a loop holds: start it, steer it, stop it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Generic, Literal, Self, TypeVar

from anyio import create_task_group
from anyio.abc import TaskGroup
from anyio.lowlevel import checkpoint
from returns.future import FutureResult

from effectloop.core.duration import Duration, seconds
from effectloop.core.gate import function
from effectloop.core.schedule import Schedule, node_of
from effectloop.drivers.clock import Clock
from effectloop.drivers.engine import Engine, Gate
from effectloop.loop.events import Identity, Observer
from effectloop.loop.machine import Rules, Signal, Stop, never
from effectloop.loop.outcome import Ended, Outcome, Progress
from effectloop.loop.status import Status

E = TypeVar("E")


class Handle(Generic[E]):
    """A loop that its owner starts once and stops once; the base of `BackgroundProcessor` and `Worker`.

    `start` runs the loop in a task group that the owner holds; ``async with`` does the same in a group of its
    own and shuts the loop down on leaving. `stop`, `trigger`, `pause`, `resume` and `reconfigure` only ask,
    and may be called from any thread and from signal handlers; `shutdown` waits for the end.
    """

    def __init__(
        self,
        iteration: Callable[[], FutureResult[Progress, E]],
        loop: Identity,
        *,
        pacing: Schedule[Outcome[E], object],
        first: Schedule[None, object],
        grace: Duration,
        cancel_grace: Duration,
        on_defect: Literal["pace", "end"],
        no_work: Callable[[object], bool],
        cancelled: Callable[[E], bool] | None,
        clock: Clock | None,
        observe: Iterable[Observer],
        heartbeat: Callable[[], object] | None,
        heartbeat_every: Duration,
        gate: Gate | None,
    ) -> None:
        of = type(self).__name__
        name: object = loop.name  # the annotations are promises, not facts
        policy: object = on_defect
        if not isinstance(name, str) or not name:
            msg = f"{of}: name must be a text that is not empty, got {name!r}"
            raise ValueError(msg) if name == "" else TypeError(msg)
        if policy not in ("pace", "end"):
            msg = f"{of}: on_defect must be 'pace' or 'end', got {policy!r}"
            raise ValueError(msg)
        rules: Rules[E] = Rules(
            pacing=node_of(pacing, f"{of}: pacing"),
            first=first.node,
            on_defect=on_defect,
            no_work=no_work,
            cancelled=never if cancelled is None else function(cancelled, f"{of}: cancelled"),
        )
        self._engine = Engine(
            iteration,
            rules,
            loop,
            of=of,
            clock=clock,
            observe=observe,
            heartbeat=heartbeat,
            heartbeat_every=heartbeat_every,
            gate=gate,
        )
        self._of = of
        self._grace = seconds(grace, f"{of}: grace")
        self._cancel_grace = seconds(cancel_grace, f"{of}: cancel_grace")
        self._is_started = False
        self._is_stopped = False
        self._own_group: TaskGroup | None = None

    @property
    def is_running(self) -> bool:
        """Whether the loop was started, has not been asked to stop, and has not ended for whatever reason."""
        return self._is_started and not self._is_stopped and self._engine.ended is None

    def status(self) -> Status:
        """Answer a snapshot of the loop, without any error object; from any thread."""
        return self._engine.status()

    def is_alive(self, max_stall: Duration) -> bool:
        """Tell whether the loop gets on: nothing is overdue by more than *max_stall* (`Status.is_alive`)."""
        return self.status().is_alive(max_stall)

    def start(self, task_group: TaskGroup) -> None:
        """Start the loop in *task_group* and return at once.

        A loop starts once: a second call does nothing, nor does one after a stop. The error that ends the
        loop, if one does, is raised into *task_group*.
        """
        if self._is_started or self._is_stopped:
            return
        self._is_started = True
        try:
            task_group.start_soon(self._engine.run, name=self._of)
        except BaseException:  # a group that was left takes no tasks: nothing runs, nothing to wait for
            self._is_started = False
            raise

    def stop(self) -> None:
        """Ask for the end and return at once: a wait ends now, no further iteration starts.

        A running iteration may finish within the grace, and is cancelled then, whether or not anybody waits.
        """
        self._is_stopped = True
        self._engine.ask(Stop(self._grace, self._cancel_grace))

    async def shutdown(
        self, grace: Duration | None = None, cancel_grace: Duration | None = None, *, force: bool = False
    ) -> Ended | None:
        """Ask for the end, wait for it, and answer how the loop ended.

        Wakes a wait at once and starts no further iteration. A running iteration may finish within *grace*;
        it is then cancelled, and after *cancel_grace* the caller is answered at the latest (``abandoned``).
        The grace is kept by the loop itself: a caller that gives up does not end it. Every further call waits
        for the same end, within the first one's grace. Never raises the loop's own cancellation, nor the
        error that ended it.

        Args:
            grace: How long a running iteration may go on, in seconds or as a timedelta; 0 cancels it at once,
                None means the handle's own.
            cancel_grace: How long a cancelled iteration may take to end; None means the handle's own.
            force: Cancel a running iteration now, whatever grace was given before.
        Outputs:
            How the loop ended; None from inside the loop's own running iteration, where it only asks for the
            stop.
        """
        longest = self._grace if grace is None else seconds(grace, "shutdown: grace")
        longest = 0.0 if force else longest
        longest_cancel = (
            self._cancel_grace if cancel_grace is None else seconds(cancel_grace, "shutdown: cancel_grace")
        )
        self._is_stopped = True
        if not self._is_started:
            await checkpoint()
            return Ended("drained", None, 0, None)
        self._engine.ask(Stop(longest, longest_cancel, force))
        if self._engine.is_inside():
            return None
        self._engine.attend()
        await self._engine.over.wait()
        return self._engine.ended

    def trigger(self) -> None:
        """Have the next iteration run now: a wait ends at once, and any number of triggers makes one run.

        While an iteration runs, or the loop is paused, it is remembered and makes one run.
        """
        self._engine.ask(Signal.TRIGGER)

    def pause(self) -> None:
        """Start no iteration until `resume`; a running one finishes, and a wait that runs out is due then."""
        self._engine.ask(Signal.PAUSE)

    def resume(self) -> None:
        """Go on after `pause`: at once if an iteration is due or triggered, else when the wait is over."""
        self._engine.ask(Signal.RESUME)

    def reconfigure(self, pacing: Schedule[Outcome[E], object]) -> None:
        """Pace the loop by *pacing* from now on, as a new phase.

        During a wait it decides again from the last outcome, counted from that outcome's end; an initial wait
        and a trigger are left alone.

        Raises:
            TypeError: *pacing* is no schedule.
        """
        self._engine.reconfigure(node_of(pacing, "reconfigure: pacing"))

    async def __aenter__(self) -> Self:
        if self._is_started:
            msg = f"{self._of}: async with must be the first to start the loop, and it was started already"
            raise RuntimeError(msg)
        self._own_group = create_task_group()
        await self._own_group.__aenter__()
        self.start(self._own_group)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        assert self._own_group is not None  # __aenter__ came first
        try:
            if error is None or isinstance(error, Exception):
                await self.shutdown()
        except BaseException as cut:  # the shutdown was cancelled: the group must be left all the same
            kind, error, traceback = type(cut), cut, cut.__traceback__
        try:
            return await self._own_group.__aexit__(kind, error, traceback)
        except BaseExceptionGroup as group:
            failed = self._engine.ended is not None and self._engine.ended.error is not None
            if error is not None and not failed:
                return False  # nothing but the body's own error, which goes on by itself
            single = _single(group)
        context = single.__context__
        try:
            raise single
        finally:
            single.__context__ = context  # what it came from, not the cancellation that it brought about


def _single(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Answer the one error of *group*, which a task group wrapped, or the group when it holds several."""
    return group.exceptions[0] if len(group.exceptions) == 1 else group
