"""What one step of the machine means to observers: a pure function to event records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from returns.result import Success

from effectloop.loop.events import (
    Event,
    Identity,
    IterationCancelled,
    IterationDefect,
    IterationFailed,
    IterationStarted,
    IterationSucceeded,
    LoopEnded,
    LoopStarted,
    StopAsked,
    StopTimedOut,
    Waiting,
)
from effectloop.loop.machine import (
    Abandon,
    Answer,
    Begin,
    Cut,
    Do,
    End,
    GraceOver,
    Happening,
    Order,
    Phase,
    Rules,
    State,
    Stop,
    described,
    settled,
)
from effectloop.loop.outcome import Defect, GateError

E = TypeVar("E")

_AT_WORK = (Phase.RUNNING, Phase.CANCELLING, Phase.ABANDONED)


def report(
    loop: Identity,
    rules: Rules[E],
    before: State[E],
    event: Happening[E],
    after: State[E],
    order: Order,
    now: float,
) -> Iterator[Event]:
    """Answer the records for one step, in the order in which they are told."""
    late = before.phase is Phase.ABANDONED
    match event:
        case Begin() if before.phase is Phase.NEW:
            yield LoopStarted(loop, now)
        case Answer() if before.phase in _AT_WORK:
            yield _answered(loop, rules, before, event)
        case Cut() if before.phase in (Phase.RUNNING, Phase.CANCELLING):
            yield IterationCancelled(loop, now, before.iterations, event.now - event.started, False)
        case Stop() if not before.asked.stop and before.phase is not Phase.ENDED:
            yield StopAsked(loop, now)
        case GraceOver() if order is Do.CANCEL:
            yield StopTimedOut(loop, now, event.grace)
        case _:
            pass
    if order is Do.RUN:
        yield IterationStarted(loop, now, after.iterations)
    elif isinstance(order, Abandon) or (isinstance(order, End) and not late):
        yield LoopEnded(loop, now, order.ended)
    wait = after.wait
    if wait is not None and wait is not before.wait and wait.until > wait.question.at:
        yield Waiting(loop, now, after.iterations, wait.until - wait.question.at, wait.until, wait.why)


def _answered(loop: Identity, rules: Rules[E], before: State[E], event: Answer[E]) -> Event:
    late = before.phase is Phase.ABANDONED
    n, duration = before.iterations, event.now - event.started
    result = settled(rules, before, event.result)
    if isinstance(result, Success):
        progress, ended = result.unwrap(), before.failures
        if isinstance(event.result, Success):
            return IterationSucceeded(loop, event.now, n, duration, late, progress, ended)
        excuse = event.result.failure()
        told = not rules.no_work(excuse)
        return IterationSucceeded(loop, event.now, n, duration, late, progress, ended, excuse, told)
    error = result.failure()
    failures = before.failures + 1
    changed = described(error) != before.trouble
    if isinstance(error, Defect) and isinstance(error.error, GateError):
        return IterationFailed(loop, event.now, n, duration, late, error.error, failures, changed)
    if isinstance(error, Defect):
        ends = rules.on_defect == "end"
        return IterationDefect(loop, event.now, n, duration, late, error.error, failures, changed, ends)
    told = rules.cancelled(error)
    return IterationFailed(loop, event.now, n, duration, late, error, failures, changed, told)
