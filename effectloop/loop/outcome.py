"""What an iteration answers, what a pacing schedule is told about it, and how a loop ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Literal, NamedTuple, TypeAlias, TypeVar, final

from returns.result import Result
from typing_extensions import override

from effectloop.core.duration import Duration, seconds

E_co = TypeVar("E_co", covariant=True)

How: TypeAlias = Literal["drained", "cancelled", "abandoned", "finished", "failed"]
"""The ways in which a loop ends; see `Ended`."""


@final
@dataclass(frozen=True, slots=True)
class Progress:
    """What a good iteration says: whether there is more to do now, and when there will be.

    Attributes:
        has_more: True: run again at once. False: nothing is left for now.
        due_in: At most this long until something falls due, in seconds or as a timedelta; the idle wait of
            the shipped policies never outlasts it. None: nothing is known to fall due.

    Raises:
        TypeError: *has_more* is no bool, or *due_in* no duration.
        ValueError: *due_in* is negative or NaN.

    Example:
        >>> from effectloop import Progress
        >>> Progress(has_more=False, due_in=3)
        Progress(has_more=False, due_in=3.0)
    """

    has_more: bool
    due_in: Duration | None = None

    def __post_init__(self) -> None:
        given: object = self.has_more  # the annotation is a promise, not a fact
        if not isinstance(given, bool):
            msg = f"Progress: has_more must be a bool, got {given!r}"
            raise TypeError(msg)
        if self.due_in is not None:
            object.__setattr__(self, "due_in", seconds(self.due_in, "Progress: due_in"))


@final
@dataclass(frozen=True, slots=True)
class Defect:
    """An exception that the iteration's types did not promise (a bug), kept as a value.

    Attributes:
        error: The exception itself, with its traceback.
    """

    error: Exception


class GateError(Exception):
    """A gate raised, or cut the iteration: a failure of that iteration, also where defects end the loop.

    Its ``__cause__`` is what the gate raised; None when it only cut the iteration. A pacing schedule is given
    it in a `Defect`, as the iteration's types did not promise it.
    """


class Outcome(NamedTuple, Generic[E_co]):
    """What a pacing schedule is told about the iteration that just ended.

    Attributes:
        result: ``Success(Progress)``, ``Failure(error)``, or ``Failure(Defect(exception))``.
        duration: Seconds the iteration ran.
    """

    result: Result[Progress, E_co | Defect]
    duration: float


@final
class TimedOut(Exception):
    """The failure of an attempt that `limited` cut: a value, equal to any other of as many seconds.

    It is an exception so that it may be raised as well, but no ``TimeoutError``: that is the work's own.

    Args:
        seconds: How long the attempt was given.
    Example:
        >>> from effectloop import TimedOut
        >>> print(TimedOut(1.5))
        timed out after 1.5 s
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self._seconds = seconds

    @property
    def seconds(self) -> float:
        """How long the attempt was given, in seconds."""
        return self._seconds

    @override
    def __str__(self) -> str:
        return f"timed out after {self._seconds:.12g} s"

    @override
    def __eq__(self, other: object) -> bool:
        return self._seconds == other._seconds if isinstance(other, TimedOut) else NotImplemented

    @override
    def __hash__(self) -> int:
        return hash((TimedOut, self._seconds))


class ShouldBackOff(Exception):
    """Raised along, or answered as a Failure by, a worker's iteration that found no work.

    It is looked for along ``__cause__``, and is no error: nothing is logged, no failure is counted.

    Source:
        circleci/ex ``worker.ErrShouldBackoff``; same.
    """


class Reason(StrEnum):
    """Why a loop waits: the output of the shipped policies, or the driver's own word.

    ``more`` (at once), ``idle``, ``failing``, ``back_off`` and ``throttle`` come from the policies,
    ``initial`` (before the first iteration) from the driver.
    """

    MORE = "more"
    IDLE = "idle"
    FAILING = "failing"
    BACK_OFF = "back_off"
    THROTTLE = "throttle"
    INITIAL = "initial"


@final
@dataclass(frozen=True, slots=True)
class Ended:
    """How a loop ended.

    Attributes:
        how: ``drained``: stopped, and the last iteration answered (also one that answered although it
            was cancelled). ``cancelled``: the last iteration was cut. ``abandoned``: it could not be, and
            was left behind. ``finished``: the pacing schedule was done. ``failed``: *error* ended the loop.
        error: What ended a failed loop, otherwise None.
        iterations: How many iterations were started.
        output: The pacing schedule's last output when it is what ended the loop, otherwise None.
    """

    how: How
    error: BaseException | None
    iterations: int
    output: object


def should_back_off(error: object) -> bool:
    """Tell whether *error* is a `ShouldBackOff`, or has one anywhere along its ``__cause__`` chain."""
    seen: set[int] = set()  # a cause chain may be a circle
    while isinstance(error, BaseException) and id(error) not in seen:
        if isinstance(error, ShouldBackOff):
            return True
        seen.add(id(error))
        error = error.__cause__
    return False
