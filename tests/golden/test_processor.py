"""The original background processor's timelines, replayed with `BackgroundProcessor`.

Replay rules: a defect ends the loop, as it does there; the owner's scope is a task group in which the loop is
started, and closing it cancels that group (before a start there is none, and closing is a plain `shutdown`).
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest
from anyio import CancelScope, create_task_group, sleep_forever
from anyio.abc import TaskGroup
from returns.future import FutureResult
from returns.result import Failure, Success

from effectloop import BackgroundProcessor, Ended, Progress
from effectloop.testing import VirtualClock
from tests.golden.processor import (
    BY_DEFAULT,
    RULES,
    DurableExecutionCancelledError,
    Error,
    described,
    failure,
    translated,
    works_first,
)
from tests.golden.replay import load
from tests.golden.timelines import (
    Answer,
    Diary,
    Timeline,
    by_time,
    hold,
    hold_all,
    promised,
    step_of,
    unlike,
)
from tests.golden.values import Json


@dataclass
class Owner:
    """Whoever holds the task group in which the loop is started."""

    diary: Diary
    group: TaskGroup = field(default_factory=create_task_group)
    left: anyio.Event = field(default_factory=anyio.Event)

    async def hold(self) -> None:
        try:
            async with self.group:
                await sleep_forever()
        except* Error as errors:
            for error in errors.exceptions:
                self.diary.write("raised", error=described(error))
        finally:
            self.left.set()

    async def close(self) -> None:
        self.group.cancel_scope.cancel()
        await self.left.wait()


class Script:
    """The iteration: does what the case says, and checks that the loop tells of its starts as they are."""

    def __init__(self, case: Json, clock: VirtualClock, diary: Diary, owner: Owner) -> None:
        self._case = case
        self._clock = clock
        self._owner = owner
        self._diary = diary
        self._count = 0
        self.shutdown: Callable[[], Awaitable[Ended | None]]

    def __call__(self) -> FutureResult[Progress, object]:
        step = step_of(self._case, self._count)
        told = {"t": self._diary.now(), "event": "iteration_start", "n": self._count}
        assert self._diary.events[-1] == told
        self._count += 1
        if step["kind"] == "throw" and not step["ms"]:
            raise Error(step["message"])
        return FutureResult(self._work(step))

    async def _work(self, step: Json) -> Answer:
        kind = step["kind"]
        if kind == "never":
            await sleep_forever()
        if kind == "shutdown_self" and not works_first(self._case):
            assert await self.shutdown() is None
        if step.get("ms"):
            with CancelScope(shield=kind == "ok_uninterruptible"):
                await self._clock.sleep(step["ms"] / 1000)
        match kind:
            case "fail":
                return Failure(failure(step))
            case "die" | "throw":
                raise Error(step["message"])
            case "interrupt":
                await self._owner.close()
            case "shutdown_self" if works_first(self._case):
                assert await self.shutdown() is None
            case _:
                assert kind in ("ok", "ok_uninterruptible", "shutdown_self"), kind
        return Success(Progress(has_more=step.get("hasMore", False)))


async def replayed(case: Json, *, told: bool = True) -> Diary:
    """Answer what our loop does when it is treated as *case* says; *told* to end on defects, or not."""
    draws = [(event["t"], event["jitter"]["u"]) for event in case["timeline"] if "jitter" in event]
    clock = VirtualClock(draws=by_time(draws))
    diary = Diary(clock)
    owner = Owner(diary)
    script = Script(case, clock, diary, owner)
    options = dict(case["options"])
    said: dict[str, Any] = {"on_defect": "end"} if told else {}
    if "shutdownTimeoutMs" in options:
        said["grace"] = options.pop("shutdownTimeoutMs") / 1000
    processor = BackgroundProcessor(
        script,
        name="proc-1",
        executor_id="exec-1",
        interval=options.pop("intraIterationSleepMs") / 1000,
        skip_initial_delay=options.pop("skipInitialSleep", False),
        cancelled=lambda error: isinstance(error, DurableExecutionCancelledError),
        cancel_grace=case["end_at"] / 1000,  # the original waits for ever
        clock=clock,
        observe=diary.observe,
        **said,
    )
    assert not options
    script.shutdown = processor.shutdown

    async def shutdown(name: str) -> None:
        call = diary.write(name, end=None)
        if name == "close_scope" and is_started:
            await owner.close()
        else:
            assert await processor.shutdown() == diary.ended
        call["end"] = diary.now()

    is_started = False
    async with create_task_group() as everything:
        everything.start_soon(owner.hold)
        await clock.advance(0)
        for action in case["actions"]:
            await clock.advance(max(0.0, action["at"] / 1000 - clock.monotonic()))
            match action["do"]:
                case "start":
                    call = diary.write("start", end=None)
                    processor.start(owner.group)
                    call["end"] = diary.now()
                    is_started = True
                case "shutdown":
                    everything.start_soon(shutdown, "shutdown")
                case "closeScope":
                    everything.start_soon(shutdown, "close_scope")
                case "isRunning":
                    diary.write("is_running", value=processor.is_running)
                case unknown:
                    raise AssertionError(unknown)
            await clock.advance(0)
        await clock.advance(case["end_at"] / 1000 - clock.monotonic())
        diary.write("is_running", value=processor.is_running)
        diary.close()
        everything.cancel_scope.cancel()
        with CancelScope(shield=True):  # for work that cannot be cut
            await clock.advance(24 * 3600)
    return diary


def in_words_of_the_original(diary: Diary) -> Timeline:
    """Answer what our loop did and logged, the fields of the records having the original's names."""
    logs = [
        {"t": t, "event": "log", "level": LEVELS[record.levelno], "message": record.getMessage()}
        | fields(record)
        for t, record in diary.loud
    ]
    return [*diary.events, *logs]


