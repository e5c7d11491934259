"""Every record to the letter, and every tick that the machine makes."""

from __future__ import annotations

import pytest
from returns.result import Failure, Result, Success

from effectloop import Schedule, Tick, forever, recurs, spaced
from effectloop.loop.events import (
    Event,
    IterationCancelled,
    IterationDefect,
    IterationFailed,
    IterationStarted,
    IterationSucceeded,
    LoopEnded,
    StopAsked,
    StopTimedOut,
    Waiting,
)
from effectloop.loop.machine import (
    Answer,
    Asked,
    Begin,
    ClockJumped,
    Do,
    End,
    GraceOver,
    Phase,
    Question,
    Raise,
    Reconfigure,
    Sleep,
    Stop,
    Wait,
    WaitOver,
    Watch,
    step,
)
from effectloop.loop.outcome import Defect, Ended, GateError, Outcome, Progress

from .test_machine import BUG, EVENTS, GAP, IDLE, LOOP, MORE, NOW, WALL, Rule, answer, drive, rules, told

GATE = GateError("no lease")
NO_WORK = Progress(has_more=False)


def asked_of(seen: list[Tick[object]]) -> Schedule[object, int]:
    """A pacing that waits ten seconds, and keeps the ticks that it is given."""

    def keep(tick: Tick[object], delay: float) -> float:
        seen.append(tick)
        return delay

    return spaced(GAP).delay_from(keep)


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("idle", IterationSucceeded(LOOP, NOW, 1, 1.0, False, Progress(has_more=False), 0)),
        ("more", IterationSucceeded(LOOP, NOW, 1, 1.0, False, Progress(has_more=True), 0)),
        ("failure", IterationFailed(LOOP, NOW, 1, 1.0, False, "broken", 1, True)),
        ("told to stop", IterationFailed(LOOP, NOW, 1, 1.0, False, "told to stop", 1, True, True)),
        ("no work", IterationSucceeded(LOOP, NOW, 1, 1.0, False, NO_WORK, 0, "no work", False)),
        ("defect", IterationDefect(LOOP, NOW, 1, 1.0, False, BUG, 1, True, False)),
        ("cut", IterationCancelled(LOOP, NOW, 1, 1.0, False)),
    ],
)
def test_an_end_of_an_iteration_is_told_to_the_letter(name: str, record: Event) -> None:
    _, _, records = drive(rules(), "begin", name)
    assert records[2] == record


def test_a_failure_of_the_gate_is_told_as_a_failure_to_the_letter() -> None:
    rule = rules(on_defect="end")
    running, _, _ = drive(rule, "begin")
    event = answer(Failure(Defect(GATE)))
    after, order = step(rule, running, event)
    assert order == Sleep(NOW + GAP)
    assert told(rule, running, event, after, order)[0] == IterationFailed(
        LOOP, NOW, 1, 1.0, False, GATE, 1, True
    )


def test_a_late_answer_is_told_to_the_letter() -> None:
    path = ("begin", "stop", "grace over", "cancel grace over")
    for name, record in {
        "more": IterationSucceeded(LOOP, NOW, 1, 1.0, True, Progress(has_more=True), 0),
        "told to stop": IterationSucceeded(LOOP, NOW, 1, 1.0, True, NO_WORK, 0, "told to stop", True),
        "failure": IterationFailed(LOOP, NOW, 1, 1.0, True, "broken", 1, True),
        "defect": IterationDefect(LOOP, NOW, 1, 1.0, True, BUG, 1, True, False),
    }.items():
        _, _, records = drive(rules(), *path, name)
        assert records[-1] == record


def test_a_defect_that_ends_the_loop_is_told_to_the_letter() -> None:
    _, order, records = drive(rules(on_defect="end"), "begin", "defect")
    ended = Ended("failed", BUG, 1, None)
    assert order == End(ended)
    assert records[2:] == [
        IterationDefect(LOOP, NOW, 1, 1.0, False, BUG, 1, True, True),
        LoopEnded(LOOP, NOW, ended),
    ]


def test_a_stop_is_told_to_the_letter() -> None:
    _, _, records = drive(rules(), "begin", "stop", "grace over", "more")
    assert records[2:4] == [StopAsked(LOOP, NOW), StopTimedOut(LOOP, NOW, 15.0)]
    assert records[-1] == LoopEnded(LOOP, NOW, Ended("drained", None, 1, None))


def test_a_second_failure_is_told_with_its_number_and_as_unchanged() -> None:
    _, _, records = drive(rules(), "begin", "failure", "wait over", "failure")
    assert records[3:6] == [
        Waiting(LOOP, NOW, 1, GAP, NOW + GAP, 0),
        IterationStarted(LOOP, NOW, 2),
        IterationFailed(LOOP, NOW, 2, 1.0, False, "broken", 2, False),
    ]


@pytest.mark.parametrize(
    ("event", "failures", "trouble"),
    [("failure", 1, (str, "broken")), ("defect", 1, (ZeroDivisionError, "a bug")), ("idle", 0, None)],
)
@pytest.mark.parametrize("how", ["paced", "stopped", "finished"])
def test_the_streak_is_kept_however_the_loop_goes_on_or_ends(
    how: str, event: str, failures: int, trouble: object
) -> None:
    rule = rules(pacing=recurs(0)) if how == "finished" else rules()
    state, _, _ = drive(rule, "begin", *(["stop"] if how == "stopped" else []), event)
    assert (state.failures, state.trouble) == (failures, trouble)


