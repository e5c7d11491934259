"""`in_thread`: blocking work in loops, what a cancellation does to it, and how a loop lets its thread go."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import anyio
import pytest
from returns.future import FutureResult
from returns.io import IOFailure, IOResult, IOSuccess

from effectloop import (
    BackgroundProcessor,
    Ended,
    Event,
    IterationDefect,
    IterationFailed,
    IterationSucceeded,
    LoopEnded,
    Progress,
    in_thread,
    recurs,
    run_loop,
)
from effectloop.testing import VirtualClock

from .scripts import Record

pytestmark = pytest.mark.anyio


class Gate:
    """Blocking work that lasts until it is opened, and then answers."""

    def __init__(self, answer: Callable[[], IOResult[Progress, object]]) -> None:
        self.entered = threading.Event()
        self.opened = threading.Event()
        self._answer = answer

    def __call__(self) -> IOResult[Progress, object]:
        self.entered.set()
        self.opened.wait(timeout=60)
        return self._answer()


@pytest.fixture(params=["success", "failure", "defect"])
def answer(request: pytest.FixtureRequest) -> Iterator[Callable[[], IOResult[Progress, object]]]:
    def defect() -> IOResult[Progress, object]:
        raise ZeroDivisionError("a bug")

    yield {
        "success": lambda: IOSuccess(Progress(has_more=False)),
        "failure": lambda: IOFailure("down"),
        "defect": defect,
    }[request.param]


async def test_blocking_work_paces_a_loop_as_any_other() -> None:
    seen: list[int] = []

    def work() -> IOResult[Progress, object]:
        seen.append(threading.get_ident())
        return IOSuccess(Progress(has_more=True))

    ended = await run_loop(in_thread(work), recurs(2))
    assert ended.iterations == 3
    assert threading.get_ident() not in seen


async def test_it_composes_with_the_methods_of_a_future_result() -> None:
    def fetch() -> IOResult[int, str]:
        return IOSuccess(20)

    doubled = await in_thread(fetch)().map(lambda n: n * 2).bind(lambda n: FutureResult.from_value(n + 2))
    assert doubled == IOSuccess(42)


async def test_what_the_work_raises_passes_through() -> None:
    def bug() -> IOResult[int, str]:
        raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError, match="a bug"):
        await in_thread(bug)()


async def test_work_that_answers_something_else_is_refused() -> None:
    def wrong() -> IOResult[int, str]:
        return 3  # type: ignore[return-value]

    with pytest.raises(TypeError, match=r"^in_thread: factory must answer an IOResult, got 3"):
        await in_thread(wrong)()


@pytest.mark.parametrize("wrong", [3, IOSuccess(3), None])
def test_a_value_instead_of_a_factory_is_refused(wrong: object) -> None:
    with pytest.raises(
        TypeError, match=r"^in_thread: factory must be a function that answers an IOResult, got"
    ):
        in_thread(wrong)  # type: ignore[arg-type]


async def test_a_cancellation_before_the_work_began_keeps_it_from_beginning() -> None:
    called: list[bool] = []

    def work() -> IOResult[int, str]:
        called.append(True)
        return IOSuccess(1)

    with anyio.CancelScope() as scope:
        scope.cancel()
        await in_thread(work)()
    assert scope.cancelled_caught
    assert called == []


async def test_a_cancellation_waits_for_the_work_and_its_answer_counts() -> None:
    gate = Gate(lambda: IOSuccess(Progress(has_more=False)))
    answers: list[object] = []

    async def cancel(scope: anyio.CancelScope) -> None:
        await anyio.to_thread.run_sync(gate.entered.wait)
        scope.cancel()
        gate.opened.set()

    async with anyio.create_task_group() as group:
        with anyio.CancelScope() as scope:
            group.start_soon(cancel, scope)
            answers.append(await in_thread(gate)())
    assert answers == [IOSuccess(Progress(has_more=False))]


async def test_a_loop_that_gives_up_lets_go_of_its_thread_and_tells_the_late_answer(
    answer: Callable[[], IOResult[Progress, object]],
) -> None:
    gate, told, record = Gate(answer), threading.Event(), Record()

    def observe(event: Event) -> None:
        record(event)
        if getattr(event, "late", False):
            told.set()

    clock = VirtualClock()
    async with anyio.create_task_group() as group:
        processor = BackgroundProcessor(
            in_thread(gate),
            name="p",
            interval=1,
            skip_initial_delay=True,
            grace=0,
            cancel_grace=0,
            clock=clock,
            observe=(observe,),
        )
        processor.start(group)
        await anyio.to_thread.run_sync(gate.entered.wait)
        ended = await processor.shutdown()
    assert ended == Ended("abandoned", None, 1, None)
    assert record.names()[-1] == "LoopEnded"
    gate.opened.set()
    await anyio.to_thread.run_sync(told.wait)
    late = record.events[-1]
    assert isinstance(late, IterationSucceeded | IterationFailed | IterationDefect)
    assert late.late
    assert len(record.of(LoopEnded)) == 1


async def test_a_step_that_was_left_behind_tells_nothing_as_it_is_not_the_iteration_s_answer() -> None:
    gate, record = threading.Event(), Record()
    entered, left = threading.Event(), threading.Event()

    def fetch() -> IOResult[list[str], object]:
        entered.set()
        gate.wait(timeout=60)
        left.set()
        return IOSuccess(["a message"])

    def iteration() -> FutureResult[Progress, object]:
        return in_thread(fetch)().map(lambda messages: Progress(has_more=bool(messages)))

    async with anyio.create_task_group() as group:
        processor = BackgroundProcessor(
            iteration,
            name="p",
            interval=1,
            skip_initial_delay=True,
            grace=0,
            cancel_grace=0,
            observe=(record,),
        )
        processor.start(group)
        await anyio.to_thread.run_sync(entered.wait)
        assert await processor.shutdown() == Ended("abandoned", None, 1, None)
    told = record.names()
    gate.set()
    await anyio.to_thread.run_sync(left.wait)
    assert record.names() == told


async def test_work_that_finishes_as_the_loop_gives_up_is_not_lost(
    answer: Callable[[], IOResult[Progress, object]],
) -> None:
    for _ in range(30):
        gate, record, told = Gate(answer), Record(), threading.Event()

        def observe(event: Event, record: Record = record, told: threading.Event = told) -> None:
            record(event)
            if type(event) in (IterationSucceeded, IterationFailed, IterationDefect):
                told.set()

        async with anyio.create_task_group() as group:
            processor = BackgroundProcessor(
                in_thread(gate),
                name="p",
                interval=1,
                skip_initial_delay=True,
                grace=0,
                cancel_grace=0,
                observe=(observe,),
            )
            processor.start(group)
            await anyio.to_thread.run_sync(gate.entered.wait)
            gate.opened.set()
            ended = await processor.shutdown()
        assert ended is not None
        assert ended.how in ("drained", "abandoned")
        await anyio.to_thread.run_sync(told.wait)
        kinds = (IterationSucceeded, IterationFailed, IterationDefect)
        assert sum(isinstance(event, kinds) for event in record) == 1
        assert len(record.of(LoopEnded)) == 1
