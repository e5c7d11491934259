"""The original background processor's timelines in our words, and what we promise instead of them."""

from __future__ import annotations

from math import inf

from tests.golden.timelines import (
    ASKED,
    STOPS,
    Rule,
    Timeline,
    a_wait_of_zero_is_no_event,
    doing,
    ended,
    first,
    no_pacing_after_a_stop,
    step_of,
)
from tests.golden.values import TOLERANCE, Json


class Error(Exception):
    """JavaScript's own."""


class DurableExecutionCancelledError(Exception):
    """The failure that means "I was told to stop"."""


def described(error: object) -> Json:
    if isinstance(error, Exception):
        return {"name": type(error).__name__, "message": str(error)}
    return {"value": error}


def failure(step: Json) -> object:
    """Answer the value with which the iteration fails; a value that is no error may be absent."""
    match step["error"]:
        case "generic":
            return Error(step["message"])
        case "cancelled":
            return DurableExecutionCancelledError(step["message"])
        case "value":
            return step.get("value", step.get("message"))
        case unknown:
            raise AssertionError(unknown)


# The recorded timeline, in our words.


def translated(case: Json) -> Timeline:
    """Answer the recorded timeline in our words: a call is one event, and of all timers only waits are."""
    timeline: Timeline = []
    actions = [(action["at"], action["do"]) for action in case["actions"]]
    for event in case["timeline"]:
        t, kind = event["t"], event["event"]
        match kind.removesuffix("_begin"), event:
            case ("start" | "shutdown" | "close_scope") as name, _:
                by_script = name == "shutdown" and (t, name) not in actions
                if name == "shutdown" and not by_script:
                    actions.remove((t, name))
                timeline.append({"t": t, "event": "shutdown_from_inside" if by_script else name, "end": None})
            case (("start_end" | "shutdown_end" | "close_scope_end"), {"exit": "success"}):
                name = kind.removesuffix("_end")
                call = next(c for c in reversed(timeline) if c["event"].startswith(name) and c["end"] is None)
                call["end"] = t
            case "sleep", {"origin": "loop", "ms": ms}:
                timeline.append({"t": t, "event": "wait", "ms": ms})
            case "sleep", {"origin": "shutdown"} if first(timeline, STOPS) is None:
                timeline.append({"t": t, "event": "shutdown_from_inside", "end": None})
            case ("sleep", {"origin": "iteration" | "shutdown"}) | ("sleep_interrupted", _):
                pass
            case "iteration_start", {"n": n}:
                timeline.append({"t": t, "event": kind, "n": n})
            case "iteration_end", {"n": n, "result": result}:
                stopping = first(timeline, STOPS) is not None
                told = stopping and result == "fail" and step_of(case, n)["error"] == "cancelled"
                met = {"result": "ok", "more": False} if told else {"result": result}
                if result == "ok":
                    met["more"] = event["hasMore"]
                timeline.append({"t": t, "event": kind, "n": n} | met)
            case "loop_end", {"exit": "success" | "interrupted" as how}:
                timeline.append({"t": t, "event": kind, "how": {"success": "drained"}.get(how, "cancelled")})
            case "log", {"level": level, "message": message, "annotations": annotations}:
                fields = dict(annotations)
                if "cause" in fields:
                    [fields["error"]] = fields.pop("cause")["cause"]
                timeline.append({"t": t, "event": kind, "level": level, "message": message, "fields": fields})
            case ("is_running", {"value": value}) | ("end", {"is_running": value}):
                timeline.append({"t": t, "event": "is_running", "value": value})
            case _:
                raise AssertionError(event)
    return timeline


# What we promise instead.


def shutdown_from_inside_only_asks(case: Json, timeline: Timeline) -> Timeline:
    asked = first(timeline, ["shutdown_from_inside"])
    if asked is None or asked != first(timeline, STOPS):
        return timeline
    n = running(timeline, asked)
    t = timeline[asked]["t"] + (0.0 if works_first(case) else step_of(case, n)["ms"])
    answer = answer_to_a_stop(case, n, t)
    at_once = [*timeline[: asked + 1], *answer, *timeline[asked + 1 :]]
    return sorted(ended(at_once, asked + 1 + len(answer), t, "drained"), key=lambda event: event["t"])


