"""Spans and metrics of loops: what they say, when they end, and whose children the work's own spans are."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import copy_context
from dataclasses import dataclass, field
from time import time_ns
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint
from opentelemetry import baggage, context
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import INVALID_SPAN, Span, StatusCode, get_current_span
from returns.future import FutureResult
from returns.io import IOFailure, IOResult, IOSuccess
from returns.result import Failure, Success

from effectloop import (
    BackgroundProcessor,
    Ended,
    Event,
    Identity,
    IterationCancelled,
    IterationDefect,
    IterationFailed,
    IterationStarted,
    IterationSucceeded,
    LoopEnded,
    LoopStarted,
    Observer,
    Progress,
    Reason,
    StopAsked,
    TimedOut,
    Waiting,
    Worker,
    forever,
    in_thread,
    limited,
    recurs,
    run_loop,
    spaced,
)
from effectloop.observe import opentelemetry
from effectloop.observe.opentelemetry import measure_events, trace_events
from effectloop.testing import VirtualClock
from tests.drivers.scripts import FAILED, IDLE, MORE, Answer, Record, Script, always, of

pytestmark = pytest.mark.anyio

LOOP = Identity("outbox", "worker")
BUG = ZeroDivisionError("a bug")
STARTED = IterationStarted(LOOP, 0.0, 1)
STOPPED = LoopEnded(LOOP, 0.0, Ended("drained", None, 1, None))


@dataclass
class Collector:
    """Makes spans, and keeps those that have ended."""

    exporter: InMemorySpanExporter = field(default_factory=InMemorySpanExporter)

    def __post_init__(self) -> None:
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracer = provider.get_tracer("test")

    def all(self) -> list[ReadableSpan]:
        """Answer the spans that have ended, in the order in which they did."""
        return list(self.exporter.get_finished_spans())

    def loops(self) -> list[ReadableSpan]:
        """Answer those of iterations."""
        return [span for span in self.all() if span.name.startswith("worker loop: ")]

    def facts(self) -> list[dict[str, Any]]:
        """Answer the attributes of the iterations' spans, but for those that are the same in all."""
        return [
            {name: value for name, value in (span.attributes or {}).items() if name not in FIXED}
            for span in self.loops()
        ]


FIXED = ("meta.type", "loop_name")


@pytest.fixture
def collector() -> Collector:
    return Collector()


