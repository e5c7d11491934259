"""The loop's state machine as a table: every state against every event, and all short orders of events."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from returns.result import Failure, Success

from effectloop.core.leaves import fixed, forever, recurs, spaced, stop
from effectloop.core.schedule import Schedule
from effectloop.loop.events import (
    Event,
    Identity,
    IterationCancelled,
    IterationDefect,
    IterationFailed,
    IterationStarted,
    IterationSucceeded,
    LoopEnded,
    LoopStarted,
    StopAsked,
    StopTimedOut,
    Waiting,
)
from effectloop.loop.machine import (
    NOTHING,
    Abandon,
    Answer,
    Begin,
    ClockJumped,
    Cut,
    Do,
    End,
    GraceOver,
    Happening,
    Order,
    Phase,
    Raise,
    Reconfigure,
    Rules,
    Signal,
    Sleep,
    State,
    Stop,
    WaitOver,
    Watch,
    fresh,
    step,
)
from effectloop.loop.outcome import Defect, Outcome, Progress, Reason
from effectloop.loop.report import report

LOOP = Identity("loop")
NOW, WALL, GAP = 1000.0, 5000.0, 10.0
IDLE = Success(Progress(has_more=False))
MORE = Success(Progress(has_more=True))
BUG = ZeroDivisionError("a bug")

Rule = Rules[str]
Loop = State[str]


def rules(
    pacing: Schedule[Outcome[str], object] | None = None,
    first: Schedule[None, object] | None = None,
    on_defect: str = "pace",
) -> Rule:
    return Rules(
        pacing=(spaced(GAP) if pacing is None else pacing).node,
        first=(stop() if first is None else first).node,
        on_defect="end" if on_defect == "end" else "pace",
        no_work=lambda error: error == "no work",
        cancelled=lambda error: error == "told to stop",
    )


def answer(result: object = IDLE, now: float = NOW) -> Answer[str]:
    return Answer(result, now - 1.0, now, WALL, 0.5)  # type: ignore[arg-type]


EVENTS: dict[str, Happening[str]] = {
    "begin": Begin(NOW, WALL, 0.5),
    "idle": answer(IDLE),
    "more": answer(MORE),
    "failure": answer(Failure("broken")),
    "no work": answer(Failure("no work")),
    "told to stop": answer(Failure("told to stop")),
    "defect": answer(Failure(Defect(BUG))),
    "wait over": WaitOver(NOW + GAP),
    "wait over early": WaitOver(NOW - 1.0),
    "stop": Stop(15.0, 5.0),
    "stop without a limit": Stop(None, 0.0),
    "reconfigure": Reconfigure(spaced(GAP / 2).node, WALL, NOW),
    "reconfigure to the end": Reconfigure(stop().node, WALL, NOW),
    "clock jumped": ClockJumped(NOW, WALL + 3600.0),
    "grace over": GraceOver(15.0),
    "cancel grace over": Signal.CANCEL_GRACE_OVER,
    "cut": Cut(NOW - 1.0, NOW),
    "raise": Raise(KeyboardInterrupt()),
    "trigger": Signal.TRIGGER,
    "pause": Signal.PAUSE,
    "resume": Signal.RESUME,
}
AT_WORK = (Phase.RUNNING, Phase.CANCELLING, Phase.ABANDONED)


def told(rule: Rule, before: Loop, event: Happening[str], after: Loop, order: Order) -> list[Event]:
    return list(report(LOOP, rule, before, event, after, order, NOW))


def drive(rule: Rule, *names: str) -> tuple[Loop, Order, list[Event]]:
    """Feed the named events to a fresh loop; answer the last state and order, and all that was told."""
    state, order, records = fresh(rule), Do.KEEP, list[Event]()
    last: Order = order
    for name in names:
        after, last = step(rule, state, EVENTS[name])
        records += told(rule, state, EVENTS[name], after, last)
        state = after
    return state, last, records


def reachable(rule: Rule) -> dict[object, tuple[Loop, tuple[str, ...]]]:
    """Answer every abstract state that the events can reach, with one way to it."""

    def shape(state: Loop) -> object:
        wait = state.wait
        kind = None if wait is None else (type(wait), wait.until > NOW)
        return state.phase, state.asked, kind, state.failures > 0, state.recurrence > 0, state.iterations > 0

    found: dict[object, tuple[Loop, tuple[str, ...]]] = {shape(fresh(rule)): (fresh(rule), ())}
    todo = list(found.values())
    while todo:
        state, path = todo.pop()
        for name, event in EVENTS.items():
            after, _ = step(rule, state, event)
            if shape(after) not in found:
                found[shape(after)] = (after, (*path, name))
                todo.append(found[shape(after)])
    return found


VARIANTS = {
    "paced": rules(),
    "initial wait": rules(first=spaced(GAP)),
    "initial wait of nothing": rules(first=forever()),
    "at once": rules(pacing=forever()),
    "short": rules(pacing=recurs(1)),
    "ends on defects": rules(on_defect="end"),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_event_has_an_answer_in_every_state(variant: str) -> None:
    rule = VARIANTS[variant]
    states = reachable(rule)
    assert {state.phase for state, _ in states.values()} == set(Phase)
    for (state, path), (name, event) in product(states.values(), EVENTS.items()):
        after, order = step(rule, state, event)
        where = f"{name} after {path}"
        check_step(state, event, after, order, told(rule, state, event, after, order), where)


def check_step(
    before: Loop, event: Happening[str], after: Loop, order: Order, records: list[Event], where: str
) -> None:
    kinds = [type(record) for record in records]
    if order is Do.RUN:
        assert before.phase in (Phase.NEW, Phase.WAITING, Phase.DUE), f"overlap: {where}"
        assert isinstance(event, Begin | WaitOver), f"started by another than the loop's own task: {where}"
        assert not before.asked.stop, f"a start after a stop: {where}"
        assert after.phase is Phase.RUNNING, where
        assert after.iterations == before.iterations + 1, where
        assert kinds[-1] is IterationStarted, where
    else:
        assert after.iterations == before.iterations, where
    if before.phase is Phase.ENDED:
        assert (after, order, records) == (before, Do.KEEP, []), f"something after the end: {where}"
    if isinstance(event, Answer) and before.phase in AT_WORK:
        answers = [kind for kind in kinds if kind in (IterationSucceeded, IterationFailed, IterationDefect)]
        assert len(answers) == 1, f"an answered result undelivered: {where}"
        assert after.phase not in AT_WORK, where
    ends = (after.phase is Phase.ENDED and before.phase not in (Phase.ENDED, Phase.ABANDONED)) or (
        after.phase is Phase.ABANDONED and before.phase is not Phase.ABANDONED
    )
    assert kinds.count(LoopEnded) == int(ends), f"not one end: {where}"
    assert isinstance(order, End) == (after.phase is Phase.ENDED and before.phase is not Phase.ENDED), where
    assert isinstance(order, Abandon) == (
        after.phase is Phase.ABANDONED and before.phase is not Phase.ABANDONED
    ), where
    assert after.wait is None or after.phase is Phase.WAITING, where
    if isinstance(order, Sleep):
        assert after.wait is not None, where
        assert after.wait.until == order.until, where


ORDERS = ("begin", "idle", "more", "failure", "wait over", "stop", "grace over", "cancel grace over", "cut")
STEERED = ("begin", "idle", "wait over", "stop", "trigger", "pause", "resume", "reconfigure")


@pytest.mark.parametrize(("alphabet", "length"), [(ORDERS, 5), (STEERED, 5), (tuple(EVENTS), 3)])
def test_all_short_event_orders_keep_the_promises(alphabet: tuple[str, ...], length: int) -> None:
    rule = rules()

    def walk(state: Loop, path: tuple[str, ...], ends: int, stopped: bool) -> Iterator[int]:
        if len(path) == length:
            yield 1
            return
        for name in alphabet:
            event = EVENTS[name]
            after, order = step(rule, state, event)
            records = told(rule, state, event, after, order)
            check_step(state, event, after, order, records, f"{(*path, name)}")
            assert not (stopped and order is Do.RUN), f"a start after a stop: {(*path, name)}"
            ended = ends + sum(isinstance(record, LoopEnded) for record in records)
            assert ended <= 1, f"two ends: {(*path, name)}"
            yield from walk(after, (*path, name), ended, stopped or isinstance(event, Stop))

    assert sum(walk(fresh(rule), (), 0, False)) == len(alphabet) ** length


def test_a_loop_runs_at_once_when_its_first_schedule_is_done() -> None:
    state, order, records = drive(rules(), "begin")
    assert (state.phase, order) == (Phase.RUNNING, Do.RUN)
    assert records == [LoopStarted(LOOP, NOW), IterationStarted(LOOP, NOW, 1)]


def test_the_initial_wait_is_told_with_its_reason() -> None:
    _, order, records = drive(rules(first=spaced(GAP)), "begin")
    assert order == Sleep(NOW + GAP)
    assert records[1:] == [Waiting(LOOP, NOW, 0, GAP, NOW + GAP, Reason.INITIAL)]


def test_a_wait_of_nothing_is_a_checkpoint_and_no_event() -> None:
    _, order, records = drive(rules(pacing=forever()), "begin", "more")
    assert order is Do.CHECKPOINT
    assert not any(isinstance(record, Waiting) for record in records)


def test_the_pacing_is_told_the_outcome_and_the_time_since_the_first_iteration_began() -> None:
    pacing: Schedule[Outcome[str], float] = (
        forever().delay_from(lambda tick, delay: tick.elapsed + tick.recurrence * 100.0).keep_left(forever())
    )  # type: ignore[assignment]
    _, order, _ = drive(rules(pacing=pacing), "begin", "idle")
    assert order == Sleep(NOW + 1.0)


@pytest.mark.parametrize("early", [0.0, 1e-6 / 2, -1.0])
def test_a_wait_that_ends_less_than_a_microsecond_early_is_over(early: float) -> None:
    rule = rules()
    waiting, _, _ = drive(rule, "begin", "idle")
    after, order = step(rule, waiting, WaitOver(NOW + GAP - early))
    assert (after.phase, order) == (Phase.RUNNING, Do.RUN)


def test_a_wait_that_ends_earlier_goes_on() -> None:
    rule = rules()
    waiting, _, _ = drive(rule, "begin", "idle")
    assert step(rule, waiting, WaitOver(NOW + GAP - 2e-6)) == (waiting, Sleep(NOW + GAP))


def test_a_stop_ends_a_wait_at_once() -> None:
    state, order, records = drive(rules(), "begin", "idle", "stop")
    assert state.phase is Phase.ENDED
    assert isinstance(order, End)
    assert (order.ended.how, order.ended.iterations) == ("drained", 1)
    assert [type(record) for record in records[-2:]] == [StopAsked, LoopEnded]


def test_a_stop_lets_the_running_iteration_finish_and_does_not_ask_the_pacing_again() -> None:
    rule = rules(pacing=forever().map(lambda _: pytest.fail("the pacing was asked")))
    running, order, _ = drive(rule, "begin", "stop")
    assert (running.phase, order) == (Phase.RUNNING, Watch(15.0, 5.0))
    _, order = step(rule, running, EVENTS["failure"])
    assert isinstance(order, End)
    assert order.ended.how == "drained"


def test_a_stop_without_a_limit_is_not_watched() -> None:
    _, order, _ = drive(rules(), "begin", "stop without a limit")
    assert order is Do.KEEP


def test_after_the_grace_the_iteration_is_cancelled_and_then_abandoned() -> None:
    state, order, records = drive(rules(), "begin", "stop", "grace over")
    assert (state.phase, order) == (Phase.CANCELLING, Do.CANCEL)
    assert records[-1] == StopTimedOut(LOOP, NOW, 15.0)
    state, order, records = drive(rules(), "begin", "stop", "grace over", "cancel grace over")
    assert state.phase is Phase.ABANDONED
    assert isinstance(order, Abandon)
    assert order.ended.how == "abandoned"
    assert isinstance(records[-1], LoopEnded)


def test_work_that_answers_although_it_was_cancelled_has_answered() -> None:
    _, order, records = drive(rules(), "begin", "stop", "grace over", "idle")
    assert isinstance(order, End)
    assert order.ended.how == "drained"
    assert isinstance(records[-2], IterationSucceeded)


def test_an_answer_after_the_abandonment_is_told_as_late_and_ends_nothing_twice() -> None:
    _, order, records = drive(rules(), "begin", "stop", "grace over", "cancel grace over", "failure")
    assert isinstance(order, End)
    assert order.ended.how == "abandoned"
    late = records[-1]
    assert isinstance(late, IterationFailed)
    assert late.late
    assert sum(isinstance(record, LoopEnded) for record in records) == 1


def test_a_cancellation_cuts_a_running_iteration_and_leaves_nothing_cut_in_a_wait() -> None:
    _, order, records = drive(rules(), "begin", "cut")
    assert isinstance(order, End)
    assert order.ended.how == "cancelled"
    assert records[-2] == IterationCancelled(LOOP, NOW, 1, 1.0, False)
    _, order, _ = drive(rules(), "begin", "idle", "cut")
    assert isinstance(order, End)
    assert order.ended.how == "drained"


def test_a_failure_that_means_no_work_is_no_failure() -> None:
    state, _, records = drive(rules(), "begin", "failure", "wait over", "no work")
    assert state.failures == 0
    last = records[-2]
    assert isinstance(last, IterationSucceeded)
    assert (last.progress, last.failures_ended) == (Progress(has_more=False), 1)
    assert (last.failure, last.cancelled) == ("no work", False)


def test_told_to_stop_is_a_failure_unless_a_stop_was_asked() -> None:
    state, _, records = drive(rules(), "begin", "told to stop")
    assert state.failures == 1
    assert isinstance(records[-2], IterationFailed)
    assert records[-2].cancelled
    state, _, records = drive(rules(), "begin", "failure", "wait over", "stop", "told to stop")
    assert state.failures == 0
    assert isinstance(records[-2], IterationSucceeded)
    assert (records[-2].failure, records[-2].cancelled) == ("told to stop", True)


def test_only_what_the_loop_was_told_means_told_to_stop() -> None:
    _, _, records = drive(rules(), "begin", "failure")
    assert isinstance(records[-2], IterationFailed)
    assert not records[-2].cancelled
    _, _, records = drive(rules(), "begin", "idle")
    assert isinstance(records[-2], IterationSucceeded)
    assert (records[-2].failure, records[-2].cancelled) == (None, False)


def test_failures_are_counted_in_a_row_and_their_change_is_told() -> None:
    rule = rules()
    again = "wait over"
    told_of = ("begin", "failure", again, "failure", again, "defect", again, "idle", again, "failure")
    _, _, records = drive(rule, *told_of)
    seen = [
        (record.failures, record.changed)
        for record in records
        if isinstance(record, IterationFailed | IterationDefect)
    ]
    assert seen == [(1, True), (2, False), (3, True), (1, True)]
    recovered = [record.failures_ended for record in records if isinstance(record, IterationSucceeded)]
    assert recovered == [3]


def test_a_defect_ends_the_loop_only_when_it_was_told_so() -> None:
    state, _, records = drive(rules(), "begin", "defect")
    assert state.phase is Phase.WAITING
    defect = records[-2]
    assert isinstance(defect, IterationDefect)
    assert not defect.ends_loop
    state, order, records = drive(rules(on_defect="end"), "begin", "stop", "defect")
    assert isinstance(order, End)
    assert (order.ended.how, order.ended.error) == ("failed", BUG)
    assert [type(record) for record in records[-2:]] == [IterationDefect, LoopEnded]


def test_a_pacing_that_is_done_finishes_the_loop_with_its_output() -> None:
    _, order, _ = drive(rules(pacing=recurs(1)), "begin", "idle", "wait over", "idle")
    assert isinstance(order, End)
    assert (order.ended.how, order.ended.iterations, order.ended.output) == ("finished", 2, 1)


@pytest.mark.parametrize("asked", [("trigger",), ("trigger",) * 5])
def test_any_number_of_triggers_makes_one_run(asked: tuple[str, ...]) -> None:
    state, order, _ = drive(rules(), "begin", "idle", *asked)
    assert (state.phase, state.wait, order) == (Phase.WAITING, None, Do.CHECKPOINT)
    state, order, _ = drive(rules(), "begin", "idle", *asked, "wait over", "idle")
    assert (state.iterations, order) == (2, Sleep(NOW + GAP))
    state, order, records = drive(rules(), "begin", *asked, "idle")
    assert order is Do.CHECKPOINT
    assert not isinstance(records[-1], Waiting)
    state, order, _ = drive(rules(), "begin", *asked, "idle", "wait over", "idle")
    assert (state.iterations, order) == (2, Sleep(NOW + GAP))


def test_a_trigger_cuts_the_initial_wait_short() -> None:
    state, order, _ = drive(rules(first=spaced(GAP)), "begin", "trigger", "wait over early")
    assert (state.phase, order) == (Phase.RUNNING, Do.RUN)
    state, order, _ = drive(rules(first=spaced(GAP)), "trigger", "begin")
    assert (state.phase, order) == (Phase.RUNNING, Do.RUN)


def test_a_pause_starts_nothing_and_a_resume_runs_what_is_due() -> None:
    state, order, _ = drive(rules(), "begin", "idle", "pause", "wait over")
    assert (state.phase, order) == (Phase.DUE, Do.SUSPEND)
    state, order, _ = drive(rules(), "begin", "idle", "pause", "wait over", "resume", "wait over early")
    assert (state.phase, order) == (Phase.RUNNING, Do.RUN)
    state, order, _ = drive(rules(), "begin", "idle", "pause", "resume")
    assert (state.phase, order) == (Phase.WAITING, Do.KEEP)


def test_a_trigger_while_paused_is_remembered_and_makes_one_run() -> None:
    state, order, _ = drive(rules(), "begin", "idle", "pause", "trigger")
    assert (state.phase, order) == (Phase.WAITING, Do.KEEP)
    state, order, _ = drive(rules(), "begin", "idle", "pause", "trigger", "resume", "wait over early")
    assert (state.phase, order, state.asked) == (Phase.RUNNING, Do.RUN, NOTHING)


@pytest.mark.parametrize("asked", [("trigger",), ("pause", "wait over", "resume")])
def test_a_stop_that_comes_before_the_loop_s_task_has_started_what_was_asked_starts_nothing(
    asked: tuple[str, ...],
) -> None:
    state, order, _ = drive(rules(), "begin", "idle", *asked, "stop")
    assert isinstance(order, End)
    assert (order.ended.how, state.iterations) == ("drained", 1)


def test_a_loop_paused_before_it_began_waits_for_the_resume() -> None:
    state, order, _ = drive(rules(), "pause", "begin")
    assert (state.phase, order) == (Phase.DUE, Do.SUSPEND)
    state, order, _ = drive(rules(first=spaced(GAP)), "pause", "begin", "wait over")
    assert (state.phase, order) == (Phase.DUE, Do.SUSPEND)


def test_another_pacing_decides_again_from_the_last_outcome() -> None:
    state, order, records = drive(rules(), "begin", "idle", "reconfigure")
    assert order == Sleep(NOW + GAP / 2)
    assert (state.recurrence, state.began) == (1, NOW)
    assert records[-1] == Waiting(LOOP, NOW, 1, GAP / 2, NOW + GAP / 2, 0)
    _, order, _ = drive(rules(), "begin", "idle", "reconfigure to the end")
    assert isinstance(order, End)
    assert order.ended.how == "finished"


def test_another_pacing_leaves_an_initial_wait_and_a_trigger_alone() -> None:
    rule = rules(first=spaced(GAP))
    before, _, _ = drive(rule, "begin")
    after, order = step(rule, before, EVENTS["reconfigure"])
    assert (after.wait, order) == (before.wait, Do.KEEP)
    assert after.node == spaced(GAP / 2).node
    before, _, _ = drive(rules(), "begin", "idle", "trigger")
    after, order = step(rules(), before, EVENTS["reconfigure"])
    assert (after.wait, order) == (before.wait, Do.KEEP)


def test_another_pacing_during_an_iteration_begins_with_that_iteration() -> None:
    state, order, _ = drive(rules(), "begin", "idle", "wait over", "reconfigure", "idle")
    assert order == Sleep(NOW + GAP / 2)
    assert (state.recurrence, state.began) == (1, NOW - 1.0)


def test_a_clock_that_jumped_is_told_to_the_same_schedule_from_the_same_moment() -> None:
    at_wall: Schedule[object, int] = forever().delay_from(lambda tick, _: max(0.0, WALL + 7200.0 - tick.wall))
    _, order, _ = drive(rules(pacing=at_wall), "begin", "idle", "clock jumped")
    assert order == Sleep(NOW + 3600.0)
    _, order, _ = drive(rules(first=at_wall), "begin", "clock jumped")
    assert order == Sleep(NOW + 3600.0)


def test_a_clock_that_jumped_moves_nothing_that_reads_no_wall_clock() -> None:
    before, _, _ = drive(rules(pacing=fixed(GAP)), "begin", "idle")
    after, order, _ = drive(rules(pacing=fixed(GAP)), "begin", "idle", "clock jumped")
    assert before.wait is not None
    assert after.node == before.node
    assert order == Sleep(before.wait.until)


def test_an_error_whose_text_cannot_be_had_is_told_all_the_same() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no text")

    rule = rules()
    running, _, _ = drive(rule, "begin")
    after, order = step(rule, running, answer(Failure(Mute())))
    assert after.trouble == (Mute, "")
    assert isinstance(told(rule, running, answer(Failure(Mute())), after, order)[0], IterationFailed)