def cancelling_the_owner_stops_the_work(case: Json, timeline: Timeline) -> Timeline:
    close = first(timeline, ["close_scope"])
    if close is None or doing(timeline, close) in (None, "loop_end"):
        return timeline
    t = timeline[close]["t"]
    if doing(timeline, close) != "iteration_start":
        return ended(timeline, close + 1, t, "drained")
    n = running(timeline, close)
    if step_of(case, n)["kind"] != "ok_uninterruptible":
        cut = {"t": t, "event": "iteration_end", "n": n, "result": "interrupted"}
        return ended([*timeline[: close + 1], cut, *timeline[close + 1 :]], close + 2, t, "cancelled")
    return the_loop_learns_of_it_later(case, timeline, close)


def the_loop_learns_of_it_later(case: Json, timeline: Timeline, close: int) -> Timeline:
    """A cancellation is no stop: while work shields itself the loop does not know, and no grace begins."""
    over, asked = first(timeline, ["loop_end"]), first(timeline, ASKED)
    end = case["end_at"] if over is None else timeline[over]["t"]
    later = inf if asked is None else max(0.0, timeline[asked]["t"] - timeline[close]["t"])
    seen: Timeline = []
    for at, event in enumerate(timeline):
        is_unaware = close < at and (over is None or at < over) and (asked is None or at < asked)
        if timed_out(event) and at > close:
            seen += [event | {"t": event["t"] + later}] if event["t"] + later < end else []
        else:
            seen.append(event | {"value": True} if is_unaware and event["event"] == "is_running" else event)
        if is_unaware and event["event"] == "iteration_end" and not step_of(case, event["n"])["hasMore"]:
            seen.append({"t": event["t"], "event": "wait", "ms": case["options"]["intraIterationSleepMs"]})
    return seen


def no_iteration_after_a_stop(_: Json, timeline: Timeline) -> Timeline:
    stop = first(timeline, ASKED)
    start = None if stop is None else first(timeline, ["iteration_start"], after=stop)
    return timeline if start is None else ended(timeline, start, timeline[start]["t"], "drained")


def a_stop_wakes_a_wait(_: Json, timeline: Timeline) -> Timeline:
    stop = first(timeline, ASKED)
    if stop is None or doing(timeline, stop) != "wait":
        return timeline
    return ended(timeline, stop + 1, timeline[stop]["t"], "drained")


def the_timer_set_first_goes_first(case: Json, timeline: Timeline) -> Timeline:
    """The work's end was set when it began, the timeout at the stop; the test clock wakes the later first."""
    cut = next((at for at, event in enumerate(timeline) if event.get("result") == "interrupted"), None)
    if not case.get("tie") or cut is None:
        return timeline
    t, n = timeline[cut]["t"], timeline[cut]["n"]
    step = step_of(case, n)
    began = next(event["t"] for event in timeline if event["event"] == "iteration_start" and event["n"] == n)
    if step["kind"] not in ("ok", "fail") or abs(began + step["ms"] - t) > TOLERANCE:
        return timeline
    before = [event for event in timeline[:cut] if not timed_out(event)]
    answer = answer_to_a_stop(case, n, t)
    return ended([*before, *answer, *timeline[cut + 1 :]], len(before) + len(answer), t, "drained")


def work_that_answers_has_answered(case: Json, timeline: Timeline) -> Timeline:
    def answer(event: Json) -> Json:
        if event.get("result") == "interrupted" and step_of(case, event["n"])["kind"] == "ok_uninterruptible":
            return event | {"result": "ok", "more": step_of(case, event["n"])["hasMore"]}
        return event

    heard = [answer(event) for event in timeline]
    over = first(heard, ["loop_end"])
    return timeline if heard == timeline or over is None else ended(heard, over, heard[over]["t"], "drained")


def no_interrupt_from_within(case: Json, timeline: Timeline) -> Timeline:
    interrupts = any(
        event.get("result") == "interrupted" and step_of(case, event["n"])["kind"] == "interrupt"
        for event in timeline
    )
    over = first(timeline, ["loop_end"])
    return (
        ended(timeline, over, timeline[over]["t"], "cancelled")
        if interrupts and over is not None
        else timeline
    )