@pytest.fixture(autouse=True)
def _nothing_goes_wrong(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Hold that no observer raised, and that no span was detached elsewhere than it was attached."""
    yield
    told = [record for record in caplog.get_records("call") if record.levelname in ("WARNING", "ERROR")]
    assert [record.getMessage() for record in told] == []


def current() -> Span:
    return get_current_span()


def is_child(child: ReadableSpan, parent: ReadableSpan) -> bool:
    assert parent.context is not None
    return child.parent is not None and child.parent.span_id == parent.context.span_id


# What a span says.


def told(collector: Collector, *events: Event, idle: bool = True) -> dict[str, Any]:
    observe = trace_events(collector.tracer, idle=idle)
    loop = copy_context()  # what is current in it
    for event in (STARTED, *events):
        loop.run(observe, event)
    (facts,) = collector.facts()
    return facts


def succeeded(has_more: bool, *rest: Any) -> IterationSucceeded:
    return IterationSucceeded(LOOP, 1.0, 1, 1.0, False, Progress(has_more=has_more), 0, *rest)


def failed(error: object, *rest: Any) -> IterationFailed:
    return IterationFailed(LOOP, 1.0, 1, 1.0, False, error, 1, True, *rest)


RESULTS: dict[str, tuple[Event, dict[str, object]]] = {
    "work": (succeeded(True), {"result": "success"}),
    "idle": (succeeded(False), {"result": "success"}),
    "no work": (succeeded(False, "no work", False), {"result": "success"}),
    "told to stop while stopping": (
        succeeded(False, "told to stop", True),
        {"result": "canceled", "warning": "told to stop"},
    ),
    "told to stop otherwise": (
        failed("told to stop", True),
        {"result": "canceled", "warning": "told to stop"},
    ),
    "timed out": (failed(TimedOut(1.5)), {"result": "canceled", "warning": "timed out after 1.5 s"}),
    "failure": (failed(OSError("down")), {"result": "error", "error": "down"}),
    "nothing": (failed(None), {"result": "error", "error": "None"}),
    "defect": (
        IterationDefect(LOOP, 1.0, 1, 1.0, False, BUG, 1, True, False),
        {"result": "error", "error": "a bug", "defect": True},
    ),
    "cut": (
        IterationCancelled(LOOP, 1.0, 1, 1.0, False),
        {"result": "canceled", "warning": "cancelled before it answered"},
    ),
}


@pytest.mark.parametrize(("event", "facts"), RESULTS.values(), ids=RESULTS)
def test_a_span_says_how_its_iteration_ended(
    collector: Collector, event: Event, facts: dict[str, object]
) -> None:
    assert told(collector, event, STOPPED) == facts | {"backoff_ms": 0}
    (span,) = collector.loops()
    is_error = facts["result"] == "error"
    assert span.name == "worker loop: outbox"
    assert {name: (span.attributes or {})[name] for name in FIXED} == {
        "meta.type": "worker_loop",
        "loop_name": "outbox",
    }
    assert (span.status.status_code, span.status.description) == (
        (StatusCode.ERROR, facts["error"]) if is_error else (StatusCode.UNSET, None)
    )
    assert [event.name for event in span.events] == (["exception"] if is_error else [])


def test_an_exception_is_recorded_with_its_traceback(collector: Collector) -> None:
    def raise_a_bug() -> None:
        raise BUG

    with pytest.raises(ZeroDivisionError):
        raise_a_bug()
    told(collector, failed(BUG), STOPPED)
    ((recorded,),) = [span.events for span in collector.loops()]
    facts = recorded.attributes or {}
    assert (facts["exception.type"], facts["exception.message"]) == ("ZeroDivisionError", "a bug")
    assert "raise_a_bug" in str(facts["exception.stacktrace"])


def test_a_failure_that_is_no_exception_is_recorded_too(collector: Collector) -> None:
    told(collector, failed("down"), STOPPED)
    ((recorded,),) = [span.events for span in collector.loops()]
    assert dict(recorded.attributes or {}) == {"exception.type": "str", "exception.message": "down"}


@pytest.mark.parametrize(
    ("delay", "why", "milliseconds"),
    [
        (0.05, Reason.BACK_OFF, 50),
        (0.285, Reason.IDLE, 285),  # times 1000 is 284.99999999999994
        (0.0509999, Reason.FAILING, 50),
        (0.051, "what a pacing of one's own says", 51),
        (0.05, Reason.THROTTLE, 0),
    ],
)
def test_backoff_ms_is_the_wait_in_whole_milliseconds(
    collector: Collector, delay: float, why: object, milliseconds: int
) -> None:
    facts = told(collector, succeeded(False), Waiting(LOOP, 1.0, 1, delay, 1.0 + delay, why))
    assert facts["backoff_ms"] == milliseconds


def test_backoff_ms_is_0_where_nothing_is_waited_for(collector: Collector) -> None:
    assert told(collector, succeeded(True), IterationStarted(LOOP, 1.0, 2))["backoff_ms"] == 0


def test_a_stop_that_comes_first_leaves_the_running_span_open(collector: Collector) -> None:
    observe = trace_events(collector.tracer)
    for event in (LoopStarted(LOOP, 0.0), STARTED, StopAsked(LOOP, 0.5)):
        observe(event)
    assert collector.all() == []
    observe(succeeded(True))
    observe(STOPPED)
    assert collector.facts() == [{"result": "success", "backoff_ms": 0}]


def test_what_was_not_seen_to_start_has_no_span(collector: Collector) -> None:
    observe = trace_events(collector.tracer)
    for event in (succeeded(True), STOPPED):
        observe(event)
    assert collector.all() == []


class Mute(Exception):
    """An exception without a text: whoever asks for it fails."""

    def __str__(self) -> str:
        raise BUG


async def test_an_error_that_cannot_be_told_leaves_no_span_open(
    collector: Collector, caplog: pytest.LogCaptureFixture
) -> None:
    iteration = Script(VirtualClock(), [Failure(Mute())], then=MORE)
    async with VirtualClock() as clock:
        await run_loop(iteration, recurs(1), clock=clock, observe=[trace_events(collector.tracer)])
    assert [facts["result"] for facts in collector.facts()] == ["error", "success"]
    assert "reported once" in caplog.text
    caplog.clear()


# Root, link, children.


async def test_each_iteration_is_a_root_span_linked_to_the_open_span_of_its_owner(
    collector: Collector,
) -> None:
    async with VirtualClock() as clock:
        with collector.tracer.start_as_current_span("owner") as owner:
            await run_loop(
                always(IDLE), spaced(10) & recurs(2), clock=clock, observe=[trace_events(collector.tracer)]
            )
            assert len(collector.loops()) == 3  # the owner has not ended
    for span in collector.loops():
        assert span.parent is None
        assert [link.context for link in span.links] == [owner.get_span_context()]
    traces = {span.context.trace_id for span in collector.all() if span.context is not None}
    assert len(traces) == 4


async def test_a_loop_without_an_owner_s_span_has_spans_without_links(collector: Collector) -> None:
    async with VirtualClock() as clock:
        await run_loop(always(IDLE), recurs(0), clock=clock, observe=[trace_events(collector.tracer)])
    (span,) = collector.loops()
    assert (span.parent, list(span.links)) == (None, [])


async def nested(collector: Collector, name: str) -> None:
    with collector.tracer.start_as_current_span(name):
        await checkpoint()


async def test_the_work_s_own_spans_are_children_of_its_iteration(collector: Collector) -> None:
    async def work() -> Answer:
        await nested(collector, "in the work")
        async with anyio.create_task_group() as group:
            group.start_soon(nested, collector, "in a child task")
        return MORE

    async with VirtualClock() as clock:
        await run_loop(
            limited(of(work), 5, clock=clock),
            recurs(1),
            clock=clock,
            observe=[trace_events(collector.tracer)],
        )
    first, second = collector.loops()
    children = [span for span in collector.all() if span.name.startswith("in ")]
    assert [span.name for span in children] == ["in the work", "in a child task"] * 2
    assert [is_child(child, first) for child in children] == [True, True, False, False]
    assert [is_child(child, second) for child in children] == [False, False, True, True]


async def test_the_spans_of_work_in_a_thread_are_children_too(collector: Collector) -> None:
    def work() -> IOResult[Progress, str]:
        with collector.tracer.start_as_current_span("in a thread"):
            return IOFailure("down")

    async with VirtualClock() as clock:
        await run_loop(in_thread(work), recurs(0), clock=clock, observe=[trace_events(collector.tracer)])
    child, span = collector.all()
    assert is_child(child, span)
    assert collector.facts() == [{"result": "error", "error": "down", "backoff_ms": 0}]


@pytest.mark.parametrize("where", ["task", "thread"])
async def test_a_trigger_from_elsewhere_starts_a_span_that_is_current_all_the_same(
    collector: Collector, where: str
) -> None:
    async def work() -> Answer:
        await nested(collector, "in the work")
        return IDLE

    clock = VirtualClock()
    async with clock, anyio.create_task_group() as group:
        with collector.tracer.start_as_current_span("owner") as owner:
            worker = Worker(
                of(work), name="w", backoff=forever() & spaced(3600), clock=clock, observe=[
                    trace_events(collector.tracer)
                ],
            )  # fmt: skip
            worker.start(group)
            await clock.sleep(1)
            with collector.tracer.start_as_current_span("somebody else"):
                for ask in (worker.trigger, worker.pause, worker.trigger, worker.resume):
                    if where == "task":
                        ask()
                    else:
                        await anyio.to_thread.run_sync(ask)
                    await clock.sleep(1)
            assert current() is owner
            await worker.shutdown()
    spans, children = collector.loops(), [s for s in collector.all() if s.name == "in the work"]
    assert len(spans) == 3
    assert [is_child(child, span) for child, span in zip(children, spans, strict=True)] == [True] * 3
    assert [[link.context for link in span.links] for span in spans] == [[owner.get_span_context()]] * 3


async def test_outside_of_iterations_the_owner_s_span_is_current_and_what_it_bears_stays(
    collector: Collector,
) -> None:
    seen: list[tuple[str, Span, object]] = []

    def look(event: Event) -> None:
        seen.append((type(event).__name__, current(), baggage.get_baggage("tenant")))

    token = context.attach(baggage.set_baggage("tenant", "acme"))
    try:
        async with VirtualClock() as clock:
            with collector.tracer.start_as_current_span("owner") as owner:
                await run_loop(
                    always(FAILED),
                    spaced(10) & recurs(1),
                    clock=clock,
                    observe=[trace_events(collector.tracer), look],
                )
                assert current() is owner
    finally:
        context.detach(token)
    inside = [kind for kind, span, _ in seen if span is not owner]
    assert inside == ["IterationStarted", "IterationStarted"]
    assert {tenant for _, _, tenant in seen} == {"acme"}


# When it ends.


async def test_a_span_has_ended_when_the_wait_begins(collector: Collector) -> None:
    ended: list[int] = []

    def look(event: Event) -> None:
        if isinstance(event, Waiting):
            ended.append(len(collector.loops()))

    async with VirtualClock() as clock:
        await run_loop(
            always(IDLE),
            spaced(3600) & recurs(2),
            clock=clock,
            observe=[trace_events(collector.tracer), look],
        )
    assert ended == [1, 2]
    assert [facts["backoff_ms"] for facts in collector.facts()] == [3_600_000, 3_600_000, 0]


async def test_a_virtual_day_makes_spans_in_real_time_with_their_children_inside(
    collector: Collector,
) -> None:
    clock = VirtualClock()

    async def work() -> Answer:
        await clock.sleep(86_400)
        await nested(collector, "in the work")
        return IDLE

    async with clock:
        await run_loop(
            of(work), spaced(86_400) & recurs(1), clock=clock, observe=[trace_events(collector.tracer)]
        )
    times: list[int] = []
    for child, span in zip(*[iter(collector.all())] * 2, strict=True):
        times += [span.start_time or 0, child.start_time or 0, child.end_time or 0, span.end_time or 0]
    assert times == sorted(times)
    assert times[-1] - times[0] < 600 * 10**9


def test_a_span_ends_with_its_iteration_however_late_the_next_event_is(collector: Collector) -> None:
    observe = trace_events(collector.tracer)
    for event in (STARTED, succeeded(True)):
        observe(event)
    answered = time_ns()
    while time_ns() == answered:
        pass
    observe(STOPPED)
    (span,) = collector.loops()
    assert (span.end_time or 0) <= answered


@pytest.mark.parametrize(("idle", "spans"), [(True, 102), (False, 2)])
async def test_a_hundred_empty_polls_a_failure_and_one_that_found_work_are_102_spans_or_2(
    collector: Collector, idle: bool, spans: int
) -> None:
    async with VirtualClock() as clock:
        iteration = Script(clock, [*[IDLE] * 60, MORE, *[IDLE] * 40, FAILED])
        await run_loop(
            iteration,
            spaced(1) & recurs(101),
            clock=clock,
            observe=[trace_events(collector.tracer, idle=idle)],
        )
    assert len(collector.loops()) == spans
    assert {"result": "success", "backoff_ms": 1000} in collector.facts()
    assert {"result": "error", "error": "down", "backoff_ms": 0} in collector.facts()
    assert current() is INVALID_SPAN


def test_an_idle_end_that_was_told_to_stop_has_a_span_in_any_case(collector: Collector) -> None:
    facts = told(collector, succeeded(False, "told to stop", True), STOPPED, idle=False)
    assert facts["result"] == "canceled"


async def test_an_iteration_that_its_owner_cuts_ends_canceled(collector: Collector) -> None:
    async def hang() -> Answer:
        await anyio.sleep_forever()
        return MORE

    async with VirtualClock() as clock, anyio.create_task_group() as group:
        processor = BackgroundProcessor(
            of(hang),
            name="p",
            interval=1,
            skip_initial_delay=True,
            clock=clock,
            observe=[trace_events(collector.tracer)],
        )
        processor.start(group)
        await clock.sleep(1)
        group.cancel_scope.cancel()
    assert [facts["result"] for facts in collector.facts()] == ["canceled"]


async def test_a_broken_promise_is_an_error_and_its_caller_s_span_is_current_again(
    collector: Collector,
) -> None:
    iteration: Any = lambda: 3  # noqa: E731 no FutureResult
    with collector.tracer.start_as_current_span("owner") as owner:
        with pytest.raises(TypeError, match="must answer a FutureResult"):
            await run_loop(iteration, forever(), observe=[trace_events(collector.tracer)])
        assert current() is owner
    (facts,) = collector.facts()
    assert facts["result"] == "error"
    assert facts["error"].startswith("run_loop: iteration must answer a FutureResult")
    assert [event.name for event in collector.loops()[0].events] == ["exception"]


async def test_shielded_work_that_is_abandoned_ends_its_span_then_and_not_again(collector: Collector) -> None:
    record = Record()

    async def stubborn() -> Answer:
        with anyio.CancelScope(shield=True):
            await clock.sleep(100)
        return MORE

    clock = VirtualClock()
    async with clock, anyio.create_task_group() as group:
        worker = Worker(
            of(stubborn), name="w", grace=1, cancel_grace=1, clock=clock, observe=[
                trace_events(collector.tracer), record
            ],
        )  # fmt: skip
        worker.start(group)
        await clock.sleep(1)
        await worker.shutdown()
        assert collector.facts() == [{"result": "canceled", "warning": "abandoned", "backoff_ms": 0}]
    assert [event.late for event in record.of(IterationSucceeded)] == [True]
    assert len(collector.loops()) == 1


async def test_a_thread_that_answers_late_is_counted_and_makes_no_second_span(collector: Collector) -> None:
    entered, opened, told = threading.Event(), threading.Event(), threading.Event()

    def work() -> IOResult[Progress, str]:
        entered.set()
        opened.wait(60)
        with collector.tracer.start_as_current_span("in a thread"):
            return IOSuccess(Progress(has_more=True))

    def look(event: Event) -> None:
        if isinstance(event, IterationSucceeded) and event.late:
            told.set()

    meters = Meters()
    async with anyio.create_task_group() as group:
        observe = [trace_events(collector.tracer), meters.observe, look]
        worker = Worker(in_thread(work), name="w", grace=0, cancel_grace=0, observe=observe)
        worker.start(group)
        await anyio.to_thread.run_sync(entered.wait)
        await worker.shutdown()
    (span,) = collector.loops()
    opened.set()
    await anyio.to_thread.run_sync(told.wait)
    child = collector.all()[-1]
    assert is_child(child, span)
    assert len(collector.loops()) == 1
    assert meters.counts() == {("w", "success"): 1}


# One observer, several loops.


async def test_loops_of_one_name_may_share_an_observer(collector: Collector) -> None:
    clock, observe = VirtualClock(), [trace_events(collector.tracer)]

    def working(seconds: float, answer: Answer) -> Callable[[], FutureResult[Progress, object]]:
        async def work() -> Answer:
            await clock.sleep(seconds)
            await nested(collector, str(seconds))
            return answer

        return of(work)

    async with clock, anyio.create_task_group() as group:
        for work in (working(3, FAILED), working(2, IDLE)):
            Worker(work, name="w", backoff=spaced(10) & recurs(0), clock=clock, observe=observe).start(group)
        await clock.sleep(1)
        assert collector.all() == []
    short, first, long, second = collector.all()
    assert (short.name, is_child(short, first)) == ("2", True)
    assert (long.name, is_child(long, second)) == ("3", True)
    assert [facts["result"] for facts in collector.facts()] == ["success", "error"]


# Metrics.


class Meters:
    """An observer that measures, and what it measured."""

    def __init__(self) -> None:
        self._reader = InMemoryMetricReader()
        provider = MeterProvider([self._reader], shutdown_on_exit=False)
        self.observe: Observer = measure_events(provider.get_meter("test"))

    def points(self, name: str) -> list[Any]:
        data = self._reader.get_metrics_data()
        scopes = [] if data is None else [s for r in data.resource_metrics for s in r.scope_metrics]
        found = [metric for scope in scopes for metric in scope.metrics if metric.name == name]
        return [point for metric in found for point in metric.data.data_points]

    def counts(self) -> dict[tuple[object, object], int]:
        """Answer how many iterations were counted, by name and result."""
        points: list[HistogramDataPoint] = self.points("worker_loop")
        facts = [(dict(point.attributes or {}), point.count) for point in points]
        assert all(each.keys() == {"loop_name", "result"} for each, _ in facts)
        return {(each["loop_name"], each["result"]): count for each, count in facts}

    def now(self, name: str) -> float | None:
        """Answer the present value of a gauge; None before there is one."""
        values = [point.value for point in self.points(name) if point.attributes == {"loop_name": "outbox"}]
        assert len(values) <= 1
        return values[0] if values else None


def test_durations_are_counted_by_name_and_result_in_the_seconds_of_the_loop() -> None:
    meters = Meters()
    for event, _ in RESULTS.values():
        meters.observe(event)
    assert meters.counts() == {("outbox", "success"): 3, ("outbox", "error"): 3, ("outbox", "canceled"): 4}
    points: list[HistogramDataPoint] = meters.points("worker_loop")
    assert {point.sum / point.count for point in points} == {1.0}
    assert all(0.005 in point.explicit_bounds for point in points)


def test_the_failures_in_a_row_are_a_gauge_that_a_success_sets_to_0() -> None:
    meters, name = Meters(), "worker_loop.failures"
    meters.observe(STARTED)
    assert meters.now(name) is None
    for failures in (1, 2, 3):
        meters.observe(IterationFailed(LOOP, 1.0, failures, 1.0, False, "down", failures, failures == 1))
    meters.observe(IterationCancelled(LOOP, 1.0, 4, 1.0, False))
    assert meters.now(name) == 3
    meters.observe(succeeded(False))
    assert meters.now(name) == 0


def test_the_planned_wait_is_a_gauge_that_is_0_while_there_is_none() -> None:
    meters, name = Meters(), "worker_loop.planned_wait"
    wait = Waiting(LOOP, 1.0, 1, 12.5, 13.5, Reason.IDLE)
    meters.observe(LoopStarted(LOOP, 0.0))
    assert meters.now(name) is None
    events: list[tuple[Event, float]] = [(STARTED, 0), (wait, 12.5), (STARTED, 0), (wait, 12.5), (STOPPED, 0)]
    for event, planned in events:
        meters.observe(event)
        assert meters.now(name) == planned


# What it needs.


async def test_without_anything_configured_the_loop_runs_and_nothing_is_kept() -> None:
    recording: list[bool] = []

    async def work() -> Answer:
        recording.append(current().is_recording())
        return Success(Progress(has_more=True))

    async with VirtualClock() as clock:
        observe = [trace_events(), measure_events()]
        end = await run_loop(of(work), recurs(2), clock=clock, observe=observe)
    assert end.how == "finished"
    assert recording == [False] * 3


def test_what_makes_no_spans_or_instruments_is_refused() -> None:
    wrong: Any = 3
    with pytest.raises(TypeError, match=r"^trace_events: tracer must be a Tracer of OpenTelemetry, got 3$"):
        trace_events(wrong)
    with pytest.raises(TypeError, match=r"^measure_events: meter must be a Meter of OpenTelemetry, got 3$"):
        measure_events(wrong)


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.context", None)
    spec = importlib.util.spec_from_file_location("without_the_extra", opentelemetry.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    message = (
        r"^effectloop\.observe\.opentelemetry needs the extra 'otel' \(pip install 'effectloop\[otel\]'\)$"
    )
    with pytest.raises(ImportError, match=message):
        spec.loader.exec_module(module)


def test_the_face_and_the_commands_import_nothing_of_it() -> None:
    code = "import sys, effectloop, effectloop.testing; print('opentelemetry' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout == "False\n"
