"""`BackgroundProcessor` and `Worker` as their owners hold them: start, steer, stop."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial

import anyio
import pytest
from anyio import to_thread
from returns.future import FutureResult
from returns.io import IOResult, IOSuccess
from returns.result import Failure, Success

from effectloop import (
    BackgroundProcessor,
    Ended,
    GateError,
    IterationCancelled,
    IterationDefect,
    IterationFailed,
    IterationStarted,
    IterationSucceeded,
    LoopEnded,
    Progress,
    ShouldBackOff,
    StopAsked,
    StopTimedOut,
    Waiting,
    Worker,
    cron,
    exponential,
    in_thread,
    recurs,
    run_loop,
    spaced,
    stopping,
)
from effectloop.drivers.engine import Gate
from effectloop.testing import VirtualClock

from .scripts import FAILED, IDLE, MORE, Answer, Record, Script, always, of

pytestmark = pytest.mark.anyio

Processor = BackgroundProcessor[object]


@asynccontextmanager
async def running(
    clock: VirtualClock,
    iteration: Callable[[], FutureResult[Progress, object]],
    *observers: Record,
    grace: float = 15,
    cancel_grace: float = 5,
    interval: float = 10,
) -> AsyncIterator[Processor]:
    """A processor that runs at once, every ten seconds, in a group that is cancelled at the end."""
    processor: Processor = BackgroundProcessor(
        iteration,
        name="test",
        interval=interval,
        skip_initial_delay=True,
        grace=grace,
        cancel_grace=cancel_grace,
        clock=clock,
        observe=observers,
    )
    async with anyio.create_task_group() as group:
        processor.start(group)
        yield processor
        group.cancel_scope.cancel()


def ended(processor: Processor, how: str, iterations: int) -> Callable[[Ended | None], None]:
    def check(end: Ended | None) -> None:
        assert isinstance(end, Ended)
        assert (end.how, end.iterations, end.error) == (how, iterations, None)
        assert not processor.is_running

    return check


# Starting.


async def test_a_processor_waits_a_tenth_of_its_interval_before_the_first_iteration() -> None:
    for draw, first in [(0.0, 0.5), (0.5, 1.0), (0.75, 1.25)]:
        async with VirtualClock(draws=draw) as clock, anyio.create_task_group() as group:
            script = Script(clock)
            BackgroundProcessor(script, name="p", interval=10, clock=clock, observe=()).start(group)
            await clock.sleep(5)
            assert script.starts == pytest.approx([first])
            group.cancel_scope.cancel()


async def test_starting_twice_starts_once() -> None:
    async with VirtualClock() as clock:
        script, record = Script(clock), Record()
        async with running(clock, script, record) as processor, anyio.create_task_group() as other:
            processor.start(other)
            await clock.sleep(25)
            assert processor.is_running
    assert script.starts == [0, 10, 20]
    assert record.names().count("LoopStarted") == 1


async def test_a_shutdown_before_the_start_makes_the_start_a_no_op() -> None:
    async with VirtualClock() as clock, anyio.create_task_group() as group:
        script = Script(clock)
        processor: Processor = BackgroundProcessor(script, name="p", interval=1, clock=clock, observe=())
        assert not processor.is_running
        ended(processor, "drained", 0)(await processor.shutdown())
        processor.start(group)
        assert not processor.is_running
        await clock.sleep(10)
        assert script.starts == []
        ended(processor, "drained", 0)(await processor.shutdown())


async def test_a_start_in_a_group_that_was_left_starts_nothing() -> None:
    async with VirtualClock() as clock:
        script = Script(clock)
        processor: Processor = BackgroundProcessor(script, name="p", interval=1, clock=clock, observe=())
        async with anyio.create_task_group() as left:
            pass
        with pytest.raises(RuntimeError):
            processor.start(left)
        assert not processor.is_running
        ended(processor, "drained", 0)(await processor.shutdown())


async def test_a_stop_right_after_the_start_runs_nothing() -> None:
    for ask in (Processor.stop, None):
        async with VirtualClock() as clock, anyio.create_task_group() as group:
            script = Script(clock)
            processor: Processor = BackgroundProcessor(
                script, name="p", interval=1, skip_initial_delay=True, clock=clock, observe=()
            )
            processor.start(group)
            if ask is not None:
                ask(processor)
            ended(processor, "drained", 0)(await processor.shutdown())
            assert script.starts == []


# Stopping.


@pytest.mark.parametrize("at", [0.25, 5, 9.75])
async def test_a_shutdown_during_a_wait_takes_no_time(at: float) -> None:
    async with VirtualClock() as clock:
        script, record = Script(clock), Record()
        async with running(clock, script, record) as processor:
            await clock.sleep(at)
            ended(processor, "drained", 1)(await processor.shutdown())
            assert clock.monotonic() == at
            await clock.sleep(100)
    assert script.starts == [0]
    assert record.names()[-2:] == ["StopAsked", "LoopEnded"]


async def test_a_shutdown_during_the_initial_wait_runs_nothing() -> None:
    async with VirtualClock() as clock, anyio.create_task_group() as group:
        script = Script(clock)
        processor: Processor = BackgroundProcessor(script, name="p", interval=100, clock=clock, observe=())
        processor.start(group)
        await clock.sleep(4)
        ended(processor, "drained", 0)(await processor.shutdown())
        assert clock.monotonic() == 4


async def test_a_running_iteration_may_finish_within_the_grace() -> None:
    async with VirtualClock() as clock:
        script, record = Script(clock, then=FAILED, work=8), Record()
        async with running(clock, script, record, grace=5) as processor:
            await clock.sleep(4)
            ended(processor, "drained", 1)(await processor.shutdown())
            assert clock.monotonic() == 8
    assert len(record.of(IterationFailed)) == 1
    assert record.of(Waiting) == []


async def test_a_running_iteration_is_cancelled_after_the_grace() -> None:
    async with VirtualClock() as clock:
        record = Record()
        async with running(clock, Script(clock, work=100), record, grace=5) as processor:
            await clock.sleep(4)
            ended(processor, "cancelled", 1)(await processor.shutdown())
            assert clock.monotonic() == 9
    assert [event.grace for event in record.of(StopTimedOut)] == [5]
    assert len(record.of(IterationCancelled)) == 1
    assert record.of(IterationFailed) == []


@pytest.mark.parametrize(("work", "how"), [(5.999, "drained"), (6.001, "cancelled")])
async def test_the_grace_has_a_sharp_end(work: float, how: str) -> None:
    async with VirtualClock() as clock, running(clock, Script(clock, work=work)) as processor:
        await clock.sleep(1)
        ended(processor, how, 1)(await processor.shutdown(grace=timedelta(seconds=5)))
        assert clock.monotonic() == min(work, 6)


async def test_a_grace_of_nothing_cancels_at_once() -> None:
    async with VirtualClock() as clock, running(clock, Script(clock, work=100)) as processor:
        await clock.sleep(4)
        ended(processor, "cancelled", 1)(await processor.shutdown(grace=0))
        assert clock.monotonic() == 4


async def test_work_that_answers_although_it_was_cancelled_has_answered() -> None:
    async with VirtualClock() as clock:
        record = Record()

        async def stubborn() -> Answer:
            with anyio.CancelScope(shield=True):
                await clock.sleep(7)
            return Success(Progress(has_more=True))

        async with running(clock, of(stubborn), record, grace=1, cancel_grace=60) as processor:
            await clock.sleep(2)
            ended(processor, "drained", 1)(await processor.shutdown())
            assert clock.monotonic() == 7
    assert len(record.of(IterationSucceeded)) == 1
    assert len(record.of(StopTimedOut)) == 1


async def test_cleanup_after_the_cancellation_may_await_within_the_cancellation_s_grace() -> None:
    cleaned: list[float] = []
    async with VirtualClock() as clock:

        async def careful() -> Answer:
            try:
                await anyio.sleep_forever()
            finally:
                with anyio.CancelScope(shield=True):
                    await clock.sleep(2)
                    cleaned.append(clock.monotonic())
            return MORE

        async with running(clock, of(careful), grace=1) as processor:
            await clock.sleep(1)
            ended(processor, "cancelled", 1)(await processor.shutdown())
    assert cleaned == [4]


async def test_work_that_shields_itself_is_abandoned_and_its_late_answer_is_told() -> None:
    async with VirtualClock() as clock:
        record = Record()

        async def stubborn() -> Answer:
            with anyio.CancelScope(shield=True):
                await clock.sleep(100)
            return Success(Progress(has_more=True))

        async with running(clock, of(stubborn), record, grace=3, cancel_grace=2) as processor:
            await clock.sleep(1)
            ended(processor, "abandoned", 1)(await processor.shutdown())
            assert clock.monotonic() == 6
        assert clock.monotonic() == 100  # the owner's group waited
    late = record.of(IterationSucceeded)
    assert [event.late for event in late] == [True]
    assert [event.ended.how for event in record.of(LoopEnded)] == ["abandoned"]


async def test_a_shutdown_keeps_its_grace_although_the_owner_was_cancelled() -> None:
    async with VirtualClock() as clock:

        async def stubborn() -> Answer:
            with anyio.CancelScope(shield=True):
                await clock.sleep(100)
            return Success(Progress(has_more=True))

        processor: Processor = BackgroundProcessor(
            of(stubborn), name="p", interval=0, grace=3, cancel_grace=2, clock=clock, observe=()
        )

        async def own() -> None:
            async with anyio.create_task_group() as group:
                processor.start(group)
                await clock.sleep(1)
                group.cancel_scope.cancel()

        async with anyio.create_task_group() as others:
            others.start_soon(own)
            await clock.sleep(2)
            ended(processor, "abandoned", 1)(await processor.shutdown())
            assert clock.monotonic() == 7
        assert clock.monotonic() == 100


async def test_every_caller_of_shutdown_waits_for_the_same_end() -> None:
    async with VirtualClock() as clock:
        ends: list[tuple[float, Ended | None]] = []

        async with running(clock, Script(clock, work=8)) as processor:

            async def stop(at: float) -> None:
                await clock.sleep(at)
                ends.append((0.0, await processor.shutdown(grace=100)))
                ends[-1] = (clock.monotonic(), ends[-1][1])

            async with anyio.create_task_group() as group:
                for at in (1, 2, 3, 20):
                    group.start_soon(stop, at)
    assert [at for at, _ in ends] == [8, 8, 8, 20]
    assert {end for _, end in ends} == {Ended("drained", None, 1, None)}


async def test_a_caller_that_gives_up_does_not_end_the_grace() -> None:
    async with VirtualClock() as clock:
        record = Record()
        async with running(clock, Script(clock, work=100), record, grace=5) as processor:
            await clock.sleep(1)
            with clock.limit(2):
                await processor.shutdown()
            assert clock.monotonic() == 3
            await clock.sleep(10)
            assert record.of(LoopEnded)[0].time == 6
            assert not processor.is_running


async def test_a_stop_while_draining_runs_no_further_iteration() -> None:
    async with VirtualClock() as clock:
        script = Script(clock, then=MORE, work=1)
        async with running(clock, script) as processor:
            await clock.sleep(3.5)
            ended(processor, "drained", 4)(await processor.shutdown())
            assert clock.monotonic() == 4


async def test_shutdown_from_inside_the_iteration_asks_and_returns() -> None:
    answers: list[object] = []
    async with VirtualClock() as clock:

        async def child() -> None:
            answers.append(await processor.shutdown())

        def in_a_thread() -> None:
            answers.append(anyio.from_thread.run(processor.shutdown))

        async def stops_itself() -> Answer:
            answers.append(await processor.shutdown())
            async with anyio.create_task_group() as group:
                group.start_soon(child)
            await to_thread.run_sync(in_a_thread)
            await clock.sleep(2)
            return MORE

        async with running(clock, of(stops_itself)) as processor:
            await clock.sleep(10)
            assert not processor.is_running
            ended(processor, "drained", 1)(await processor.shutdown())
    assert answers == [None, None, None]


async def test_a_task_left_over_from_an_earlier_iteration_is_not_inside() -> None:
    ends: list[Ended | None] = []
    async with VirtualClock() as clock, anyio.create_task_group() as outside:

        async def later() -> None:
            await clock.sleep(15)
            ends.append(await processor.shutdown())

        async def leaves_a_task() -> Answer:
            if clock.monotonic() == 0:
                outside.start_soon(later)
            return IDLE

        async with running(clock, of(leaves_a_task)) as processor:
            await clock.sleep(30)
    assert ends == [Ended("drained", None, 2, None)]


async def test_a_failure_that_means_told_to_stop_is_no_error_while_stopping() -> None:
    async with VirtualClock() as clock:
        record = Record()

        async def told() -> Answer:
            await clock.sleep(3)
            return Failure("cancelled")

        processor: Processor = BackgroundProcessor(
            of(told),
            name="p",
            interval=1,
            skip_initial_delay=True,
            cancelled=lambda error: error == "cancelled",
            clock=clock,
            observe=(record,),
        )
        async with anyio.create_task_group() as group:
            processor.start(group)
            await clock.sleep(5)
            await processor.shutdown()
    assert len(record.of(IterationFailed)) == 1
    assert [event.progress for event in record.of(IterationSucceeded)] == [Progress(has_more=False)]


@pytest.mark.parametrize("stopping_already", [True, False])
async def test_a_predicate_that_raises_ends_the_loop_and_everything_is_told(stopping_already: bool) -> None:
    record, down = Record(), OSError("down")

    def broken(error: object) -> bool:
        raise ZeroDivisionError("in the predicate")

    async with VirtualClock() as clock:
        script = Script(clock, then=Failure(down), work=2)
        processor: Processor = BackgroundProcessor(
            script,
            name="p",
            interval=1,
            skip_initial_delay=True,
            cancelled=broken,
            clock=clock,
            observe=(record,),
        )
        with pytest.raises(ZeroDivisionError, match="in the predicate") as caught:
            async with processor:
                await clock.sleep(1)
                if not stopping_already:
                    await clock.sleep(10)
        assert caught.value.__context__ is down
        assert not processor.is_running
    assert [event.error for event in record.of(IterationFailed)] == [down]
    assert [event.ended.how for event in record.of(LoopEnded)] == ["failed"]


# Owning.


async def test_leaving_the_context_shuts_the_loop_down() -> None:
    async with VirtualClock() as clock:
        script = Script(clock, work=3)
        async with BackgroundProcessor(
            script, name="p", interval=10, skip_initial_delay=True, clock=clock, observe=()
        ) as processor:
            await clock.sleep(1)
            assert processor.is_running
        assert not processor.is_running
        assert clock.monotonic() == 3


async def test_an_error_of_the_body_comes_out_itself() -> None:
    error = KeyError("mine")
    async with VirtualClock() as clock:
        script = Script(clock, work=3)
        with pytest.raises(KeyError) as caught:
            async with BackgroundProcessor(
                script, name="p", interval=10, clock=clock, observe=()
            ) as processor:
                raise error
        assert caught.value is error
        assert not processor.is_running


async def test_a_group_that_the_body_raises_stays_a_group() -> None:
    error = ExceptionGroup("mine", [KeyError(1)])
    async with VirtualClock() as clock:
        with pytest.raises(ExceptionGroup) as caught:
            async with BackgroundProcessor(always(IDLE), name="p", interval=10, clock=clock, observe=()):
                raise error
        assert caught.value is error


async def test_a_defect_that_ends_the_loop_is_raised_out_of_the_context_and_cancels_the_body() -> None:
    bug, record = ZeroDivisionError("a bug"), Record()
    async with VirtualClock() as clock:
        script = Script(clock, [MORE, bug])
        processor: Processor = BackgroundProcessor(
            script, name="p", interval=10, on_defect="end", clock=clock, observe=(record,)
        )
        with pytest.raises(ZeroDivisionError) as caught:
            async with processor:
                await anyio.sleep_forever()
        assert caught.value is bug
        end = await processor.shutdown()
    assert isinstance(end, Ended)
    assert (end.how, end.error) == ("failed", bug)
    assert [event.ends_loop for event in record.of(IterationDefect)] == [True]


async def test_a_defect_that_ends_the_loop_is_raised_into_the_owner_s_group() -> None:
    bug = ZeroDivisionError("a bug")
    async with VirtualClock() as clock:
        processor: Processor = BackgroundProcessor(
            Script(clock, [bug]), name="p", interval=10, on_defect="end", clock=clock, observe=()
        )
        with pytest.raises(ExceptionGroup) as caught:
            async with anyio.create_task_group() as group:
                processor.start(group)
        assert caught.value.exceptions == (bug,)
        assert not processor.is_running


async def test_cancelling_the_owner_s_scope_ends_the_loop() -> None:
    async with VirtualClock() as clock:
        with clock.limit(1) as scope:
            async with BackgroundProcessor(
                Script(clock, work=60), name="p", interval=1, skip_initial_delay=True, clock=clock, observe=()
            ) as processor:
                await anyio.sleep_forever()
        assert scope.cancelled_caught
        assert clock.monotonic() == 1
        ended(processor, "cancelled", 1)(await processor.shutdown())


async def test_entering_a_processor_that_was_started_is_refused() -> None:
    async with VirtualClock() as clock:
        async with running(clock, always(IDLE)) as processor:
            with pytest.raises(RuntimeError, match=r"^BackgroundProcessor: async with must be the first"):
                async with processor:
                    pytest.fail("entered twice")
        with pytest.raises(RuntimeError, match="was started already"):
            async with processor:
                pytest.fail("entered again")


async def test_context_variables_of_the_starter_reach_the_work() -> None:
    from contextvars import ContextVar

    tenant: ContextVar[str] = ContextVar("tenant")
    seen: list[str] = []

    def look() -> IOResult[Progress, object]:
        seen.append(tenant.get())
        return IOSuccess(Progress(has_more=False))

    tenant.set("blue")
    async with VirtualClock() as clock, running(clock, in_thread(look)) as processor:
        await clock.sleep(1)
        await processor.shutdown()
    assert seen == ["blue"]


# Steering.


async def test_five_triggers_during_an_iteration_make_one_more_run() -> None:
    async with VirtualClock() as clock:
        script = Script(clock, work=2)
        async with running(clock, script) as processor:
            await clock.sleep(1)
            for _ in range(5):
                processor.trigger()
            await clock.sleep(8)
    assert script.starts == [0, 2]


async def test_a_trigger_ends_a_wait() -> None:
    async with VirtualClock() as clock:
        script = Script(clock)
        async with running(clock, script) as processor:
            await clock.sleep(3)
            processor.trigger()
            await clock.sleep(11)
    assert script.starts == [0, 3, 13]


async def test_nothing_runs_while_paused_and_what_is_due_runs_at_the_resume() -> None:
    async with VirtualClock() as clock:
        script = Script(clock)
        async with running(clock, script) as processor:
            await clock.sleep(3)
            processor.pause()
            await clock.sleep(30)
            assert script.starts == [0]
            processor.resume()
            await clock.sleep(5)
    assert script.starts == [0, 33]


async def test_a_paused_loop_stops_at_once() -> None:
    async with VirtualClock() as clock, running(clock, Script(clock)) as processor:
        processor.pause()
        await clock.sleep(30)
        ended(processor, "drained", 0)(await processor.shutdown())
        assert clock.monotonic() == 30


async def test_another_pacing_takes_effect_during_the_wait() -> None:
    async with VirtualClock() as clock:
        script = Script(clock)
        async with running(clock, script, interval=100) as processor:
            await clock.sleep(3)
            processor.reconfigure(spaced(5))
            await clock.sleep(13)
            processor.reconfigure(spaced(2))
            await clock.sleep(5.5)
        with pytest.raises(TypeError, match=r"^reconfigure: pacing must be a schedule, got 3"):
            processor.reconfigure(3)  # type: ignore[arg-type]
    assert script.starts == [0, 5, 10, 15, 17, 19, 21]


async def test_a_loop_is_stopped_and_triggered_from_other_threads() -> None:
    async with VirtualClock() as clock:
        script = Script(clock)
        async with running(clock, script) as processor:
            await clock.sleep(3)
            for ask in (processor.trigger, processor.stop):
                thread = threading.Thread(target=ask)
                thread.start()
                thread.join()
                await clock.sleep(1)
            assert not processor.is_running
            assert script.starts == [0, 3]


# The worker.


async def test_a_worker_backs_off_when_told_and_is_quiet_about_it() -> None:
    async with VirtualClock() as clock:
        record = Record()
        script = Script(clock, [Failure(ShouldBackOff())] * 3 + [MORE, Failure(ShouldBackOff())], then=IDLE)
        worker: Worker[object] = Worker(script, name="w", clock=clock, observe=(record,))
        async with worker:
            await clock.sleep(0.5)
    assert script.starts == pytest.approx([0, 0.05, 0.15, 0.35, 0.35, 0.4])
    assert record.of(IterationFailed) == []
    assert {event.progress.has_more for event in record.of(IterationSucceeded)} == {True, False}


async def test_a_worker_spreads_its_starts_by_the_least_work_time() -> None:
    async with VirtualClock() as clock:
        script = Script(clock, then=MORE, work=2)
        async with Worker(script, name="w", min_work_time=5, clock=clock, observe=()):
            await clock.sleep(13)
    assert script.starts == [0, 5, 10]


# Bad input.


@pytest.mark.parametrize(
    ("options", "kind", "says"),
    [
        (
            {"interval": -1},
            ValueError,
            "BackgroundProcessor: interval must be a duration of at least 0 s, got -1",
        ),
        ({"interval": "1"}, TypeError, "BackgroundProcessor: interval must be a duration"),
        (
            {"grace": float("nan")},
            ValueError,
            "BackgroundProcessor: grace must be a duration of at least 0 s",
        ),
        ({"cancel_grace": True}, TypeError, "BackgroundProcessor: cancel_grace must be a duration"),
        ({"name": ""}, ValueError, "BackgroundProcessor: name must be a text that is not empty, got ''"),
        ({"name": 3}, TypeError, "BackgroundProcessor: name must be a text that is not empty, got 3"),
        (
            {"on_defect": "stop"},
            ValueError,
            "BackgroundProcessor: on_defect must be 'pace' or 'end', got 'stop'",
        ),
        ({"pacing": spaced}, TypeError, "BackgroundProcessor: pacing must be a schedule, got "),
        ({"cancelled": 3}, TypeError, "BackgroundProcessor: cancelled must be a function, got 3"),
        ({"observe": (3,)}, TypeError, "BackgroundProcessor: observe must be a function, got 3"),
        ({"iteration": 3}, TypeError, "BackgroundProcessor: iteration must be a function that answers"),
    ],
)
def test_bad_options_are_refused(options: dict[str, object], kind: type[Exception], says: str) -> None:
    good: dict[str, object] = {"iteration": always(IDLE), "name": "p", "interval": 1}
    build = partial(BackgroundProcessor, **good | options)  # type: ignore[arg-type]
    with pytest.raises(kind) as caught:
        build()
    assert str(caught.value).startswith(says)


@pytest.mark.parametrize(
    ("options", "kind", "says"),
    [
        ({"backoff": exponential}, TypeError, "Worker: backoff must be a schedule, got "),
        (
            {"min_work_time": -1},
            ValueError,
            "Worker: min_work_time must be a duration of at least 0 s, got -1",
        ),
    ],
)
def test_bad_options_of_a_worker_are_refused(
    options: dict[str, object], kind: type[Exception], says: str
) -> None:
    build = partial(Worker, always(IDLE), name="w", **options)  # type: ignore[arg-type]
    with pytest.raises(kind) as caught:
        build()
    assert str(caught.value).startswith(says)


async def test_a_wrong_answer_ends_the_loop_whatever_on_defect_says() -> None:
    async with VirtualClock() as clock:
        wrong: Callable[[], FutureResult[Progress, object]] = lambda: 3  # type: ignore[assignment, return-value]  # noqa: E731
        with pytest.raises(
            TypeError, match=r"^Worker: iteration must answer a FutureResult of Progress, got 3"
        ):
            async with Worker(wrong, name="w", clock=clock, observe=()):
                await anyio.sleep_forever()


async def test_a_bad_grace_of_a_shutdown_is_refused_and_stops_nothing() -> None:
    async with VirtualClock() as clock, running(clock, Script(clock)) as processor:
        with pytest.raises(ValueError, match=r"^shutdown: grace must be a duration of at least 0 s, got -1"):
            await processor.shutdown(grace=-1)
        assert processor.is_running


async def test_no_stop_is_told_twice() -> None:
    async with VirtualClock() as clock:
        record = Record()
        async with running(clock, Script(clock, work=2), record) as processor:
            await clock.sleep(1)
            processor.stop()
            processor.stop()
            await processor.shutdown()
    assert len(record.of(StopAsked)) == 1
    assert len(record.of(LoopEnded)) == 1
    assert len(record.of(IterationStarted)) == 1


# Stopping by force, and what the work may know of it.


async def test_a_second_stop_by_force_cancels_at_once() -> None:
    async with VirtualClock() as clock:
        record = Record()
        async with running(clock, Script(clock, work=1000), record, grace=500) as processor:
            await clock.sleep(1)
            processor.stop()
            await clock.sleep(1)
            ended(processor, "cancelled", 1)(await processor.shutdown(force=True))
            assert clock.monotonic() == 2
        assert clock.monotonic() == 2  # nothing of the first grace is left in the group
    assert len(record.of(StopTimedOut)) == 1


async def test_a_forced_stop_gives_up_after_the_cancellation_s_grace() -> None:
    async with VirtualClock() as clock:

        async def stubborn() -> Answer:
            with anyio.CancelScope(shield=True):
                await clock.sleep(100)
            return MORE

        async with running(clock, of(stubborn), grace=500, cancel_grace=3) as processor:
            await clock.sleep(1)
            processor.stop()
            await clock.sleep(1)
            ended(processor, "abandoned", 1)(await processor.shutdown(force=True))
            assert clock.monotonic() == 5


async def test_work_that_looks_at_the_flag_ends_within_the_grace() -> None:
    async with VirtualClock() as clock:

        async def polite() -> Answer:
            while not stopping().is_set():
                await clock.sleep(1)
            return MORE

        async with running(clock, of(polite)) as processor:
            await clock.sleep(2.5)
            ended(processor, "drained", 1)(await processor.shutdown())
            assert clock.monotonic() == 3


async def test_work_that_waits_for_the_flag_ends_at_once() -> None:
    async with VirtualClock() as clock:

        async def polite() -> Answer:
            await stopping().wait()
            return MORE

        async with running(clock, of(polite)) as processor:
            await clock.sleep(2.5)
            processor.stop()
            ended(processor, "drained", 1)(await processor.shutdown())
            assert clock.monotonic() == 2.5


async def test_the_flag_reaches_a_worker_thread() -> None:
    seen: list[bool] = []

    def look() -> IOResult[Progress, object]:
        seen.append(stopping().is_set())
        return IOSuccess(Progress(has_more=False))

    async with VirtualClock() as clock, running(clock, in_thread(look)) as processor:
        await clock.sleep(1)
        await processor.shutdown()
    assert seen == [False]


def test_there_is_no_flag_outside_of_a_loop() -> None:
    with pytest.raises(RuntimeError, match=r"^stopping: this code must run in a loop's iteration"):
        stopping()


# Watching.


async def test_a_heartbeat_beats_during_waits_and_work_and_ends_last() -> None:
    beats: list[float] = []
    async with VirtualClock() as clock:
        processor: Processor = BackgroundProcessor(
            Script(clock, work=30),
            name="p",
            interval=30,
            skip_initial_delay=True,
            grace=60,
            clock=clock,
            observe=(),
            heartbeat=lambda: beats.append(clock.monotonic()),
            heartbeat_every=1,
        )
        async with processor:
            await clock.sleep(65.5)
        assert clock.monotonic() == 90
    assert beats == pytest.approx([float(n) for n in range(1, len(beats) + 1)])
    assert beats[-1] >= 89


async def test_a_heartbeat_that_raises_is_reported_once_and_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    beats: list[int] = []

    def broken() -> None:
        beats.append(1)
        raise ValueError("no pulse")

    async with (
        VirtualClock() as clock,
        BackgroundProcessor(
            always(IDLE), name="p", interval=30, clock=clock, observe=(), heartbeat=broken, heartbeat_every=1
        ),
    ):
        await clock.sleep(10.5)
    assert len(beats) == 10
    assert len([log for log in caplog.records if "reported once" in log.getMessage()]) == 1


@pytest.mark.parametrize("every", [0, -1])
def test_a_heartbeat_without_a_pause_is_refused(every: float) -> None:
    with pytest.raises(ValueError, match=r"^BackgroundProcessor: heartbeat_every must be a duration"):
        BackgroundProcessor(always(IDLE), name="p", interval=1, heartbeat=print, heartbeat_every=every)


async def test_the_status_tells_where_the_loop_stands() -> None:
    async with VirtualClock() as clock:
        script = Script(clock, [FAILED, Failure(OSError("lost")), MORE], work=2)
        async with running(clock, script) as processor:
            assert processor.status().state == "new"
            await clock.sleep(1)
            seen = processor.status()
            assert (seen.state, seen.iterations, seen.last_start, seen.last_end) == ("running", 1, 0, None)
            await clock.sleep(3)
            seen = processor.status()
            assert (seen.state, seen.until, seen.failures, seen.last_error) == (
                "waiting",
                12,
                1,
                (str, "down"),
            )
            processor.pause()
            await clock.sleep(1)
            assert processor.status().state == "paused"
            processor.resume()
            await clock.sleep(10.5)
            seen = processor.status()
            assert (seen.failures, seen.last_error, seen.last_success) == (2, (OSError, "lost"), None)
            await clock.sleep(12)
            seen = processor.status()
            assert (seen.failures, seen.last_error, seen.last_success) == (0, None, 26)
            processor.stop()
            await clock.sleep(0.25)
            assert processor.status().state == "stopping"
            end = await processor.shutdown()
            seen = processor.status()
            assert (seen.state, seen.ended, seen.until) == ("ended", end, None)


async def test_a_stuck_iteration_is_not_alive_and_a_planned_long_wait_is() -> None:
    async with VirtualClock() as clock:
        async with running(clock, of(anyio.sleep_forever)) as stuck:  # type: ignore[arg-type]
            assert stuck.is_alive(60)
            await clock.sleep(60)
            assert stuck.is_alive(60)
            await clock.sleep(0.001)
            assert not stuck.is_alive(timedelta(minutes=1))
        async with running(clock, always(IDLE), interval=300) as waiting:
            await clock.sleep(299)
            assert waiting.is_alive(60)
        assert not waiting.is_alive(60)


async def test_a_loop_whose_iterations_all_fail_is_alive() -> None:
    async with VirtualClock() as clock, running(clock, always(FAILED)) as processor:
        await clock.sleep(3600)
        seen = processor.status()
        assert processor.is_alive(60)
        assert seen.last_success is None
        assert seen.last_end is not None
        assert seen.now - seen.last_end < 60


async def test_a_calendar_s_slot_starts_once_although_the_wall_clock_is_a_little_behind() -> None:
    async with VirtualClock(wall=0) as clock:
        script, walls = Script(clock, work=0.001), list[float]()

        async def slow_the_wall_clock() -> None:
            while True:
                await clock.sleep(30)
                clock.shift_wall(-0.005)
                walls.append(clock.wall())

        async with anyio.create_task_group() as group:
            group.start_soon(slow_the_wall_clock)
            await run_loop(script, cron("* * * * *") & recurs(10), clock=clock)
            group.cancel_scope.cancel()
    gaps = [later - earlier for earlier, later in zip(script.starts, script.starts[1:], strict=False)]
    assert min(gaps) > 59


# Only one replica.


def gated(
    clock: VirtualClock, iteration: Callable[[], FutureResult[Progress, object]], gate: Gate, record: Record
) -> Processor:
    return BackgroundProcessor(
        iteration,
        name="p",
        interval=10,
        skip_initial_delay=True,
        on_defect="end",
        clock=clock,
        observe=(record,),
        gate=gate,
    )


async def test_a_gate_that_says_no_makes_the_iteration_idle() -> None:
    answers = iter([True, False, False, True])
    opened: list[str] = []

    @asynccontextmanager
    async def gate() -> AsyncIterator[bool]:
        opened.append("in")
        yield next(answers)
        opened.append("out")

    async with VirtualClock() as clock:
        script, record = Script(clock), Record()
        async with gated(clock, script, gate, record):
            await clock.sleep(35)
    assert script.starts == [0, 30]
    assert opened == ["in", "out"] * 4
    assert len(record.of(IterationSucceeded)) == 4


async def test_a_gate_that_raises_is_a_failure_also_where_defects_end_the_loop() -> None:
    down, raised = OSError("no lease table"), [True, False]

    @asynccontextmanager
    async def gate() -> AsyncIterator[bool]:
        if raised.pop(0):
            raise down
        yield True

    async with VirtualClock() as clock:
        script, record = Script(clock), Record()
        async with gated(clock, script, gate, record):
            await clock.sleep(15)
    assert script.starts == [10]
    [failed] = record.of(IterationFailed)
    assert isinstance(failed.error, GateError)
    assert failed.error.__cause__ is down


@pytest.mark.parametrize("raises", [True, False])
async def test_a_gate_that_cuts_the_iteration_makes_it_a_failure(raises: bool) -> None:
    async with VirtualClock() as clock:

        @asynccontextmanager
        async def gate() -> AsyncIterator[bool]:
            async with anyio.create_task_group() as group:

                async def lose_the_lease() -> None:
                    await clock.sleep(3)
                    if raises:
                        raise OSError("the lease is lost")
                    group.cancel_scope.cancel()

                group.start_soon(lose_the_lease)
                yield True
                group.cancel_scope.cancel()

        record = Record()
        async with gated(clock, Script(clock, work=60), gate, record):
            await clock.sleep(12)
    [failed] = record.of(IterationFailed)
    assert isinstance(failed.error, GateError)
    assert failed.duration == 3
    assert (failed.error.__cause__ is not None) == raises


async def test_a_gate_around_a_broken_promise_changes_nothing_about_it() -> None:
    @asynccontextmanager
    async def gate() -> AsyncIterator[bool]:
        async with anyio.create_task_group():
            yield True

    wrong: Callable[[], FutureResult[Progress, object]] = lambda: 3  # type: ignore[assignment, return-value]  # noqa: E731
    async with VirtualClock() as clock:
        with pytest.raises(TypeError, match=r"iteration must answer a FutureResult of Progress, got 3"):
            async with gated(clock, wrong, gate, Record()):
                await anyio.sleep_forever()


async def test_a_gate_that_gives_no_bool_ends_the_loop() -> None:
    @asynccontextmanager
    async def gate() -> AsyncIterator[bool]:
        yield 1  # type: ignore[misc]

    async with VirtualClock() as clock:
        with pytest.raises(TypeError, match=r"^BackgroundProcessor: gate must give a bool, got 1"):
            async with gated(clock, always(MORE), gate, Record()):
                await anyio.sleep_forever()


async def test_a_stop_within_a_gate_lets_the_iteration_finish_and_the_gate_close() -> None:
    closed: list[float] = []
    async with VirtualClock() as clock:

        @asynccontextmanager
        async def gate() -> AsyncIterator[bool]:
            try:
                yield True
            finally:
                closed.append(clock.monotonic())

        async with gated(clock, Script(clock, work=4), gate, Record()) as processor:
            await clock.sleep(1)
            ended(processor, "drained", 1)(await processor.shutdown())
    assert closed == [4]
