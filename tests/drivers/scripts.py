"""What the tests of the drivers share: scripted iterations, and observers that remember."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from returns.future import FutureResult
from returns.result import Failure, Result, Success

from effectloop import Clock, Event, Progress

T = TypeVar("T", bound=Event)

Answer = Result[Progress, object]
IDLE: Answer = Success(Progress(has_more=False))
MORE: Answer = Success(Progress(has_more=True))
FAILED: Answer = Failure("down")


def always(result: Answer) -> Callable[[], FutureResult[Progress, object]]:
    """Answer an iteration that answers *result* each time, taking no time."""
    return lambda: FutureResult.from_result(result)


def of(work: Callable[[], Awaitable[Answer]]) -> Callable[[], FutureResult[Progress, object]]:
    """Answer an iteration that does *work*."""
    return lambda: FutureResult(work())


@dataclass
class Script:
    """An iteration that answers what it is told, in order, then *then*; it remembers its start times."""

    clock: Clock
    answers: list[Answer | Exception] = field(default_factory=list[Answer | Exception])
    then: Answer = IDLE
    work: float = 0.0
    starts: list[float] = field(default_factory=list[float])

    def __call__(self) -> FutureResult[Progress, object]:
        return FutureResult(self._work())

    async def _work(self) -> Answer:
        at = len(self.starts)
        self.starts.append(self.clock.monotonic())
        if self.work:
            await self.clock.sleep(self.work)
        answer = self.answers[at] if at < len(self.answers) else self.then
        if isinstance(answer, Exception):
            raise answer
        return answer


@dataclass
class Record:
    """An observer that keeps what it is given."""

    events: list[Event] = field(default_factory=list[Event])

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    def of(self, kind: type[T]) -> list[T]:
        """Answer the events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def names(self) -> list[str]:
        """Answer the kinds of all events, in order."""
        return [type(event).__name__ for event in self.events]

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)
