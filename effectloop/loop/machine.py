"""The loop's own state machine: a pure function from (state, event) to (state, what to do next).

House rules:

- every decision about a loop is taken here, and nothing here waits, reads a clock or calls a user's work:
  a driver feeds events in and does what it is told (`effectloop.drivers.engine`);
- the machine is total: an event that means nothing in a phase changes nothing and is never an error;
- once a stop is asked no iteration starts and the pacing is not asked again;
- an iteration that answers has answered, whatever came first: its answer is counted and told, also when it
  was cancelled or given up meanwhile.

The hot way round is `Answer` (delay 0), `WaitOver`, `Answer`: it makes two states, one outcome and one tick.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Final, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from returns.result import Result, Success

from effectloop.core.node import Node, Tick
from effectloop.loop.outcome import Defect, Ended, GateError, Outcome, Progress, Reason

E = TypeVar("E")
I = TypeVar("I")  # noqa: E741 the core's letter for an input

EARLY: Final = 1e-6
"""A wait that ends up to this many seconds early is over: less than a microsecond is float noise."""

NO_WORK: Final = Success(Progress(has_more=False))


class Rules(NamedTuple, Generic[E]):
    """What a loop was told when it was built; it never changes.

    Attributes:
        pacing: Decides the wait after each iteration; the loop is finished when it is done.
        first: Decides the wait before the first iteration; done means none.
        on_defect: Whether a defect is paced like a failure, or ends the loop.
        no_work: Failures that mean "no work": they are no errors.
        cancelled: Failures that mean "I was told to stop": no errors while the loop is stopping.
    """

    pacing: Node[Outcome[E], object]
    first: Node[None, object]
    on_defect: Literal["pace", "end"]
    no_work: Callable[[object], bool]
    cancelled: Callable[[E], bool]


class Phase(Enum):
    """Where a loop stands."""

    NEW = auto()  # not begun
    WAITING = auto()  # until the planned wake
    DUE = auto()  # the wait ran out while the loop was paused
    RUNNING = auto()
    CANCELLING = auto()  # the running iteration was cancelled and has not answered yet
    ABANDONED = auto()  # nor did it after the cancellation's grace: the callers were answered
    ENDED = auto()


class Asked(NamedTuple):
    """What has been asked of the loop and is not done yet; it rarely changes."""

    stop: bool
    pause: bool
    trigger: bool


NOTHING: Final = Asked(False, False, False)


class Question(NamedTuple, Generic[I]):
    """What a schedule was asked, so that it can be asked again during the wait: a step is pure."""

    node: Node[I, object]
    tick: Tick[I]
    at: float  # the monotonic moment from which the answered delay counts


class Wait(NamedTuple, Generic[E]):
    """A wait that the pacing decided: until when, why, and what it was asked."""

    until: float
    why: object
    question: Question[Outcome[E]]


class FirstWait(NamedTuple):
    """The wait before the first iteration."""

    until: float
    why: Reason
    question: Question[None]


class State(NamedTuple, Generic[E]):
    """All that a loop remembers. A position at recurrence 0 begins when the iteration it judges started."""

    phase: Phase
    node: Node[Outcome[E], object]
    recurrence: int
    began: float
    iterations: int
    failures: int
    trouble: tuple[type[object], str] | None  # type and text of the last error, never the object
    asked: Asked
    wait: Wait[E] | FirstWait | None  # None while waiting: no more than a checkpoint


def never(_: object) -> bool:
    """Answer False: no failure is anything but an error."""
    return False


def fresh(rules: Rules[E]) -> State[E]:
    """Answer the state of a loop that has not begun."""
    return State(Phase.NEW, rules.pacing, 0, 0.0, 0, 0, None, NOTHING, None)


# What happens to a loop.


class Begin(NamedTuple):
    """The driver is ready."""

    now: float
    wall: float
    draw: float


class Answer(NamedTuple, Generic[E]):
    """The iteration ended with a result."""

    result: Result[Progress, E | Defect]
    started: float
    now: float
    wall: float
    draw: float


class WaitOver(NamedTuple):
    """The driver's wait ended by itself."""

    now: float


