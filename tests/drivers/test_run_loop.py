"""`run_loop`: what the loop waits, how it ends, and what a broken iteration gets."""

from __future__ import annotations

import gc
import logging
import weakref
from collections.abc import Callable

import anyio
import pytest
from anyio.lowlevel import checkpoint
from returns.future import FutureResult, future_safe
from returns.io import IOSuccess
from returns.result import Failure, Success

from effectloop import (
    Defect,
    Event,
    IterationDefect,
    IterationFailed,
    IterationStarted,
    LoopEnded,
    Outcome,
    Progress,
    Reason,
    Schedule,
    Waiting,
    background_pacing,
    delays,
    exponential,
    fixed,
    forever,
    recurs,
    run_loop,
    spaced,
    stop,
    trace,
    worker_pacing,
)
from effectloop.testing import VirtualClock

from .scripts import FAILED, IDLE, MORE, Answer, Record, Script, always, of

pytestmark = pytest.mark.anyio

SEEN: list[Answer | Exception] = [
    IDLE,
    FAILED,
    FAILED,
    FAILED,
    MORE,
    FAILED,
    ZeroDivisionError(),
    IDLE,
    MORE,
    IDLE,
]
POLICIES: dict[str, Schedule[Outcome[object], object]] = {
    "background": background_pacing(3),
    "worker": worker_pacing(exponential(0.5).capped(5), min_work_time=2),
    "fixed": fixed(3).jittered_between(1, 1.25),
    "at once, then slower": recurs(3).and_then(exponential(1)),
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("draw", [0.25, 0.75])
async def test_the_delays_slept_are_the_delays_simulated(policy: str, draw: float) -> None:
    record = Record()
    async with VirtualClock(draws=draw) as clock:
        script = Script(clock, SEEN, work=0.125)
        await run_loop(script, POLICIES[policy].up_to(times=len(SEEN)), clock=clock, observe=(record,))
    outcomes = [
        Outcome(Failure(Defect(seen)) if isinstance(seen, Exception) else seen, 0.125) for seen in SEEN
    ]
    simulated = [step.delay for step in trace(POLICIES[policy], outcomes, work=0.125, draws=draw)]
    starts = [0.0]
    for delay in simulated:
        starts.append(starts[-1] + 0.125 + (delay or 0.0))
    assert script.starts == pytest.approx(starts, abs=1e-8)
    assert [wait.delay for wait in record.of(Waiting)] == pytest.approx([d for d in simulated if d], abs=1e-8)


async def test_the_first_schedule_decides_the_wait_before_the_first_iteration() -> None:
    record = Record()
    async with VirtualClock() as clock:
        script = Script(clock)
        await run_loop(script, stop(), first=spaced(7), clock=clock, observe=(record,))
    assert script.starts == [7]
    assert record.of(Waiting) == [Waiting(record.events[0].loop, 0.0, 0, 7.0, 7.0, Reason.INITIAL)]


async def test_a_pacing_that_is_done_finishes_the_loop() -> None:
    async with VirtualClock() as clock:
        ended = await run_loop(always(MORE), recurs(4), clock=clock)
    assert (ended.how, ended.error, ended.iterations, ended.output) == ("finished", None, 5, 4)


@pytest.mark.parametrize("at", [2**-20, 1.0, 14.999])
async def test_a_stop_ends_a_wait_at_once(at: float) -> None:
    async with VirtualClock() as clock:
        script, asked = Script(clock), anyio.Event()

        async def ask() -> None:
            await clock.sleep(at)
            asked.set()

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            ended = await run_loop(script, spaced(15), stop=asked, clock=clock)
            assert clock.monotonic() == pytest.approx(at, abs=1e-9)
    assert (ended.how, ended.iterations) == ("drained", 1)


async def test_a_stop_that_was_asked_before_runs_nothing() -> None:
    asked = anyio.Event()
    asked.set()
    ended = await run_loop(always(MORE), forever(), stop=asked)
    assert (ended.how, ended.iterations) == ("drained", 0)


async def test_a_stop_lets_the_running_iteration_finish() -> None:
    async with VirtualClock() as clock:
        script, asked = Script(clock, work=10), anyio.Event()

        async def ask() -> None:
            await clock.sleep(1)
            asked.set()

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            ended = await run_loop(script, forever(), stop=asked, clock=clock)
    assert (ended.how, ended.iterations, clock.monotonic()) == ("drained", 1, 10)


async def test_a_loop_that_always_has_more_gives_every_other_task_its_turn() -> None:
    turns, asked = [0], anyio.Event()

    async def other() -> None:
        while not asked.is_set():
            turns[0] += 1
            await checkpoint()

    count = [0]

    def busy() -> FutureResult[Progress, object]:
        count[0] += 1
        if count[0] == 1000:
            asked.set()
        return FutureResult.from_result(MORE)

    async with anyio.create_task_group() as group:
        group.start_soon(other)
        ended = await run_loop(busy, forever(), stop=asked)
    assert ended.iterations <= 1001
    assert turns[0] >= 900


async def test_cancelling_the_owner_s_scope_stops_the_running_iteration_and_reaches_the_caller() -> None:
    record = Record()
    async with VirtualClock() as clock:
        script = Script(clock, work=60)
        with clock.limit(1) as scope:
            await run_loop(script, forever(), clock=clock, observe=(record,))
        assert scope.cancelled_caught
        assert clock.monotonic() == 1
    assert record.names()[-2:] == ["IterationCancelled", "LoopEnded"]
    assert record.of(LoopEnded)[0].ended.how == "cancelled"


async def test_cancelling_the_owner_s_scope_during_a_wait_starts_nothing_more() -> None:
    record = Record()
    async with VirtualClock() as clock:
        with clock.limit(1):
            await run_loop(always(IDLE), spaced(60), clock=clock, observe=(record,))
    assert len(record.of(IterationStarted)) == 1
    assert record.of(LoopEnded)[0].ended.how == "drained"


async def test_a_failure_at_the_moment_of_the_cancellation_starts_no_other_iteration() -> None:
    record = Record()
    async with VirtualClock() as clock:

        async def fails_as_it_is_cancelled() -> Answer:
            try:
                await anyio.sleep_forever()
            finally:
                raise OSError("lost the connection")

        with clock.limit(1) as scope:
            await run_loop(of(fails_as_it_is_cancelled), forever(), clock=clock, observe=(record,))
        assert scope.cancelled_caught
    assert len(record.of(IterationStarted)) == 1
    assert len(record.of(IterationDefect)) == 1


@pytest.mark.parametrize("kind", [Exception, AssertionError, MemoryError, TimeoutError])
async def test_exceptions_of_every_kind_are_paced_and_the_loop_goes_on(kind: type[Exception]) -> None:
    record = Record()
    async with VirtualClock() as clock:
        script = Script(clock, [kind("a bug"), ExceptionGroup("two", [kind()]), IDLE])
        await run_loop(script, recurs(2) & spaced(1), clock=clock, observe=(record,))
    assert script.starts == [0, 1, 2]
    assert [event.failures for event in record.of(IterationDefect)] == [1, 2]


async def test_an_iteration_whose_factory_raises_is_a_defect_too() -> None:
    record = Record()

    def broken() -> FutureResult[Progress, object]:
        raise ZeroDivisionError

    async with VirtualClock() as clock:
        ended = await run_loop(broken, recurs(1), clock=clock, observe=(record,))
    assert ended.iterations == 2
    assert len(record.of(IterationDefect)) == 2


class Halt(BaseException):
    """No Exception: nothing that a loop may survive."""


@pytest.mark.parametrize("kind", [Halt, KeyboardInterrupt, SystemExit, GeneratorExit])
async def test_what_is_no_exception_ends_the_loop_and_reaches_its_owner(kind: type[BaseException]) -> None:
    record = Record()

    async def halts() -> Answer:
        raise kind

    async with VirtualClock() as clock:
        with pytest.raises(kind):
            await run_loop(of(halts), forever(), clock=clock, observe=(record,))
    assert record.of(LoopEnded)[0].ended.how == "failed"


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "a container of the wrong kind": (
        lambda: IOSuccess(Progress(has_more=False)),
        r"got <IOResult: .*> of type IOSuccess; say blocking work with in_thread\(iteration\)",
    ),
    "no container": (lambda: Progress(has_more=False), r"got Progress\(.*\) of type Progress$"),
    "nothing": (lambda: None, r"got None of type NoneType$"),
    "no progress": (lambda: FutureResult.from_value(True), r"got <Success: True> of type Success$"),
}


