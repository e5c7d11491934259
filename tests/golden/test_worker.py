"""The original Go worker's timelines, replayed with `Worker`.

Replay rules: `backoff_on_all_errors` as recorded; a grace longer than the trace, since the original never
cuts its work; work that ignores its context is shielded; the cancel comes before timers that are due at the
same time. What a span says of an error is compared with what we log; `test_worker_spans` compares the spans.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

import pytest
from anyio import CancelScope, create_task_group
from returns.future import FutureResult
from returns.result import Failure, Success

from effectloop import (
    Observer,
    Progress,
    Schedule,
    ShouldBackOff,
    TimedOut,
    Worker,
    exponential,
    from_delays,
    limited,
    stop,
)
from effectloop.testing import VirtualClock
from tests.golden.replay import load
from tests.golden.timelines import (
    Answer,
    Diary,
    Rule,
    Timeline,
    a_wait_of_zero_is_no_event,
    by_time,
    doing,
    ended,
    first,
    hold,
    hold_all,
    no_pacing_after_a_stop,
    promised,
    step_of,
    unlike,
)
from tests.golden.values import TOLERANCE, Json

DEADLINE = "context deadline exceeded"
IDLE = ("should_backoff", "wrapped_should_backoff", "twice_wrapped_should_backoff")
STOP = -1
"""`backoff.Stop` in a list of delays."""


class Error(Exception):
    """Go's: a text."""


# The recorded timeline, in our words.


def translated(case: Json) -> Timeline:
    """Answer the recorded timeline in our words: the cancel is a shutdown, which returns at the run's end."""
    timeline: Timeline = []
    over = next(event["t"] for event in case["timeline"] if event["event"] == "run_end")
    if case["cancel_at_ms"] < 0:
        timeline.append({"t": 0.0, "event": "shutdown", "end": over})
    for event in case["timeline"]:
        match event:
            case {"event": "work_start", "t": t, "n": n}:
                timeline.append({"t": t, "event": "iteration_start", "n": n})
            case {"event": "work_end", "t": t, "n": n}:
                result = met(event["returned"], event.get("ctx_err"))
                timeline.append({"t": t, "event": "iteration_end", "n": n} | result)
            case {"event": "span_end", "t": t, "fields": {"result": "error" | "canceled"} as fields}:
                timeline.append({"t": t, "event": "log", "error": told(fields)})
            case {"event": "wait", "t": t, "ms": ms}:
                timeline.append({"t": t, "event": "wait", "ms": ms})
            case {"event": "cancel", "t": t} if case["cancel_at_ms"] >= 0:
                timeline.append({"t": t, "event": "shutdown", "end": over})
            case {"event": "run_end", "t": t} if doing(timeline, len(timeline)) is not None:
                timeline.append({"t": t, "event": "loop_end", "how": "drained"})
            case {"event": kind}:
                known = ("backoff_reset", "backoff_next", "span_end", "wait_end", "cancel", "run_end")
                assert kind in known, event
    return timeline


def met(returned: str, context_error: str | None) -> Json:
    """Answer how our loop takes what the work returned."""
    if returned in IDLE:
        return {"result": "ok", "more": False}
    if returned == "nil" or (returned == "ctx_err" and context_error is None):
        return {"result": "ok", "more": True}
    return {"result": "die" if returned.startswith("panic") else "fail"}


# What we promise instead.


def there_is_no_custom_waiter(case: Json, timeline: Timeline) -> Timeline:
    stop = first(timeline, ["shutdown"])
    if case["waiter"] == "default" or stop is None or doing(timeline, stop) != "wait":
        return timeline
    return ended(timeline, stop + 1, timeline[stop]["t"], "drained")


def a_back_off_that_is_done_holds(case: Json, timeline: Timeline) -> Timeline:
    is_done = any(event["event"] == "backoff_next" and event["stop"] for event in case["timeline"])
    return laid_anew(case, all_errors=case["backoff_on_all_errors"]) if is_done else timeline


RULES: dict[str, Rule] = {
    "a-back-off-that-is-done-holds": a_back_off_that_is_done_holds,
    "there-is-no-custom-waiter": there_is_no_custom_waiter,
    "the-worker-has-no-wait-of-zero": a_wait_of_zero_is_no_event,
    "the-worker-plans-nothing-after-a-stop": no_pacing_after_a_stop,
}
"""By the id of their row, in the order in which they are applied."""

BY_DEFAULT = "errors-back-off-by-default"
NO_TIME = "no-time-is-refused"
NO_WORK = "nil-work-is-refused"


def refused(case: Json) -> str | None:
    """Answer the row by which the case cannot be: where it is built, it is refused."""
    if case["max_work_ms"] == 0:
        return NO_TIME
    kinds = {event["event"] for event in case["timeline"]}
    if "span_end" in kinds and "work_start" not in kinds:  # passes, but no work in them
        return NO_WORK
    return None