def a_defect_goes_to_the_owner(_: Json, timeline: Timeline) -> Timeline:
    over = first(timeline, ["loop_end"])
    if over is None or not any(event.get("result") == "die" for event in timeline):
        return timeline
    t = timeline[over]["t"]
    error = next(event["fields"]["error"] for event in reversed(timeline) if event["event"] == "log")
    failed = ended(timeline, over, t, "failed")
    return [*failed[: over + 1], {"t": t, "event": "raised", "error": error}, *failed[over + 1 :]]


def the_error_is_the_failures_own(case: Json, timeline: Timeline) -> Timeline:
    own: Timeline = []
    ran = -1
    for event in timeline:
        ran = event.get("n", ran)
        if event["event"] == "log" and "error" in event["fields"] and step_of(case, ran)["kind"] == "fail":
            error = described(failure(step_of(case, ran)))
            own.append(event | {"fields": event["fields"] | {"error": error}})
        else:
            own.append(event)
    return own


def every_shutdown_waits_for_the_end(_: Json, timeline: Timeline) -> Timeline:
    over = first(timeline, ["loop_end"])
    return [
        event | {"end": max(event["t"], timeline[over]["t"]) if over is not None else None}
        if event["event"] in ("shutdown", "close_scope") and doing(timeline, at) not in (None, "loop_end")
        else event
        for at, event in enumerate(timeline)
    ]


def a_loop_that_ended_does_not_run(_: Json, timeline: Timeline) -> Timeline:
    over = first(timeline, ["loop_end"])
    return [
        event | {"value": False}
        if over is not None and at > over and event["event"] == "is_running"
        else event
        for at, event in enumerate(timeline)
    ]


def timed_out(event: Json) -> bool:
    return bool(event["event"] == "log" and event["level"] == "WARN")


def running(timeline: Timeline, at: int) -> int:
    """Answer which iteration began last before *at*."""
    n: int = max(event["n"] for event in timeline[:at] if event["event"] == "iteration_start")
    return n


def answer_to_a_stop(case: Json, n: int, t: float) -> Timeline:
    """Answer the events of the iteration *n*, which answers at *t*, after a stop was asked."""
    answer = {"t": t, "event": "iteration_end", "n": n}
    match step_of(case, n):
        case {"kind": "fail", "error": "cancelled"}:
            return [answer | {"result": "ok", "more": False}]
        case {"kind": "fail"} as step:
            error = described(failure(step))
            fields = {"service": "background-processor", "executorId": "exec-1", "processName": "proc-1"}
            log = {"t": t, "event": "log", "level": "ERROR", "message": "Error in iteration effect"}
            return [answer | {"result": "fail"}, log | {"fields": fields | {"error": error}}]
        case step:
            return [answer | {"result": "ok", "more": step.get("hasMore", False)}]


def works_first(case: Json) -> bool:
    """Tell whether an iteration that asked for a shutdown had done its work before."""
    order = [event["origin"] for event in case["timeline"] if event["event"] == "sleep"]
    return "iteration" in order[: order.index("shutdown")] if "shutdown" in order else False


RULES: dict[str, Rule] = {
    "shutdown-from-inside-only-asks": shutdown_from_inside_only_asks,
    "cancelling-the-owner-stops-the-work": cancelling_the_owner_stops_the_work,
    "no-iteration-after-a-stop": no_iteration_after_a_stop,
    "a-stop-wakes-a-wait": a_stop_wakes_a_wait,
    "no-pacing-after-a-stop": no_pacing_after_a_stop,
    "the-timer-set-first-goes-first": the_timer_set_first_goes_first,
    "work-that-answers-has-answered": work_that_answers_has_answered,
    "no-interrupt-from-within": no_interrupt_from_within,
    "a-defect-goes-to-the-owner": a_defect_goes_to_the_owner,
    "the-error-is-the-failures-own": the_error_is_the_failures_own,
    "every-shutdown-waits-for-the-end": every_shutdown_waits_for_the_end,
    "a-loop-that-ended-does-not-run": a_loop_that_ended_does_not_run,
    "a-wait-of-zero-is-no-event": a_wait_of_zero_is_no_event,
}
"""By the id of their row, in the order in which they are applied."""

BY_DEFAULT = "defects-are-paced-by-default"