@pytest.mark.parametrize("wrong", WRONG)
async def test_an_iteration_that_answers_something_else_ends_the_loop_with_a_type_error(wrong: str) -> None:
    iteration, says = WRONG[wrong]
    with pytest.raises(
        TypeError, match=r"^run_loop: iteration must answer a FutureResult of Progress, " + says
    ):
        await run_loop(iteration, forever())  # type: ignore[arg-type]


async def test_an_iteration_that_answers_a_coroutine_is_told_how_to_wrap_it() -> None:
    async def work() -> Progress:
        return Progress(has_more=False)

    with pytest.raises(TypeError, match=r"of type coroutine; decorate an async function with future_safe"):
        await run_loop(lambda: work(), forever())  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError, match=r"got the coroutine function .*; decorate it with future_safe"):
        await run_loop(work, forever())  # type: ignore[arg-type]


async def test_a_value_instead_of_a_factory_is_refused() -> None:
    future = FutureResult.from_value(Progress(has_more=False))
    with pytest.raises(
        TypeError, match=r"^run_loop: iteration must be a function that answers a FutureResult"
    ):
        await run_loop(future, forever())  # type: ignore[arg-type]
    await future


async def test_other_bad_arguments_are_refused() -> None:
    with pytest.raises(
        TypeError, match=r"^run_loop: pacing must be a schedule, got .*did you mean forever\(\)\?"
    ):
        await run_loop(always(IDLE), forever)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^run_loop: first must be a schedule, got 3"):
        await run_loop(always(IDLE), forever(), first=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^run_loop: observe must be a function, got 3"):
        await run_loop(always(IDLE), forever(), observe=(3,))  # type: ignore[arg-type]


async def test_what_the_pacing_raises_ends_the_loop_with_the_iteration_s_error_beside_it() -> None:
    record, down = Record(), OSError("down")

    def broken(tick: object, delay: float) -> float:
        raise ZeroDivisionError("in the pacing")

    with pytest.raises(ZeroDivisionError, match="in the pacing") as caught:
        await run_loop(always(Failure(down)), forever().delay_from(broken), observe=(record,))
    assert caught.value.__context__ is down
    assert record.names()[-2:] == ["IterationFailed", "LoopEnded"]
    assert record.of(LoopEnded)[0].ended.error is caught.value


async def test_an_observer_that_raises_is_reported_once_and_ends_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    record = Record()

    def broken(event: Event) -> None:
        raise ValueError("observer")

    ended = await run_loop(always(MORE), recurs(10), observe=(broken, record))
    assert ended.iterations == 11
    assert len(record.of(IterationStarted)) == 11
    reports = [log for log in caplog.records if log.name == "effectloop"]
    assert [(log.levelno, "broken" in log.getMessage()) for log in reports] == [(logging.ERROR, True)]


async def test_an_async_function_made_safe_is_an_iteration() -> None:
    @future_safe(exceptions=(OSError,))
    async def poll() -> Progress:
        raise OSError("down")

    record = Record()
    await run_loop(poll, stop(), observe=(record,))
    assert isinstance(record.of(IterationFailed)[0].error, OSError)


async def test_nothing_keeps_a_failed_iteration_alive_once_the_next_one_runs() -> None:
    class Big:
        pass

    seen: list[weakref.ref[Big]] = []
    alive: list[int] = []

    async def fails() -> Answer:
        gc.collect()
        alive.append(sum(ref() is not None for ref in seen))
        big = Big()
        seen.append(weakref.ref(big))
        raise ValueError("with a frame that holds something big")

    await run_loop(of(fails), recurs(5))
    assert alive == [0, 0, 0, 0, 0, 0]


async def test_one_schedule_paces_any_number_of_loops_each_from_its_beginning() -> None:
    pacing = exponential(1) & recurs(4)
    async with VirtualClock() as clock:
        scripts = [Script(clock, work=n / 8) for n in range(3)]
        async with anyio.create_task_group() as group:
            for script in scripts:
                group.start_soon(lambda script=script: run_loop(script, pacing, clock=clock))
    for n, script in enumerate(scripts):
        gaps = [
            later - earlier - n / 8 for earlier, later in zip(script.starts, script.starts[1:], strict=False)
        ]
        assert gaps == delays(pacing, 4)


async def test_a_wall_clock_that_jumps_moves_no_wait_that_reads_none() -> None:
    for jump in (-3600.0, 3600.0):
        async with VirtualClock() as clock:
            script = Script(clock)

            async def set_clock(jump: float = jump, clock: VirtualClock = clock) -> None:
                await clock.sleep(5)
                clock.shift_wall(jump)

            async with anyio.create_task_group() as group:
                group.start_soon(set_clock)
                await run_loop(script, spaced(150) & recurs(2), clock=clock)
            assert script.starts == [0, 150, 300]


async def test_a_calendar_wait_looks_at_the_wall_clock_again_within_a_minute() -> None:
    at_noon: Schedule[object, int] = forever().delay_from(lambda tick, _: max(0.0, 43200 - tick.wall))
    async with VirtualClock() as clock:
        script = Script(clock)

        async def suspend() -> None:
            await clock.sleep(600)
            clock.shift_wall(10 * 3600)

        async with anyio.create_task_group() as group:
            group.start_soon(suspend)
            await run_loop(script, at_noon & recurs(1), clock=clock)
    assert script.starts[0] == 0
    assert script.starts[1] == pytest.approx(43200 - 36000, abs=61)


async def test_a_fixed_pace_does_not_drift_with_the_work() -> None:
    async with VirtualClock() as clock:
        script = Script(clock, work=4)
        await run_loop(script, fixed(10) & recurs(1000), clock=clock)
    assert script.starts == [10.0 * n for n in range(1001)]


async def test_an_overrun_of_a_fixed_pace_runs_once_and_the_grid_goes_on() -> None:
    async with VirtualClock() as clock:
        works = iter([60.5, 0.25, 0.25, 0.25])
        starts: list[float] = []

        async def work() -> Answer:
            starts.append(clock.monotonic())
            await clock.sleep(next(works))
            return Success(Progress(has_more=False))

        await run_loop(of(work), fixed(1) & recurs(3), clock=clock)
    assert starts == [0, 60.5, 61, 62]