def by_default(case: Json) -> Timeline:
    """Answer what we promise where `backoff_on_all_errors` is not said."""
    return a_wait_of_zero_is_no_event(case, laid_anew(case, all_errors=True))


def altered(case: Json) -> tuple[Timeline, set[str]]:
    """Answer what we promise, and the rows that say so."""
    timeline, rows = promised(case, translated(case), RULES)
    has_failed = any(event["event"] == "log" for event in timeline)
    if has_failed and not case["backoff_on_all_errors"] and unlike(by_default(case), timeline):
        rows.add(BY_DEFAULT)
    return timeline, rows


def laid_anew(case: Json, *, all_errors: bool) -> Timeline:
    """Answer the timeline of a case whose waits differ from the original's, worked out from its script."""
    cancel, timeline = case["cancel_at_ms"], list[Json]()
    t, backed_off = 0.0, 0
    for n in count():
        timeline += one_pass(case, n, t)
        answer = next(event for event in reversed(timeline) if event["event"] == "iteration_end")
        took, t = answer["t"] - t, answer["t"]
        if answer.get("more", not all_errors):
            wait, backed_off = max(0.0, case["min_work_ms"] - took), 0
        else:
            wait, backed_off = delay_of(case["backoff"], backed_off), backed_off + 1
        over = t
        if cancel <= t or wait is None:
            break
        timeline.append({"t": t, "event": "wait", "ms": wait})
        over = cancel
        if cancel <= t + wait:
            break
        t += wait
    how = "drained" if cancel <= over else "finished"
    stop = {"t": cancel, "event": "shutdown", "end": max(cancel, over)}
    return [*timeline, stop, {"t": over, "event": "loop_end", "how": how}]


def one_pass(case: Json, n: int, t: float) -> Timeline:
    step = step_of(case, n)
    longest = case["max_work_ms"]
    is_cut = step.get("honour_ctx", False) and step["work_ms"] >= longest
    took = longest if is_cut else step["work_ms"]
    result = met("ctx_err" if is_cut else step["returns"], DEADLINE if took >= longest else None)
    events = [{"t": t, "event": "iteration_start", "n": n}]
    events.append({"t": t + took, "event": "iteration_end", "n": n} | result)
    if result["result"] != "ok":
        text = DEADLINE if is_cut else texts(case)[step["returns"]]
        events.append({"t": t + took, "event": "log", "error": text})
    return events


def delay_of(backoff: Json, n: int) -> float | None:
    """Answer our delay number *n* of a back-off, not spread; None when it is done before any."""
    match backoff:
        case {"kind": "list", "ms": listed}:
            held = before_stop(listed)
            return float(held[min(n, len(held) - 1)]) if held else None
        case {"kind": "exponential", "initial_ms": initial, "multiplier": factor, "max_ms": limit}:
            return min(float(initial * factor**n), float(limit))
        case _:
            return min(50.0 * 2.0**n, 5000.0)


def before_stop(listed: list[float]) -> list[float]:
    return listed[: listed.index(STOP)] if STOP in listed else listed


# The replay.


TEXTS = {"error": "something broke", "canceled": "context canceled", "ctx_err": DEADLINE, "panic": "Oops"}
TEXTS |= dict.fromkeys(("formatted_should_backoff", "panic_should_backoff"), "should back off")


def texts(case: Json) -> dict[str, str]:
    """Answer the text of each error that the work returns, as recorded."""
    ends = [event for event in case["timeline"] if event["event"] == "work_end"]
    spans = [event["fields"] for event in case["timeline"] if event["event"] == "span_end"]
    return TEXTS | {
        end["returned"]: text for end, span in zip(ends, spans, strict=True) if (text := told(span))
    }


def told(span: Json) -> str:
    text: str = span.get("error", span.get("warning", ""))
    return text.removeprefix("panic handled: ")


class Script:
    """The work: does what the case says."""

    def __init__(self, case: Json, clock: VirtualClock) -> None:
        self._case = case
        self._texts = texts(case)
        self._clock = clock
        self._count = 0

    def __call__(self) -> FutureResult[Progress, object]:
        step = step_of(self._case, self._count)
        self._count += 1
        return FutureResult(self._work(step))

    async def _work(self, step: Json) -> Answer:
        began = self._clock.monotonic()
        if step["work_ms"]:
            with CancelScope(shield=not step.get("honour_ctx", False)):
                await self._clock.sleep(step["work_ms"] / 1000)
        is_late = (self._clock.monotonic() - began) * 1000 >= self._case["max_work_ms"] - TOLERANCE
        match step["returns"]:
            case "nil":
                return Success(Progress(has_more=True))
            case "ctx_err" if not is_late:
                return Success(Progress(has_more=True))
            case "should_backoff":
                return Failure(ShouldBackOff())
            case "wrapped_should_backoff":
                return Failure(caused(Error(), ShouldBackOff()))
            case "twice_wrapped_should_backoff":
                return Failure(caused(Error(), caused(Error(), ShouldBackOff())))
            case "panic":
                raise Error(self._texts["panic"])
            case "panic_should_backoff":
                raise ShouldBackOff(self._texts["panic_should_backoff"])
            case returns:
                return Failure(Error(self._texts[returns]))


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def back_off(backoff: Json) -> Schedule[object, object] | None:
    """Answer the recorded back-off, said with our words; None for the default."""
    match backoff:
        case {"kind": "default" | "nil"}:
            return None
        case {"kind": "list", "ms": listed}:
            held = [ms / 1000 for ms in before_stop(listed)]
            return from_delays(*held) if held else stop()
        case {"kind": "exponential"}:
            growing = exponential(backoff["initial_ms"] / 1000, factor=backoff["multiplier"])
            return growing.capped(backoff["max_ms"] / 1000).jittered(backoff.get("randomization", 0.0))
        case unknown:
            raise AssertionError(unknown)


