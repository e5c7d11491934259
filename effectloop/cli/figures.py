"""The demo's figures: an ordinary observer that gathers what a view shows.

A loop gives its observers one event after the other, and `Figures.observe` is such a function. It touches no
clock, no screen and no database, so it is tested with bare events.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, final

from effectloop import (
    Event,
    IterationDefect,
    IterationFailed,
    IterationStarted,
    IterationSucceeded,
    LoopEnded,
    Reason,
    StopAsked,
    Waiting,
)
from effectloop.cli.outbox import Counts

WAITING: Final[Mapping[object, str]] = {
    Reason.INITIAL: "about to start",
    Reason.IDLE: "idle",
    Reason.FAILING: "backing off",
}
"""What a wait is called, by its reason."""

WINDOW: Final = 1.0
"""The throughput is that of so many seconds."""


@final
@dataclass(slots=True)
class Figures:
    """What the observer has seen so far, and what the outbox held when it was last counted.

    Attributes:
        began: When the run began, in monotonic seconds; `now` and `next_wake` are on the same clock.
        phase: What the demo does: producing, draining, over.
        state: What the processor does.
        last_result: How its last iteration ended.
        failures_in_a_row: Failures and defects since the last success.
        failures: Failures in all.
        defects: Defects in all.
        next_wake: When its wait is over; None when it does not wait.
        counts: Messages in the outbox, and those marked as sent.
        throughput: Messages marked as sent in a second.
        forced_by: The signal that cut the run short, if one did.
        now: When the outbox was last counted.
        news: Lines that nobody has printed yet, each with its seconds since the beginning.
    """

    began: float
    phase: str = "starting"
    state: str = "starting"
    last_result: str = "none yet"
    failures_in_a_row: int = 0
    failures: int = 0
    defects: int = 0
    next_wake: float | None = None
    counts: Counts = field(default_factory=Counts)
    throughput: float = 0.0
    forced_by: int | None = None
    now: float = field(init=False)
    news: deque[tuple[float, str]] = field(init=False, default_factory=deque[tuple[float, str]])
    _history: deque[tuple[float, int]] = field(init=False, default_factory=deque[tuple[float, int]])

    def __post_init__(self) -> None:
        self.now = self.began

    @property
    def elapsed(self) -> float:
        """Seconds since the run began, when the outbox was last counted."""
        return self.now - self.began

    @property
    def survived(self) -> str:
        """What went wrong so far."""
        return f"{plural(self.failures, 'failure')} and {plural(self.defects, 'defect')}"

    def count(self, now: float, counts: Counts) -> None:
        """Take in what the outbox holds at *now*."""
        self.now, self.counts = now, counts
        self._history.append((now, counts.sent))
        while now - self._history[0][0] > WINDOW:
            self._history.popleft()
        then, sent = self._history[0]
        self.throughput = (counts.sent - sent) / (now - then) if now > then else 0.0

    def enter(self, phase: str, now: float) -> None:
        """Take note that the demo itself goes on to something else."""
        self.phase = phase
        self.tell(phase, now)

    def tell(self, line: str, now: float) -> None:
        """Have *line* printed, if lines are."""
        self.news.append((now - self.began, line))

    def observe(self, event: Event) -> None:
        """Take in one event of the processor: this is its observer."""
        match event:
            case IterationStarted():
                self.state, self.next_wake = "delivering", None
            case IterationSucceeded(progress=progress, failures_ended=failures_ended):
                self.failures_in_a_row = 0
                self.last_result = "a full batch delivered" if progress.has_more else "nothing left for now"
                if failures_ended:
                    self.tell(f"recovered after {plural(failures_ended, 'failure')}", event.time)
            case IterationFailed(error=error, failures=failures, changed=changed):
                self.failures += 1
                self.failures_in_a_row = failures
                self.last_result = f"failure: {error}"
                if changed:
                    self.tell(self.last_result, event.time)
            case IterationDefect(error=error, failures=failures):
                self.defects += 1
                self.failures_in_a_row = failures
                self.last_result = f"defect: {type(error).__name__}: {error}"
                self.tell(self.last_result, event.time)
            case Waiting(why=why, until=until):
                self.state, self.next_wake = WAITING.get(why, "waiting"), until
            case StopAsked():
                self.state, self.next_wake = "stopping", None
            case LoopEnded(ended=ended):
                self.state, self.next_wake = ended.how, None
            case _:
                pass


def plural(count: int, noun: str) -> str:
    """Write *count* and *noun*, with an s unless there is one."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