def test_the_streak_is_kept_when_a_defect_ends_the_loop() -> None:
    state, _, _ = drive(rules(on_defect="end"), "begin", "failure", "wait over", "defect")
    assert (state.failures, state.trouble) == (2, (ZeroDivisionError, "a bug"))


@pytest.mark.parametrize("result", [IDLE, MORE, Failure("broken"), Failure(Defect(BUG))])
def test_the_pacing_is_given_the_whole_outcome_and_the_whole_tick(
    result: Result[Progress, str | Defect],
) -> None:
    seen: list[Tick[object]] = []
    rule = rules(pacing=asked_of(seen))
    running, _, _ = drive(rule, "begin")
    first, _ = step(rule, running, Answer(result, NOW, NOW + 2.5, WALL, 0.25))
    assert seen == [Tick(Outcome(result, 2.5), 0, 2.5, WALL, 0.25)]
    assert first.wait == Wait(NOW + 2.5 + GAP, 0, Question(rule.pacing, seen[0], NOW + 2.5))
    again, _ = step(rule, first, WaitOver(NOW + 2.5 + GAP))
    step(rule, again, Answer(result, NOW + 20, NOW + 21, WALL + 20, 0.75))
    assert seen[1] == Tick(Outcome(result, 1.0), 1, 21.0, WALL + 20, 0.75)


def test_the_first_schedule_is_given_a_tick_of_nothing() -> None:
    seen: list[Tick[object]] = []
    rule = rules(first=asked_of(seen))
    step(rule, drive(rule)[0], Begin(NOW, WALL, 0.75))
    assert seen == [Tick(None, 0, 0.0, WALL, 0.75)]


def test_another_pacing_is_given_the_last_outcome_as_its_first() -> None:
    seen: list[Tick[object]] = []
    waiting, _, _ = drive(rules(), "begin", "failure")
    after, order = step(rules(), waiting, Reconfigure(asked_of(seen).node, WALL + 4.0, NOW + 3.0))
    assert seen == [Tick(Outcome(Failure("broken"), 1.0), 0, 0.0, WALL + 1.0, 0.5)]
    assert (after.began, after.recurrence, order) == (NOW, 1, Sleep(NOW + GAP))


def test_a_clock_that_jumped_changes_the_wall_time_of_the_tick_and_nothing_else() -> None:
    seen: list[Tick[object]] = []
    rule: Rule = rules(pacing=asked_of(seen))
    waiting, _, _ = drive(rule, "begin", "idle")
    after, _ = step(rule, waiting, ClockJumped(NOW + 5.0, WALL + 3605.0))
    assert seen[1] == seen[0]._replace(wall=WALL + 3600.0)
    assert (after.began, after.recurrence) == (waiting.began, waiting.recurrence)


def test_a_wait_is_over_exactly_a_microsecond_early() -> None:
    waiting, _, _ = drive(rules(), "begin", "idle")
    early = NOW + GAP - 1e-6
    assert step(rules(), waiting, WaitOver(early))[1] is Do.RUN


@pytest.mark.parametrize("force", [True, False])
def test_a_second_stop_counts_only_by_force(force: bool) -> None:
    stopping, _, _ = drive(rules(), "begin", "trigger", "pause", "stop")
    assert stopping.asked == Asked(stop=True, pause=False, trigger=False)
    after, order = step(rules(), stopping, Stop(0.0, 3.0, force=force))
    assert after == stopping
    assert order == (Watch(0.0, 3.0) if force else Do.KEEP)


@pytest.mark.parametrize(
    ("path", "how", "error"),
    [
        (("begin",), "failed", True),
        (("begin", "idle"), "failed", True),
        (("begin", "stop", "grace over", "cancel grace over"), "abandoned", False),
    ],
)
def test_what_no_schedule_paces_ends_the_loop(path: tuple[str, ...], how: str, error: bool) -> None:
    halt = KeyboardInterrupt()
    state, _, _ = drive(rules(), *path)
    after, order = step(rules(), state, Raise(halt))
    assert isinstance(order, End)
    assert (order.ended.how, order.ended.error) == (how, halt if error else None)
    assert after.phase is Phase.ENDED
    assert step(rules(), after, Raise(halt)) == (after, Do.KEEP)


def test_a_cut_after_the_abandonment_ends_what_was_abandoned() -> None:
    _, order, _ = drive(rules(), "begin", "stop", "grace over", "cancel grace over", "cut")
    assert order == End(Ended("abandoned", None, 1, None))


def test_a_grace_that_is_over_without_a_stop_means_nothing() -> None:
    running, _, _ = drive(rules(), "begin")
    assert step(rules(), running, GraceOver(15.0)) == (running, Do.KEEP)


def test_a_pacing_that_waits_nothing_after_a_reconfiguration_is_at_once() -> None:
    waiting, _, _ = drive(rules(), "begin", "idle")
    _, order = step(rules(), waiting, Reconfigure(forever().node, WALL, NOW))
    assert order == Sleep(NOW)
    assert EVENTS["idle"] == Answer(Success(Progress(has_more=False)), NOW - 1.0, NOW, WALL, 0.5)