async def replayed(
    case: Json,
    *,
    told: bool = True,
    observe: Callable[[Diary], Iterable[Observer]] = lambda _: (),
    **more: Any,
) -> Diary:
    """Answer what our worker does when it is treated as *case* says; *told* what to do on errors, or not."""
    drawn = [event["t"] for event in case["timeline"] if event["event"] == "backoff_next"]
    clock = VirtualClock(draws=by_time(zip(drawn, case.get("uniforms", []), strict=False)))
    diary = Diary(clock)
    said: dict[str, Any] = {"backoff_on_all_errors": case["backoff_on_all_errors"]} if told else {}
    if (schedule := back_off(case["backoff"])) is not None:
        said["backoff"] = schedule
    worker = Worker(
        limited(Script(case, clock), case["max_work_ms"] / 1000, clock=clock),
        name="oracle",
        min_work_time=case["min_work_ms"] / 1000,
        grace=24 * 3600,
        clock=clock,
        observe=(*diary.observe, *observe(diary)),
        **said,
        **more,
    )

    async def cancel() -> None:
        await clock.sleep(case["cancel_at_ms"] / 1000)
        call = diary.write("shutdown", end=None)
        assert await worker.shutdown() == diary.ended
        call["end"] = diary.now()

    kinds = [event["event"] for event in case["timeline"] if event["event"] in ("work_start", "cancel")]
    async with create_task_group() as everything:
        if case["cancel_at_ms"] == 0 and kinds[:1] == ["work_start"]:  # the cancel is at the very start
            worker.start(everything)
            await clock.advance(0)
        everything.start_soon(cancel)
        await clock.advance(0)
        worker.start(everything)
        await clock.advance(24 * 3600)
    return diary


def in_words_of_the_original(diary: Diary) -> Timeline:
    """Answer what our worker did, and its errors with their texts."""
    errors = [(t, vars(record)["error"]) for t, record in diary.loud]
    texts = [(t, DEADLINE if isinstance(error, TimedOut) else str(error)) for t, error in errors]
    return [*diary.events, *({"t": t, "event": "log", "error": text} for t, text in texts)]


FILES = ["worker", "worker_more"]
CASES = [(case, load(name)["meta"]["part"]) for name in FILES for case in load(name)["cases"]]
WITH_ERRORS = [case for case, _ in CASES if not refused(case) and BY_DEFAULT in altered(case)[1]]


@pytest.mark.anyio
@pytest.mark.parametrize(("case", "part"), CASES, ids=[case["id"] for case, _ in CASES])
async def test_a_worker_does_as_the_original_but_for_the_listed_differences(case: Json, part: str) -> None:
    if row := refused(case):
        hold(case, part, {row}, "worker")
        return
    timeline, rows = altered(case)
    hold(case, part, rows, "worker")
    diary = await replayed(case)
    assert unlike(in_words_of_the_original(diary), timeline) == []
    assert diary.quiet_tells_the_same()


@pytest.mark.anyio
@pytest.mark.parametrize("case", WITH_ERRORS, ids=[case["id"] for case in WITH_ERRORS])
async def test_a_worker_backs_off_on_all_errors_unless_told_otherwise(case: Json) -> None:
    diary = await replayed(case | {"uniforms": []}, told=False)
    assert unlike(in_words_of_the_original(diary), by_default(case)) == []


def test_what_cannot_be_said_is_refused() -> None:
    nothing: Any = None
    with pytest.raises(ValueError, match="limited: seconds must be a duration above 0 s, got 0"):
        limited(lambda: FutureResult.from_value(Progress(has_more=True)), 0)
    with pytest.raises(TypeError, match="Worker: iteration must be a function that answers a FutureResult"):
        Worker(nothing, name="oracle")
    assert "waiter" not in inspect.signature(Worker).parameters


def test_the_rows_are_those_of_this_harness_and_no_case_is_left_out() -> None:
    hold_all("worker", {*RULES, BY_DEFAULT, NO_TIME, NO_WORK}, FILES)
