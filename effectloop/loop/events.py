"""What a loop tells its observers: frozen records, given to plain callables.

A record carries what an observer would otherwise have to remember, so an observer is a function of one event.
Times are monotonic seconds of the loop's clock. Iterations are counted from 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, final

from effectloop.loop.outcome import Ended, Progress


@final
@dataclass(frozen=True, slots=True)
class Identity:
    """Which loop an event comes from.

    Attributes:
        name: The loop's own name.
        service: The kind of loop: ``background-processor``, ``worker`` or ``loop``.
        executor_id: Which process or replica runs it, if it was told.
    """

    name: str
    service: str = "loop"
    executor_id: str | None = None


@dataclass(frozen=True, slots=True)
class LoopEvent:
    """The base of all events: which loop, and when."""

    loop: Identity
    time: float


@final
@dataclass(frozen=True, slots=True)
class LoopStarted(LoopEvent):
    """The loop began; its initial wait, if any, comes next."""


@final
@dataclass(frozen=True, slots=True)
class IterationStarted(LoopEvent):
    """An iteration is about to run.

    It is told in the loop's own task, as is the iteration's end unless it is late: a context variable that an
    observer sets reaches the work, in its child tasks and worker threads too.
    """

    iteration: int


@dataclass(frozen=True, slots=True)
class IterationEnded(LoopEvent):
    """The base of the four ways in which an iteration ends.

    Attributes:
        iteration: Its number.
        duration: Seconds it ran.
        late: It answered after the loop had been given up as abandoned.
    """

    iteration: int
    duration: float
    late: bool


@final
@dataclass(frozen=True, slots=True)
class IterationSucceeded(IterationEnded):
    """An iteration did its work, or found none.

    Attributes:
        progress: What it answered; a failure that means "no work" or "told to stop" is ``has_more=False``.
        failures_ended: The failures in a row that this success ended; 0 when there were none.
        failure: The Failure's own value where it was one that is no error, otherwise None.
        cancelled: That failure means "told to stop", and the loop is stopping.
    """

    progress: Progress
    failures_ended: int
    failure: object = None
    cancelled: bool = False


@final
@dataclass(frozen=True, slots=True)
class IterationFailed(IterationEnded):
    """An iteration answered a Failure.

    Attributes:
        error: The Failure's own value.
        failures: Failures and defects in a row, this one included.
        changed: It is the first in a row, or differs from the one before in type or text.
        cancelled: It means "told to stop", but the loop is not stopping.
    """

    error: object
    failures: int
    changed: bool
    cancelled: bool = False


@final
@dataclass(frozen=True, slots=True)
class IterationDefect(IterationEnded):
    """An iteration raised an exception that its types did not promise.

    Attributes:
        error: The exception, with its traceback.
        failures: Failures and defects in a row, this one included.
        changed: It is the first in a row, or differs from the one before in type or text.
        ends_loop: The loop was told to end on defects, and does.
    """

    error: Exception
    failures: int
    changed: bool
    ends_loop: bool


@final
@dataclass(frozen=True, slots=True)
class IterationCancelled(IterationEnded):
    """An iteration was cut by a cancellation before it answered."""


@final
@dataclass(frozen=True, slots=True)
class Waiting(LoopEvent):
    """The loop waits before its next iteration; a delay of 0 is a checkpoint and no event.

    Attributes:
        iteration: The number of the iteration that ended last, 0 before the first.
        delay: Seconds from the decision to the planned wake.
        until: The planned wake.
        why: The pacing schedule's output (a `Reason` from the shipped policies), or ``Reason.INITIAL``.
    """

    iteration: int
    delay: float
    until: float
    why: object


@final
@dataclass(frozen=True, slots=True)
class StopAsked(LoopEvent):
    """The loop was asked to stop: no further iteration starts."""


@final
@dataclass(frozen=True, slots=True)
class StopTimedOut(LoopEvent):
    """The running iteration did not end within the grace, and is cancelled now."""

    grace: float


@final
@dataclass(frozen=True, slots=True)
class LoopEnded(LoopEvent):
    """The loop is over, and how."""

    ended: Ended


Event: TypeAlias = (
    LoopStarted
    | IterationStarted
    | IterationSucceeded
    | IterationFailed
    | IterationDefect
    | IterationCancelled
    | Waiting
    | StopAsked
    | StopTimedOut
    | LoopEnded
)
"""Everything an observer may be given."""

Observer: TypeAlias = Callable[[Event], None]
"""A plain function of one event; one that raises is reported once and never ends the loop."""