class Stop(NamedTuple):
    """Somebody asked for the end. A grace of None never runs out; force cuts an earlier grace short."""

    grace: float | None
    cancel_grace: float
    force: bool = False


class Reconfigure(NamedTuple, Generic[E]):
    """Somebody gave another pacing."""

    pacing: Node[Outcome[E], object]
    wall: float
    now: float


class ClockJumped(NamedTuple):
    """Wall clock and monotonic clock have drifted apart since the last question."""

    now: float
    wall: float


class GraceOver(NamedTuple):
    """The running iteration did not end within the grace."""

    grace: float


class Cut(NamedTuple):
    """A cancellation reached the loop's task: the work, or the wait, was cut."""

    started: float
    now: float


class Raise(NamedTuple):
    """Something that no schedule paces: a broken promise of the iteration, or no `Exception` at all."""

    error: BaseException


class Signal(Enum):
    """Events that carry nothing."""

    TRIGGER = auto()
    PAUSE = auto()
    RESUME = auto()
    CANCEL_GRACE_OVER = auto()


Happening: TypeAlias = (
    Begin | Answer[E] | WaitOver | Stop | Reconfigure[E] | ClockJumped | GraceOver | Cut | Raise | Signal
)


# What the driver is to do next.


class Do(Enum):
    """Orders that carry nothing."""

    KEEP = auto()  # go on with what you are doing
    RUN = auto()  # start the next iteration
    CHECKPOINT = auto()  # give every other task its turn, then say that the wait is over
    SUSPEND = auto()  # wait for another order
    CANCEL = auto()  # cancel the running iteration


class Sleep(NamedTuple):
    """Wait until then, then say that the wait is over."""

    until: float


class Watch(NamedTuple):
    """Tell when the grace is over, and then when the cancellation's grace is."""

    grace: float
    cancel_grace: float


class Abandon(NamedTuple):
    """Answer whoever waits for the end; let go of threads."""

    ended: Ended


class End(NamedTuple):
    """The loop is over."""

    ended: Ended


Order: TypeAlias = Do | Sleep | Watch | Abandon | End


def step(rules: Rules[E], state: State[E], event: Happening[E]) -> tuple[State[E], Order]:
    """Answer the state after *event*, and what to do next."""
    match event:
        case Answer():
            return _answered(rules, state, event)
        case WaitOver():
            return _wait_over(state, event.now)
        case Begin():
            return _begin(rules, state, event)
        case Stop():
            return _stop(state, event)
        case Reconfigure():
            return _reconfigure(state, event)
        case ClockJumped():
            return _clock_jumped(state, event)
        case GraceOver():
            if state.phase is Phase.RUNNING and state.asked.stop:
                return state._replace(phase=Phase.CANCELLING), Do.CANCEL
            return state, Do.KEEP
        case Cut():
            return _cut(state)
        case Raise():
            return _raised(state, event.error)
        case _:
            return _signal(state, event)


def settled(
    rules: Rules[E], state: State[E], result: Result[Progress, E | Defect]
) -> Result[Progress, E | Defect]:
    """Answer *result*, or "no work" where it is a failure that is no error."""
    if isinstance(result, Success):
        return result
    error = result.failure()
    if isinstance(error, Defect):
        return result
    if rules.no_work(error) or (rules.cancelled(error) and state.asked.stop):
        return NO_WORK
    return result


