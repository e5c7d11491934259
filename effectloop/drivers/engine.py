"""The engine of a loop: feeds the state machine what happens, and does what it is told.

Everything about *when* is decided by `effectloop.loop.machine`; this is where a loop waits. One task runs the
loop; other tasks, threads and signal handlers put what they ask into inboxes, which are emptied before
anything else happens, stops first, so that a stop is never overtaken by a start.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager, suppress
from contextvars import ContextVar
from inspect import iscoroutine
from math import inf
from typing import Final, Generic, ParamSpec, TypeAlias, TypeVar, final

import anyio
from anyio import CancelScope, create_task_group, get_cancelled_exc_class, sleep_forever
from anyio.abc import TaskGroup
from anyio.lowlevel import checkpoint
from returns.future import FutureResult
from returns.io import IOResult
from returns.result import Failure, Result, Success

from effectloop.core.duration import Duration, positive
from effectloop.core.gate import function
from effectloop.core.node import Node
from effectloop.drivers.clock import Clock, SystemClock
from effectloop.drivers.factory import factory, result_of
from effectloop.drivers.stopping import current_flag
from effectloop.drivers.thread import Threads, current_threads
from effectloop.drivers.wake import waker
from effectloop.loop.events import Event, Identity, Observer
from effectloop.loop.machine import (
    NO_WORK,
    Abandon,
    Answer,
    Begin,
    ClockJumped,
    Cut,
    Do,
    End,
    GraceOver,
    Happening,
    Order,
    Phase,
    Raise,
    Reconfigure,
    Rules,
    Signal,
    Sleep,
    Stop,
    WaitOver,
    Watch,
    fresh,
    never,
    step,
)
from effectloop.loop.outcome import Defect, Ended, GateError, Outcome, Progress
from effectloop.loop.report import report
from effectloop.loop.status import Status, standing

E = TypeVar("E")
P = ParamSpec("P")

SLICE: Final = 60.0
"""Waits are cut into slices of at most this many seconds, after which the wall clock is looked at again."""

DRIFT: Final = 1.0
"""Wall and monotonic clock may drift apart by this many seconds before the schedule is asked again."""

Iteration = Callable[[], FutureResult[Progress, E]]
"""One turn of a loop: a factory, called anew each time."""


Gate: TypeAlias = Callable[[], AbstractAsyncContextManager[bool]]
"""Entered around each iteration: gives whether this replica may run, and may cut the iteration meanwhile."""


@final
class Engine(Generic[E]):
    """One run of one loop; see `run`."""

    def __init__(
        self,
        iteration: Iteration[E],
        rules: Rules[E],
        loop: Identity,
        *,
        of: str,
        clock: Clock | None,
        observe: Iterable[Observer],
        heartbeat: Callable[[], object] | None = None,
        heartbeat_every: Duration = 10.0,
        gate: Gate | None = None,
    ) -> None:
        self._iteration = factory(iteration, f"{of}: iteration")
        self._rules = rules
        self._loop = loop
        self._of = of
        self._clock = SystemClock() if clock is None else clock
        self._observers = tuple(observe)
        for observer in self._observers:
            function(observer, f"{of}: observe")
        self._heartbeat = None if heartbeat is None else function(heartbeat, f"{of}: heartbeat")
        self._heartbeat_every = positive(heartbeat_every, f"{of}: heartbeat_every")
        self._gate = None if gate is None else function(gate, f"{of}: gate")
        self._broken: set[Callable[..., object]] = set()
        self._state = fresh(rules)
        self._order: Order = Do.KEEP
        self._inbox: deque[Happening[E]] = deque()
        self._stops: deque[Stop] = deque()  # an inbox of their own, emptied first
        self._wake: Callable[[Callable[[], object]], object] | None = None
        self._group: TaskGroup | None = None  # holds the watchdog; there is one while the loop runs
        self._work: CancelScope | None = None  # everything but the watchdog: cancelled after the grace
        self._beats: CancelScope | None = None
        self._vigil: CancelScope | None = None
        self._nap: CancelScope | None = None  # the wait, while there is one: cancelled by a wake
        self._threads = Threads(self._late)
        self._started: float | None = None
        self._answered: float | None = None
        self._succeeded: float | None = None
        self._reached = 0.0  # the wall time that the last wait was to reach
        self._stopping: anyio.Event | None = None
        self.ended: Ended | None = None
        self.over: anyio.Event = anyio.Event()

    # What others ask.

    def ask(self, event: Happening[E]) -> None:
        """Have *event* happen soon; from any thread and from signal handlers."""
        if isinstance(event, Stop):
            self._stops.append(event)
        else:
            self._inbox.append(event)
        if self._wake is not None:
            with suppress(RuntimeError):  # the event loop has closed meanwhile, and the loop with it
                self._wake(self.attend)

    def reconfigure(self, pacing: Node[Outcome[E], object]) -> None:
        """Have *pacing* pace the loop soon; from any thread and from signal handlers."""
        self.ask(Reconfigure(pacing, self._clock.wall(), self._clock.monotonic()))

    def attend(self) -> None:
        """Let what was asked happen now; only in the event loop's own thread."""
        while self._stops:
            if self._stopping is not None:
                self._stopping.set()
            self._apply(self._stops.popleft())
        while self._inbox:
            self._apply(self._inbox.popleft())

    def is_inside(self) -> bool:
        """Tell whether this code runs inside the iteration that runs now, in child tasks and threads too."""
        return _inside.get() == (id(self), self._state.iterations) and self._state.phase in _AT_WORK

    def status(self) -> Status:
        """Answer a snapshot of the loop; from any thread."""
        state = self._state
        return Status(
            state=standing(state),
            now=self._clock.monotonic(),
            iterations=state.iterations,
            last_start=self._started,
            last_end=self._answered,
            last_success=self._succeeded,
            failures=state.failures,
            last_error=state.trouble,
            until=None if state.wait is None else state.wait.until,
            ended=self.ended,
        )

    # The run.

    async def run(self, stop: anyio.Event | None = None) -> Ended:
        """Run the loop to its end; raise the error that ended it, if one did."""
        self._wake = waker()
        self._stopping = anyio.Event()
        async with create_task_group() as group:
            self._group = group
            if stop is not None and stop.is_set():
                self._stops.append(_STOP)
            elif stop is not None:
                group.start_soon(self._stop_when, stop)
            if self._heartbeat is not None:
                self._beats = CancelScope(shield=True)  # it outlives the work that it speaks for
                group.start_soon(self._beat, self._heartbeat, self._beats)
            await self._conduct()
            group.cancel_scope.cancel()
        assert self.ended is not None  # `_conduct` ends the loop whatever happens
        if self.ended.error is not None:
            raise self.ended.error
        return self.ended

    async def _stop_when(self, stop: anyio.Event) -> None:
        await stop.wait()
        self._stops.append(_STOP)
        self.attend()

    async def _beat(self, heartbeat: Callable[[], object], beats: CancelScope) -> None:
        with beats:
            while True:
                await self._clock.sleep(self._heartbeat_every)
                self._call(heartbeat)

    async def _conduct(self) -> None:
        try:
            with CancelScope() as self._work:
                await self._drive()
        except get_cancelled_exc_class():
            raise
        except BaseException as error:  # it goes to the loop's owner, as the end of the loop
            self._feed(Raise(error))
        finally:
            now = self._clock.monotonic()
            self._feed(Cut(now if self._started is None else self._started, now))  # nothing once it has ended
            self._wake = None
            for scope in (self._beats, self._vigil):
                if scope is not None:
                    scope.cancel()
            self.over.set()

    async def _drive(self) -> None:
        clock = self._clock
        current_threads.set(self._threads)
        current_flag.set(self._stopping)
        self._feed(Begin(clock.monotonic(), clock.wall(), clock.draw()))
        while True:
            order = self._order
            if order is Do.RUN:
                await self._run_iteration()
            elif order is Do.CHECKPOINT:
                await checkpoint()
                self._feed(_CHECKED)
            elif isinstance(order, Sleep):
                await self._sleep(order)
            elif order is Do.SUSPEND:
                with CancelScope() as self._nap:
                    await sleep_forever()
                self._nap = None
            else:
                return

    async def _run_iteration(self) -> None:
        clock = self._clock
        _inside.set((id(self), self._state.iterations))
        started = self._started = clock.monotonic()
        answer = await (self._answer() if self._gate is None else self._guarded(self._gate))
        if isinstance(answer, TypeError):
            raise answer
        now = self._answered = clock.monotonic()
        if isinstance(answer, Success):
            self._succeeded = now
        wall = clock.wall()
        if 0 < self._reached - wall < DRIFT:
            wall = self._reached  # a wall clock a little behind must not start a calendar's slot twice
        self._feed(Answer(answer, started, now, wall, clock.draw()))

    async def _guarded(self, gate: Gate) -> Result[Progress, E | Defect] | TypeError:
        """Run the iteration inside *gate*, if it lets this replica run."""
        allowed: object = False
        answer: Result[Progress, E | Defect] | TypeError = Failure(
            Defect(GateError("the gate cut the iteration"))
        )
        try:
            async with gate() as allowed:
                answer = await self._answer() if allowed is True else NO_WORK
        except Exception as error:
            failure = GateError("the gate raised")
            failure.__cause__ = error
            return Failure(Defect(failure))
        given: object = allowed  # the annotation is a promise, not a fact
        if not isinstance(given, bool):
            return TypeError(f"{self._of}: gate must give a bool, got {given!r}")
        return answer

    async def _answer(self) -> Result[Progress, E | Defect] | TypeError:
        """Run the iteration; a broken promise is answered, so that a gate around it is left in peace."""
        try:
            future = self._iteration()
        except Exception as error:
            return Failure(Defect(error))
        given: object = future  # the annotation is a promise, not a fact
        if not isinstance(given, FutureResult):
            return self._broken_promise(given)
        try:
            result = result_of(await future)
        except Exception as error:
            return Failure(Defect(error))
        if isinstance(result, Success):
            progress: object = result.unwrap()
            if isinstance(progress, Progress):
                return result
        elif isinstance(result, Failure):
            return result
        return self._broken_promise(result)

    def _broken_promise(self, value: object) -> TypeError:
        got, hint = f"{value!r} of type {type(value).__name__}", ""
        if isinstance(value, IOResult):
            hint = "; say blocking work with in_thread(iteration)"
        elif iscoroutine(value):
            value.close()
            hint = "; decorate an async function with future_safe, or wrap its coroutine in FutureResult"
        return TypeError(f"{self._of}: iteration must answer a FutureResult of Progress, got {got}{hint}")

    async def _sleep(self, order: Sleep) -> None:
        clock = self._clock
        with CancelScope() as self._nap:
            await clock.sleep(min(order.until - clock.monotonic(), SLICE))
        self._nap = None
        if self._order is not order:
            return
        now = clock.monotonic()
        wait = self._state.wait
        if wait is not None:
            question, wall = wait.question, clock.wall()
            if abs((wall - question.tick.wall) - (now - question.at)) > DRIFT:
                self._feed(ClockJumped(now, wall))
            self._reached = question.tick.wall + (wait.until - question.at)
        self._feed(WaitOver(now))

    async def _watch(self, order: Watch, vigil: CancelScope) -> None:
        with vigil:
            await self._clock.sleep(order.grace)
            self._feed(GraceOver(order.grace))
            await self._clock.sleep(order.cancel_grace)
            self._feed(Signal.CANCEL_GRACE_OVER)

    # What happens.

    def _feed(self, event: Happening[E]) -> None:
        if self._stops or self._inbox:
            self.attend()
        self._apply(event)

    def _apply(self, event: Happening[E]) -> None:
        before, rules = self._state, self._rules
        try:
            after, order = step(rules, before, event)
        except Exception as error:  # a callback's: of the pacing, or a predicate, which is not asked again
            _attach(error, event)
            rules = rules._replace(no_work=never, cancelled=never)
            after, order = step(rules, before, Raise(error))
        self._state = after
        if (order is Do.RUN or order is Do.CHECKPOINT) and self._nap is None:
            self._order = order  # the hot way round
        elif order is not Do.KEEP:
            self._obey(order)
        if self._observers:
            now = self._clock.monotonic()
            for record in report(self._loop, rules, before, event, after, order, now):
                self._publish(record)

    def _obey(self, order: Order) -> None:
        if isinstance(order, Watch):
            if self._group is not None:
                if self._vigil is not None:
                    self._vigil.cancel()  # a forced stop cuts an earlier grace short
                self._vigil = CancelScope(shield=True)  # the grace is kept in a cancelled group, too
                self._group.start_soon(self._watch, order, self._vigil)
        elif isinstance(order, Abandon):
            self.ended = order.ended
            self.over.set()
            self._threads.let_go()
        elif order is Do.CANCEL:
            if self._work is not None:
                self._work.cancel()
        else:
            self._order = order
            if isinstance(order, End):
                self.ended = order.ended
            if self._nap is not None:
                self._nap.cancel()

    def _publish(self, record: Event) -> None:
        for observer in self._observers:
            self._call(observer, record)

    def _call(self, function: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        """Call an observer or the heartbeat; what it raises is reported once, and ends nothing."""
        try:
            function(*args, **kwargs)
        except Exception:
            if function not in self._broken:
                self._broken.add(function)
                _LOG.exception("%r raised; this is reported once", function)

    def _late(self, result: Result[object, object]) -> None:
        """Tell the answer of a thread that was let go of; called in that thread.

        It is the iteration's own answer, unless it is no `Progress`: then the thread did but one of its
        steps, and nobody waits for it.
        """
        if self._observers and (isinstance(result, Failure) or isinstance(result.unwrap(), Progress)):
            now = self._clock.monotonic()
            left = self._state._replace(phase=Phase.ABANDONED)
            own: Result[Progress, E] = result  # type: ignore[assignment]  # as the docstring says
            answer: Answer[E] = Answer(own, self._started or now, now, 0.0, 0.0)
            for record in report(self._loop, self._rules, left, answer, left, Do.KEEP, now):
                self._publish(record)


def _attach(error: Exception, event: Happening[E]) -> None:
    """Let *error* show the failure that the pacing was asked about."""
    if not isinstance(event, Answer) or not isinstance(event.result, Failure):
        return
    failure: object = event.result.failure()
    cause = failure.error if isinstance(failure, Defect) else failure
    if isinstance(cause, BaseException) and error.__context__ is None and cause is not error:
        error.__context__ = cause


_STOP: Final = Stop(grace=None, cancel_grace=0.0)  # the running iteration may take its time
_CHECKED: Final = WaitOver(inf)  # a checkpoint is over whatever the time
_LOG: Final = logging.getLogger("effectloop")
_AT_WORK: Final = (Phase.RUNNING, Phase.CANCELLING, Phase.ABANDONED)
_inside: Final[ContextVar[tuple[int, int] | None]] = ContextVar("effectloop.inside", default=None)
