"""How a loop stands: a snapshot, and what it says about the loop's health."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar, final

from effectloop.core.duration import Duration, seconds
from effectloop.loop.machine import Phase, State
from effectloop.loop.outcome import Ended

E = TypeVar("E")

Standing: TypeAlias = Literal["new", "waiting", "paused", "running", "stopping", "ended"]
"""Where a loop stands; see `Status`."""


@final
@dataclass(frozen=True, slots=True)
class Status:
    """A snapshot of a loop. All times are monotonic seconds of the loop's clock; None means not yet.

    Attributes:
        state: ``new`` (not begun), ``waiting``, ``paused`` (starts nothing, and nothing runs), ``running``,
            ``stopping`` (the last iteration runs on), or ``ended``.
        now: When the snapshot was taken.
        iterations: How many iterations were started.
        last_start: When the last iteration started.
        last_end: When the last iteration that ended did, however it ended.
        last_success: When the last good iteration ended.
        failures: Failures and defects in a row.
        last_error: Type and text of the error that those failures ended with last, never the object.
        until: The planned wake of a wait.
        ended: How the loop ended.
    """

    state: Standing
    now: float
    iterations: int
    last_start: float | None
    last_end: float | None
    last_success: float | None
    failures: int
    last_error: tuple[type[object], str] | None
    until: float | None
    ended: Ended | None

    def is_alive(self, max_stall: Duration) -> bool:
        """Tell whether the loop gets on: whether nothing is overdue by more than *max_stall*.

        A running iteration is overdue *max_stall* after its start, a wait *max_stall* after its planned wake,
        however long it was planned to be. A loop whose iterations all fail is alive, so is one that is new or
        paused; one that has ended is not.

        Args:
            max_stall: In seconds or as a timedelta; exactly that late is still alive.
        """
        longest = seconds(max_stall, "is_alive: max_stall")
        if self.state in ("running", "stopping") and self.last_start is not None:
            return self.now - self.last_start <= longest
        if self.state == "waiting" and self.until is not None:
            return self.now - self.until <= longest
        return self.state != "ended"


def standing(state: State[E]) -> Standing:
    """Answer where a loop in *state* stands."""
    match state.phase:
        case Phase.NEW:
            return "new"
        case Phase.WAITING | Phase.DUE:
            return "paused" if state.asked.pause else "waiting"
        case Phase.RUNNING:
            return "stopping" if state.asked.stop else "running"
        case Phase.CANCELLING | Phase.ABANDONED:
            return "stopping"
        case _:
            return "ended"
