"""What type checkers must say of loops; checked by `test_checkers.py`, never run."""

# pyright: reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from typing import assert_type

import anyio
from returns.future import FutureResult, future_safe
from returns.io import IOResult, IOSuccess
from returns.result import Result

from effectloop import (
    BackgroundProcessor,
    Clock,
    Defect,
    Ended,
    Event,
    Gate,
    GateError,
    Identity,
    IterationCancelled,
    IterationDefect,
    IterationFailed,
    IterationStarted,
    IterationSucceeded,
    LoopEnded,
    LoopStarted,
    Observer,
    Outcome,
    Progress,
    Reason,
    Schedule,
    ShouldBackOff,
    Status,
    StopAsked,
    Stopping,
    StopTimedOut,
    SystemClock,
    TimedOut,
    Waiting,
    Worker,
    background_pacing,
    exponential,
    forever,
    in_thread,
    limited,
    log_events,
    run_loop,
    stop,
    stopping,
    until_due,
    worker_pacing,
)
from effectloop.observe.opentelemetry import measure_events, trace_events
from effectloop.testing import VirtualClock


@future_safe(exceptions=(OSError,))
async def poll() -> Progress:
    return Progress(has_more=False, due_in=3)


def fetch() -> IOResult[list[str], OSError]:
    return IOSuccess(["a message"])


def iteration() -> FutureResult[Progress, OSError]:
    return in_thread(fetch)().map(lambda messages: Progress(has_more=bool(messages)))


@asynccontextmanager
async def lease() -> AsyncGenerator[bool]:
    yield True


def is_stop(error: OSError) -> bool:
    return error.errno == 4


def observe(event: Event) -> None:
    assert_type(event.loop, Identity)
    match event:
        case LoopStarted() | StopAsked() | IterationCancelled():
            assert_type(event.time, float)
        case IterationStarted(iteration=number):
            assert_type(number, int)
        case IterationSucceeded(progress=progress, failures_ended=count):
            assert_type(progress, Progress)
            assert_type(count, int)
        case IterationFailed(error=error, failures=failures, changed=changed):
            assert_type(error, object)
            assert_type(failures, int)
            assert_type(changed, bool)
        case IterationDefect(error=error, ends_loop=ends):
            assert_type(error, Exception)
            assert_type(ends, bool)
        case Waiting(delay=delay, until=until, why=why):
            assert_type(delay, float)
            assert_type(until, float)
            assert_type(why, object)
        case StopTimedOut(grace=grace):
            assert_type(grace, float)
        case LoopEnded(ended=ended):
            assert_type(ended, Ended)


assert_type(in_thread(fetch)(), FutureResult[list[str], OSError])
assert_type(limited(iteration, 3)(), FutureResult[Progress, OSError | TimedOut])
assert_type(background_pacing(3), Schedule[Outcome[object], Reason])
assert_type(worker_pacing(exponential(1), 3, backoff_on_all_errors=False), Schedule[Outcome[object], Reason])
assert_type(forever().delay_from(until_due), Schedule[Outcome[object], int])
assert_type(stopping(), Stopping)
assert_type(stopping().is_set(), bool)
assert_type(TimedOut(3).seconds, float)
no_work: Exception = ShouldBackOff("no work")
assert_type(GateError().__cause__, BaseException | None)
observers: tuple[Observer, ...] = (observe, log_events, partial(log_events, quiet=False))
assert_type(trace_events(idle=False), Observer)
assert_type(measure_events(), Observer)
gate: Gate = lease
clocks: list[Clock] = [SystemClock(seed=3), VirtualClock(draws=[0.5])]
with clocks[0].limit(3) as scope:
    assert_type(scope, anyio.CancelScope)

processor = BackgroundProcessor(
    iteration, name="outbox", interval=3, cancelled=is_stop, gate=gate, observe=observers, heartbeat=print
)
assert_type(processor, BackgroundProcessor[OSError])
assert_type(processor.is_running, bool)
assert_type(processor.status(), Status)
assert_type(processor.is_alive(60), bool)
worker = Worker(limited(iteration, 3), name="mailer", backoff=exponential(1))
assert_type(worker, Worker[OSError | TimedOut])


def by_outcome(outcome: Outcome[OSError]) -> Result[Progress, OSError | Defect]:
    return outcome.result


paced_by_error: Schedule[Outcome[OSError], object] = exponential(1).reset_on_success().map_input(by_outcome)


async def main() -> None:
    assert_type(await run_loop(iteration, background_pacing(3)), Ended)
    assert_type(await run_loop(iteration, paced_by_error, first=stop(), clock=VirtualClock()), Ended)
    async with processor as entered:
        assert_type(entered, BackgroundProcessor[OSError])
        assert_type(await entered.shutdown(grace=3, force=True), Ended | None)
