"""The original Go worker's spans, replayed field by field with `trace_events` and `measure_events`.

`app.backoff_ms` is our `backoff_ms`, and the trace's `loop_name` an attribute of each span. Go's canceled
errors are what `cancelled=` names. Of a case that nobody recorded only what it has is compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider

from effectloop import Observer
from effectloop.observe.opentelemetry import measure_events, trace_events
from tests.golden.replay import load
from tests.golden.test_worker import DEADLINE, FILES, altered, refused, replayed, texts
from tests.golden.timelines import Diary, Rule, Timeline, hold, hold_all, promised, step_of, unlike
from tests.golden.values import Json

HOLDS = "a-back-off-that-is-done-holds"
CANCELED = ("context canceled", DEADLINE)
TIMERS = [{"type": "timer", "name": "worker_loop", "fields": ["loop_name", "result"]}]
PANICS = [{"type": "count", "name": "panics", "fields": ["name"]}]


# The recorded spans, in our words.


def recorded(case: Json) -> Timeline:
    """Answer the recorded spans; `metrics` are those that were told with each."""
    *_, last = case["timeline"]
    return [spoken(event, last.get("trace_fields", {})) for event in case["timeline"] if is_span(event)]


def is_span(event: Json) -> bool:
    return bool(event["event"] == "span_end")


def spoken(event: Json, trace: Json) -> Json:
    facts = {name.removeprefix("app."): value for name, value in event["fields"].items()} | trace
    said = {name: event[name] for name in ("name", "metrics") if name in event}
    return {"t": event["t"], "event": "span"} | said | facts


def laid_out(case: Json, timeline: Timeline) -> Timeline:
    """Answer the spans of a case whose waits differ from the original's, worked out from its *timeline*."""
    spans: Timeline = []
    for event in timeline:
        match event:
            case {"event": "iteration_end", "t": t, "n": n, "result": result}:
                text = texts(case)[step_of(case, n)["returns"]] if result != "ok" else ""
                is_canceled = result == "fail" and text in CANCELED
                facts = {"fail": {"result": "error", "error": text}, "ok": {"result": "success"}}
                facts["die"] = {"result": "error", "error": f"panic handled: {text}", "panic": text}
                told = {"result": "canceled", "warning": text} if is_canceled else facts[result]
                backs_off = not event.get("more", not case["backoff_on_all_errors"])
                spans.append({"t": t, "event": "span", "backoff_ms": 0, "backs_off": backs_off} | told)
            case {"event": "wait", "ms": ms} if spans[-1]["backs_off"]:
                spans[-1]["backoff_ms"] = int(ms)
            case _:
                pass
    same = {"name": "worker loop: oracle", "loop_name": "oracle", "meta.type": "worker_loop"}
    return [same | {"metrics": TIMERS} | {k: v for k, v in s.items() if k != "backs_off"} for s in spans]


# What we promise instead.


def a_timeout_speaks_for_itself(case: Json, spans: Timeline) -> Timeline:
    longest = case["max_work_ms"] / 1000

    def ours(span: Json, n: int) -> Json:
        step = step_of(case, n)
        is_cut = step.get("honour_ctx", False) and step["work_ms"] >= case["max_work_ms"]
        return span | ({"warning": f"timed out after {longest:g} s"} if is_cut else {})

    return [ours(span, n) for n, span in enumerate(spans)]


def a_panic_is_a_defect(_: Json, spans: Timeline) -> Timeline:
    def ours(span: Json) -> Json:
        text: str = span.get("error", "")
        if not text.startswith("panic handled: "):
            return span
        kept = {name: value for name, value in span.items() if name not in ("panic", "has_panicked")}
        if "metrics" in kept:
            kept["metrics"] = [metric for metric in kept["metrics"] if metric not in PANICS]
        return kept | {"error": text.removeprefix("panic handled: "), "defect": True}

    return [ours(span) for span in spans]


def no_back_off_after_a_stop(case: Json, spans: Timeline) -> Timeline:
    def ours(span: Json) -> Json:
        is_stopped = span["t"] >= case["cancel_at_ms"] and "backoff_ms" in span
        return span | ({"backoff_ms": 0} if is_stopped else {})

    return [ours(span) for span in spans]


RULES: dict[str, Rule] = {
    "a-timeout-speaks-for-itself": a_timeout_speaks_for_itself,
    "a-panic-is-a-defect": a_panic_is_a_defect,
    "a-span-plans-nothing-after-a-stop": no_back_off_after_a_stop,
}
"""By the id of their row, in the order in which they are applied."""


def in_our_words(case: Json) -> tuple[Timeline, set[str]]:
    """Answer the spans that we promise, and the rows that say so."""
    timeline, rows = altered(case)
    return promised(case, laid_out(case, timeline) if HOLDS in rows else recorded(case), RULES)


# The replay.


class Ends(SpanProcessor):
    """Writes down the spans that end."""

    def __init__(self, diary: Diary) -> None:
        self._diary = diary

    def on_end(self, span: ReadableSpan) -> None:
        self._diary.write("span", name=span.name, **dict(span.attributes or {}))


class Watched:
    """Observers that trace and measure one worker."""

    def __init__(self) -> None:
        self._reader = InMemoryMetricReader()

    def __call__(self, diary: Diary) -> tuple[Observer, ...]:
        tracing, metering = (
            TracerProvider(shutdown_on_exit=False),
            MeterProvider([self._reader], shutdown_on_exit=False),
        )
        tracing.add_span_processor(Ends(diary))
        return trace_events(tracing.get_tracer("golden")), measure_events(metering.get_meter("golden"))

    def counts(self) -> Counter[tuple[str, ...]]:
        """Answer how often each result was counted, and by which fields."""
        return Counter(dict(self._counted()))

    def _counted(self) -> Iterator[tuple[tuple[str, ...], int]]:
        data = self._reader.get_metrics_data()
        scopes = [] if data is None else [scope for r in data.resource_metrics for scope in r.scope_metrics]
        for metric in (metric for scope in scopes for metric in scope.metrics):
            if metric.name == "worker_loop":
                for point in metric.data.data_points:
                    attributes = point.attributes or {}
                    yield (*sorted(attributes), str(attributes["result"])), point.count  # type: ignore[union-attr]


def is_canceled(error: object) -> bool:
    return str(error) in CANCELED


CASES = [
    (case, file["meta"])
    for file in map(load, FILES)
    for case in file["cases"]
    if not refused(case)  # which is held by test_worker
]


@pytest.mark.anyio
@pytest.mark.parametrize(("case", "meta"), CASES, ids=[case["id"] for case, _ in CASES])
async def test_a_worker_s_spans_are_the_original_s_but_for_the_listed_differences(
    case: Json, meta: Json
) -> None:
    spans, rows = in_our_words(case)
    hold(case, meta["part"], rows, "worker_spans")
    watched = Watched()
    diary = await replayed(case, observe=watched, cancelled=is_canceled)
    ours = [event for event in diary.events if event["event"] == "span"]
    told = Counter((*timer["fields"], s["result"]) for s in spans for timer in s.pop("metrics", TIMERS))
    assert watched.counts() == told
    if meta.get("hand_derived"):
        kept = ("t", "event", "result", "error", "warning")
        ours, spans = ([{k: v for k, v in s.items() if k in kept} for s in both] for both in (ours, spans))
    assert unlike(ours, spans) == []


def test_the_rows_are_those_of_this_harness() -> None:
    hold_all("worker_spans", set(RULES), FILES)