def fields(record: logging.LogRecord) -> Json:
    extra = vars(record)
    named = {
        "service": extra["service"],
        "executorId": extra["executor_id"],
        "processName": extra["process_name"],
    }
    return {"fields": named | ({"error": described(extra["error"])} if "error" in extra else {})}


LEVELS = {logging.ERROR: "ERROR", logging.WARNING: "WARN"}
FILES = ["processor", "processor_more"]
CASES = [(case, load(name)["meta"]["part"]) for name in FILES for case in load(name)["cases"]]


def has_defect(timeline: Timeline) -> bool:
    return any(event.get("result") == "die" for event in timeline)


WITH_DEFECTS = [case for case, _ in CASES if has_defect(promised(case, translated(case), RULES)[0])]


@pytest.mark.anyio
@pytest.mark.parametrize(("case", "part"), CASES, ids=[case["id"] for case, _ in CASES])
async def test_a_processor_does_as_the_original_but_for_the_listed_differences(case: Json, part: str) -> None:
    timeline, rows = promised(case, translated(case), RULES)
    hold(case, part, rows | ({BY_DEFAULT} if has_defect(timeline) else set()), "processor")
    diary = await replayed(case)
    assert unlike(in_words_of_the_original(diary), timeline) == []
    assert diary.quiet_tells_the_same()


@pytest.mark.anyio
@pytest.mark.parametrize("case", WITH_DEFECTS, ids=[case["id"] for case in WITH_DEFECTS])
async def test_unless_told_otherwise_a_defect_is_paced_like_a_failure(case: Json) -> None:
    def failing(step: Json) -> Json:
        return step | ({"kind": "fail", "error": "generic"} if step["kind"] in ("die", "throw") else {})

    by_default = in_words_of_the_original(await replayed(case, told=False))
    script = [failing(step) for step in case["script"]]
    as_failures = await replayed(case | {"script": script, "then": failing(case["then"])}, told=False)
    assert has_defect(by_default)
    renamed = [
        event
        | ({"result": "fail"} if event.get("result") == "die" else {})
        | (
            {"message": "Error in iteration effect"}
            if event["event"] == "log" and "error" in event["fields"]
            else {}
        )
        for event in by_default
    ]
    assert unlike(renamed, in_words_of_the_original(as_failures)) == []
    assert {event["message"] for event in by_default if "message" in event} >= {
        "Uncaught error in iteration effect"
    }


def test_the_rows_are_those_of_this_harness_and_no_case_is_left_out() -> None:
    hold_all("processor", {*RULES, BY_DEFAULT}, FILES)