def _answered(rules: Rules[E], state: State[E], event: Answer[E]) -> tuple[State[E], Order]:
    phase, node, recurrence, began, iterations, failures, trouble, asked, _ = state
    if phase is Phase.ABANDONED:
        return _end(state, "abandoned")
    if phase is not Phase.RUNNING and phase is not Phase.CANCELLING:
        return state, Do.KEEP
    result, started, now, wall, draw = event
    if isinstance(result, Success) or isinstance(met := settled(rules, state, result), Success):
        failures, trouble = 0, None
    else:
        error = met.failure()
        failures, trouble = failures + 1, described(error)
        if isinstance(error, Defect) and rules.on_defect == "end" and not isinstance(error.error, GateError):
            return _end(state._replace(failures=failures, trouble=trouble), "failed", error=error.error)
    if asked.stop:
        return _end(state._replace(failures=failures, trouble=trouble), "drained")
    if recurrence == 0:
        began = started
    tick = Tick(Outcome(result, now - started), recurrence, now - began, wall, draw)
    delay, output, rest = node.decide(tick)
    if delay is None:
        return _end(state._replace(failures=failures, trouble=trouble), "finished", output=output)
    wait: Wait[E] | None = None
    order: Order = Do.CHECKPOINT
    if delay and (asked.pause or not asked.trigger):
        wait, order = Wait(now + delay, output, Question(node, tick, now)), Sleep(now + delay)
    return (
        State(Phase.WAITING, rest, recurrence + 1, began, iterations, failures, trouble, asked, wait),
        order,
    )


def _wait_over(state: State[E], now: float) -> tuple[State[E], Order]:
    if state.phase is Phase.DUE:
        return state, Do.SUSPEND
    if state.phase is not Phase.WAITING:
        return state, Do.KEEP
    if state.wait is not None and now < state.wait.until - EARLY:
        return state, Sleep(state.wait.until)
    if state.asked.pause:
        return state._replace(phase=Phase.DUE, wait=None), Do.SUSPEND
    return _start(state)


def _start(state: State[E]) -> tuple[State[E], Order]:
    _, node, recurrence, began, iterations, failures, trouble, asked, _ = state
    if asked.trigger:
        asked = asked._replace(trigger=False)
    return State(
        Phase.RUNNING, node, recurrence, began, iterations + 1, failures, trouble, asked, None
    ), Do.RUN


def _begin(rules: Rules[E], state: State[E], event: Begin) -> tuple[State[E], Order]:
    if state.phase is not Phase.NEW:
        return state, Do.KEEP
    now, wall, draw = event
    question = Question(rules.first, Tick(None, 0, 0.0, wall, draw), now)
    delay, _, _ = rules.first.decide(question.tick)
    if state.asked.pause:
        if delay is None:
            return state._replace(phase=Phase.DUE), Do.SUSPEND
    elif delay is None or state.asked.trigger:
        return _start(state)
    if not delay:
        return state._replace(phase=Phase.WAITING), Do.CHECKPOINT
    wait = FirstWait(now + delay, Reason.INITIAL, question)
    return state._replace(phase=Phase.WAITING, wait=wait), Sleep(wait.until)


def _stop(state: State[E], event: Stop) -> tuple[State[E], Order]:
    if state.phase in (Phase.NEW, Phase.WAITING, Phase.DUE):
        return _end(state, "drained")
    if state.phase is not Phase.RUNNING or (state.asked.stop and not event.force):
        return state, Do.KEEP
    stopping = state._replace(asked=Asked(stop=True, pause=False, trigger=False))
    return stopping, Do.KEEP if event.grace is None else Watch(event.grace, event.cancel_grace)


def _reconfigure(state: State[E], event: Reconfigure[E]) -> tuple[State[E], Order]:
    if isinstance(state.wait, Wait):
        last = state.wait.question
        wall = event.wall - (event.now - last.at)
        tick = Tick(last.tick.input, 0, 0.0, wall, last.tick.draw)
        return _ask_again(state, Question(event.pacing, tick, last.at))
    if state.phase in (Phase.NEW, Phase.WAITING, Phase.DUE, Phase.RUNNING):
        return state._replace(node=event.pacing, recurrence=0), Do.KEEP
    return state, Do.KEEP


def _clock_jumped(state: State[E], event: ClockJumped) -> tuple[State[E], Order]:
    if isinstance(state.wait, Wait):
        return _ask_again(state, _corrected(state.wait.question, event))
    if isinstance(state.wait, FirstWait):
        question = _corrected(state.wait.question, event)
        delay, _, _ = question.node.decide(question.tick)
        until = question.at if delay is None else question.at + delay
        return state._replace(wait=FirstWait(until, Reason.INITIAL, question)), Sleep(until)
    return state, Do.KEEP


def _corrected(question: Question[I], event: ClockJumped) -> Question[I]:
    """Answer *question* with the wall time that the clock, as it is set now, had at its moment."""
    return question._replace(tick=question.tick._replace(wall=event.wall - (event.now - question.at)))


def _ask_again(state: State[E], question: Question[Outcome[E]]) -> tuple[State[E], Order]:
    delay, output, rest = question.node.decide(question.tick)
    if delay is None:
        return _end(state, "finished", output=output)
    recurrence = question.tick.recurrence
    wait = Wait(question.at + delay, output, question)
    again = state._replace(
        node=rest, recurrence=recurrence + 1, began=question.at - question.tick.elapsed, wait=wait
    )
    return again, Sleep(wait.until)


def _cut(state: State[E]) -> tuple[State[E], Order]:
    match state.phase:
        case Phase.ENDED:
            return state, Do.KEEP
        case Phase.ABANDONED:
            return _end(state, "abandoned")
        case Phase.RUNNING | Phase.CANCELLING:
            return _end(state, "cancelled")
        case _:
            return _end(state, "drained")  # it waited: whatever ran has answered


def _raised(state: State[E], error: BaseException) -> tuple[State[E], Order]:
    match state.phase:
        case Phase.ENDED:
            return state, Do.KEEP
        case Phase.ABANDONED:
            return _end(state, "abandoned")
        case _:
            return _end(state, "failed", error=error)


def _signal(state: State[E], signal: Signal) -> tuple[State[E], Order]:
    if signal is Signal.CANCEL_GRACE_OVER:
        if state.phase is Phase.CANCELLING:
            return state._replace(phase=Phase.ABANDONED), Abandon(
                Ended("abandoned", None, state.iterations, None)
            )
        return state, Do.KEEP
    if state.asked.stop or state.phase in (Phase.CANCELLING, Phase.ABANDONED, Phase.ENDED):
        return state, Do.KEEP
    waits = state.phase in (Phase.WAITING, Phase.DUE)
    asked = state.asked
    match signal:
        case Signal.TRIGGER:
            if waits and not asked.pause:
                return _at_once(state)
            return state._replace(asked=asked._replace(trigger=True)), Do.KEEP
        case Signal.PAUSE:
            return state._replace(asked=asked._replace(pause=True)), Do.KEEP
        case _:
            resumed = state._replace(asked=asked._replace(pause=False))
            if state.phase is Phase.DUE or (waits and asked.trigger):
                return _at_once(resumed)
            return resumed, Do.KEEP


def _at_once(state: State[E]) -> tuple[State[E], Order]:
    """End the wait; the loop's own task starts the iteration, so that a stop can still come first."""
    return state._replace(phase=Phase.WAITING, wait=None), Do.CHECKPOINT


def _end(
    state: State[E],
    how: Literal["drained", "cancelled", "abandoned", "finished", "failed"],
    *,
    error: BaseException | None = None,
    output: object = None,
) -> tuple[State[E], Order]:
    return (
        state._replace(phase=Phase.ENDED, wait=None),
        End(Ended(how, error, state.iterations, output)),
    )


def described(error: object) -> tuple[type[object], str]:
    """Answer type and text of *error*, by which a change of error is told."""
    if isinstance(error, Defect):
        error = error.error
    try:
        return type(error), str(error)
    except Exception:  # a user's error must never break the loop that reports it
        return type(error), ""
