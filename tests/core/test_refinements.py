"""Methods on one schedule: delays, stopping, outputs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from math import inf, nan

import pytest

from effectloop import (
    MAX_DELAY,
    Duration,
    Schedule,
    Tick,
    delays,
    elapsed,
    exponential,
    fixed,
    forever,
    from_delays,
    linear,
    once,
    recurs,
    spaced,
    stop,
    trace,
    unfold,
)


def next_one(n: int) -> int:
    return n + 1


def waits(schedule: Schedule[None, object], n: int = 9, work: float = 0.0) -> list[float | None]:
    return [step.delay for step in trace(schedule, [None] * n, work=work)]


def answers(schedule: Schedule[None, object], n: int = 9) -> list[object]:
    return [step.output for step in trace(schedule, [None] * n)]


# --- delays


def test_capped_waits_at_most_its_limit() -> None:
    assert waits(exponential(1).capped(5), 5) == [1, 2, 4, 5, 5]
    assert waits(exponential(1).capped(timedelta(seconds=4)), 4) == [1, 2, 4, 4]


def test_capped_at_zero_is_at_once_and_a_zero_delay_stays_zero() -> None:
    assert waits(exponential(1).capped(0), 2) == [0, 0]
    assert waits(forever().capped(5), 2) == [0, 0]


def test_at_least_waits_at_least_its_floor() -> None:
    assert waits(exponential(1).at_least(3), 4) == [3, 3, 4, 8]


def test_capped_and_at_least_leave_the_output() -> None:
    assert answers(exponential(1).capped(2).at_least(2), 3) == [1, 2, 4]


@pytest.mark.parametrize(("draw", "delay"), [(0.0, 80.0), (0.25, 90.0), (0.5, 100.0), (0.75, 110.0)])
def test_jittered_spreads_by_a_fifth(draw: float, delay: float) -> None:
    assert delays(spaced(100).jittered(), 1, draws=draw) == [pytest.approx(delay, abs=1e-12)]


@pytest.mark.parametrize(
    ("ratio", "draw", "delay"), [(0, 0.0, 100.0), (0.5, 0.0, 50.0), (1, 0.0, 0.0), (1, 0.75, 150.0)]
)
def test_jittered_spreads_by_its_ratio(ratio: float, draw: float, delay: float) -> None:
    assert delays(spaced(100).jittered(ratio), 1, draws=draw) == [delay]


@pytest.mark.parametrize(
    ("low", "high", "draw", "delay"),
    [
        (0, 1, 0.0, 0.0),
        (0, 1, 0.75, 75.0),
        (0.5, 1, 0.0, 50.0),
        (0.5, 1, 0.5, 75.0),
        (2, 2, 0.9, 200.0),
        (0, 0, 0.9, 0),
    ],
)
def test_jittered_between_spreads_between_its_ends(
    low: float, high: float, draw: float, delay: float
) -> None:
    assert delays(spaced(100).jittered_between(low, high), 1, draws=draw) == [delay]


@pytest.mark.parametrize("draw", [0.0, 0.5, 1 - 2**-53])
@pytest.mark.parametrize(
    "schedule",
    [
        spaced(MAX_DELAY).jittered(1),
        spaced(MAX_DELAY).jittered_between(0, 1e308),
        spaced(MAX_DELAY).jittered_between(1e308, 1.7e308),
        forever().jittered_between(0, 1.7e308),
    ],
    ids=repr,
)
def test_jitter_never_leaves_the_delays_there_are(schedule: Schedule[object, object], draw: float) -> None:
    delay = schedule.node.decide(Tick(None, 0, 0.0, 0.0, draw))[0]
    assert delay is not None
    assert 0 <= delay <= MAX_DELAY


def test_the_outermost_combinator_has_the_last_word() -> None:
    draws = [n / 100 for n in range(100)]
    assert max(delays(spaced(10).jittered().capped(10), 100, draws=draws)) == 10
    assert max(delays(spaced(20).capped(10).jittered(), 100, draws=draws)) > 11.9


def test_jitter_keeps_spreading_at_the_cap() -> None:
    schedule = exponential(1).capped(30).jittered_between(0.5, 1.0)
    waited = {schedule.node.decide(Tick(None, 10**6, 0.0, 0.0, n / 1000))[0] or 0.0 for n in range(1000)}
    assert len(waited) == 1000
    assert min(waited) == 15
    assert max(waited) < 30


def test_modify_delay_reads_the_output_and_the_delay() -> None:
    assert waits(spaced(10).modify_delay(lambda recurrence, delay: delay + recurrence), 3) == [10, 11, 12]
    assert waits(forever().modify_delay(lambda n, _: timedelta(minutes=n)), 3) == [0, 60, 120]


def test_delay_from_reads_the_tick_and_the_delay() -> None:
    def asked(tick: Tick[int], delay: float) -> float:
        return max(delay, tick.input) + tick.recurrence * 100

    assert [step.delay for step in trace(linear(2).delay_from(asked), [0, 9, 0])] == [2, 109, 206]


ANSWERS: list[Callable[[Duration], Schedule[None, object]]] = [
    lambda answer: spaced(1).modify_delay(lambda _output, _delay: answer),
    lambda answer: spaced(1).delay_from(lambda _tick, _delay: answer),
]


@pytest.mark.parametrize("build", ANSWERS, ids=["modify_delay", "delay_from"])
@pytest.mark.parametrize(
    ("answer", "delay"),
    [
        (0, 0.0),
        (-0.0, 0.0),
        (3, 3.0),
        (timedelta(minutes=1), 60.0),
        (MAX_DELAY, MAX_DELAY),
        (1e300, MAX_DELAY),
        (10**400, MAX_DELAY),
        (timedelta.max, MAX_DELAY),
    ],
)
def test_a_callback_may_answer_any_duration_and_saturates(
    build: Callable[[Duration], Schedule[None, object]], answer: Duration, delay: float
) -> None:
    waited = waits(build(answer), 1)
    assert waited == [delay]
    assert isinstance(waited[0], float)


@pytest.mark.parametrize(("name", "build"), [("modify_delay", ANSWERS[0]), ("delay_from", ANSWERS[1])])
@pytest.mark.parametrize(
    ("answer", "kind", "wish"),
    [
        (-1, ValueError, "must answer a duration of at least 0 s, got -1"),
        (nan, ValueError, "must answer a duration of at least 0 s, got nan"),
        (-inf, ValueError, "must answer a duration of at least 0 s, got -inf"),
        (
            timedelta(-1),
            ValueError,
            "must answer a duration of at least 0 s, got datetime.timedelta(days=-1)",
        ),
        (inf, ValueError, "must answer a finite duration, got inf"),
        (True, TypeError, "must answer a duration (seconds or a timedelta), got True"),
        ("3", TypeError, "must answer a duration (seconds or a timedelta), got '3'"),
        (None, TypeError, "must answer a duration (seconds or a timedelta), got None"),
    ],
)
def test_a_callback_that_answers_no_delay_is_named(
    name: str,
    build: Callable[[object], Schedule[None, object]],
    answer: object,
    kind: type[Exception],
    wish: str,
) -> None:
    schedule = build(answer)
    with pytest.raises(kind) as raised:
        waits(schedule, 1)
    assert str(raised.value) == f"{name}: f {wish}"


def test_no_delay_combinator_touches_a_schedule_that_is_done() -> None:
    def refuse(*_: object) -> float:
        raise AssertionError

    for refined in (
        stop().capped(1),
        stop().at_least(1),
        stop().jittered(),
        stop().jittered_between(0, 1),
        stop().modify_delay(refuse),
        stop().delay_from(refuse),
    ):
        assert trace(refined, [None]) == [(0.0, None, None)]


# --- held


def test_held_goes_on_at_the_last_delay_and_with_the_output_of_the_done() -> None:
    assert waits(from_delays(1, 5).held(), 5) == [1, 5, 5, 5, 5]
    assert answers(from_delays(1, 5).held(), 5) == [1, 5, 0, 0, 0]


def test_held_keeps_a_schedule_that_is_done_at_first_done() -> None:
    assert waits(stop().held()) == [None]
    assert waits(recurs(0).held()) == [None]


def test_held_asks_a_schedule_that_is_done_no_more() -> None:
    asked: list[float] = []

    def short(delay: float) -> bool:
        asked.append(delay)
        return delay < 4

    assert waits(exponential(1).while_output(short).held(), 6) == [1, 2, 2, 2, 2, 2]
    assert asked == [1, 2, 4]


def test_held_may_hold_a_zero_delay_and_an_output_of_none() -> None:
    assert waits(once().held(), 3) == [0, 0, 0]
    assert answers(once().map(lambda n: None if n else n).held(), 3) == [0, None, None]


def test_held_answers_itself_while_the_delay_is_the_same() -> None:
    _, _, rest = spaced(3).held().node.decide(Tick(None, 0, 0.0, 0.0, 0.5))
    assert rest.decide(Tick(None, 1, 3.0, 0.0, 0.5))[2] is rest
    _, _, ended = (
        once().held().node.decide(Tick(None, 0, 0.0, 0.0, 0.5))[2].decide(Tick(None, 1, 0.0, 0.0, 0.5))
    )
    assert ended.decide(Tick(None, 2, 0.0, 0.0, 0.5))[2] is ended


# --- stopping


def test_up_to_counts_recurrences() -> None:
    assert waits(spaced(5).up_to(times=2)) == [5, 5, None]
    assert waits(spaced(5).up_to(times=0)) == [None]


@pytest.mark.parametrize(("now", "delay"), [(9.999, 5.0), (10.0, None), (10.001, None)])
def test_up_to_is_done_at_exactly_its_time(now: float, delay: float | None) -> None:
    assert spaced(5).up_to(elapsed=10).node.decide(Tick(None, 0, now, 0.0, 0.5))[0] == delay


def test_up_to_takes_zero_for_zero_and_none_for_no_limit() -> None:
    assert waits(spaced(5).up_to(elapsed=0)) == [None]
    assert waits(spaced(5).up_to(times=None, elapsed=7)) == [5, 5, None]
    assert waits(spaced(5).up_to(times=2, elapsed=None)) == [5, 5, None]
    assert waits(spaced(5).up_to(times=9, elapsed=12)) == [5, 5, 5, None]
    assert waits(spaced(5).up_to(times=1, elapsed=12)) == [5, None]


def test_up_to_refuses_to_be_given_nothing() -> None:
    with pytest.raises(TypeError, match=r"^up_to: times or elapsed must be given, got neither$"):
        spaced(5).up_to()


def test_up_to_with_slow_work_grants_no_run_after_its_time() -> None:
    assert waits(spaced(10).up_to(elapsed=3)) == [10, None]  # attempts at 0 and 10
    assert waits(spaced(10).up_to(elapsed=3), work=4) == [None]  # the first attempt ended too late


@pytest.mark.parametrize(("limit", "delay"), [(6.999, None), (7.0, 5.0), (7.001, 5.0)])
def test_within_stops_rather_than_wait_past_its_limit(limit: float, delay: float | None) -> None:
    assert spaced(5).within(limit).node.decide(Tick(None, 0, 2.0, 0.0, 0.5))[0] == delay


def test_within_is_done_when_its_limit_has_passed_even_at_delay_zero() -> None:
    assert forever().within(1).node.decide(Tick(None, 0, 1.0, 0.0, 0.5))[0] == 0.0
    assert forever().within(1).node.decide(Tick(None, 0, 1.5, 0.0, 0.5))[0] is None


def test_predicates_on_the_input() -> None:
    def low(n: int) -> bool:
        return n < 2

    assert [step.delay for step in trace(spaced(5).while_input(low), [0, 1, 2, 0])] == [5, 5, None]
    assert [step.delay for step in trace(spaced(5).until_input(low), [3, 2, 1, 3])] == [5, 5, None]


def test_predicates_on_the_output() -> None:
    assert waits(linear(1).while_output(lambda delay: delay < 3)) == [1, 2, None]
    assert waits(linear(1).until_output(lambda delay: delay > 2)) == [1, 2, None]


def test_check_reads_input_and_output() -> None:
    def differ(given: int, recurrence: int) -> bool:
        return given != recurrence

    assert [step.delay for step in trace(forever().check(differ), [5, 5, 2, 5])] == [0, 0, None]


def test_a_filter_answers_the_output_of_its_schedule_at_done() -> None:
    for filtered in (
        linear(1).up_to(times=2),
        linear(1).up_to(elapsed=3),
        linear(1).within(3),
        linear(1).while_input(lambda _: True).while_output(lambda delay: delay < 3),
        linear(1).until_output(lambda delay: delay == 3),
        linear(1).check(lambda _, delay: delay < 3),
    ):
        assert answers(filtered) == [1, 2, 3]


def test_no_predicate_is_asked_about_a_schedule_that_is_done() -> None:
    def refuse(*_: object) -> bool:
        raise AssertionError

    for filtered in (
        stop().while_input(refuse),
        stop().until_input(refuse),
        stop().while_output(refuse),
        stop().until_output(refuse),
        stop().check(refuse),
        stop().up_to(times=3),
        stop().within(3),
    ):
        assert trace(filtered, [None]) == [(0.0, None, None)]


def test_a_predicate_is_asked_once_a_decision() -> None:
    asked: list[int] = []

    def any_input(n: int) -> bool:
        asked.append(n)
        return True

    trace(forever().while_input(any_input), [1, 2, 3])
    assert asked == [1, 2, 3]


# --- outputs


def test_map_changes_the_output_at_done_too() -> None:
    assert answers(recurs(2).map(str)) == ["0", "1", "2"]


def test_map_input_changes_what_is_read() -> None:
    def magnitude(n: int) -> str:
        return str(n).strip("-")

    schedule = forever().while_input(str.isdigit).map_input(magnitude).passthrough()
    assert trace(schedule, [3, -4]) == [(0.0, 0.0, 3), (0.0, 0.0, -4)]
    assert [step.delay for step in trace(forever().while_input(bool).map_input(magnitude), [3, -4])] == [0, 0]


def test_passthrough_answers_the_input_at_done_too() -> None:
    assert [step.output for step in trace(recurs(2).passthrough(), "abc")] == ["a", "b", "c"]


def test_fold_includes_the_current_output_and_that_of_the_done() -> None:
    assert answers(recurs(3).fold(100, lambda total, n: total + n)) == [100, 101, 103, 106]
    assert answers(stop().fold(0, lambda count, _: count + 1)) == [1]


def test_fold_sees_each_step_once() -> None:
    seen: list[float] = []

    def gather(count: int, delay: float) -> int:
        seen.append(delay)
        return count + 1

    assert answers(linear(1).fold(0, gather), 3) == [1, 2, 3]
    assert seen == [1, 2, 3]


def test_a_run_leaves_nothing_behind_in_the_schedule() -> None:
    schedule = exponential(1).fold(0.0, lambda total, delay: total + delay)
    assert answers(schedule, 3) == answers(schedule, 3) == [1, 3, 7]


def test_outputs_leave_the_delays() -> None:
    for schedule in (
        linear(1).map(str),
        linear(1).map_input(str),
        linear(1).passthrough(),
        linear(1).fold(0, lambda count, _: count + 1),
    ):
        assert waits(schedule, 3) == [1, 2, 3]


def test_accepts_changes_nothing() -> None:
    schedule = exponential(1)
    assert schedule.accepts(OSError) is schedule
    assert schedule.accepts(list[int]) is schedule


@pytest.mark.parametrize("kind", [3, None, "OSError", OSError(), (OSError, KeyError)])
def test_accepts_refuses_what_is_no_type(kind: object) -> None:
    with pytest.raises(TypeError, match=r"^accepts: kind must be a type, got "):
        exponential(1).accepts(kind)  # type: ignore[call-overload]


# --- what all of them share

REFINED: list[Callable[[Schedule[object, int]], Schedule[object, object]]] = [
    lambda of: of.capped(99),
    lambda of: of.at_least(0),
    lambda of: of.modify_delay(lambda _, delay: delay),
    lambda of: of.delay_from(lambda _, delay: delay),
    lambda of: of.jittered(),
    lambda of: of.jittered_between(0.5, 1.5),
    lambda of: of.up_to(times=99, elapsed=99),
    lambda of: of.within(99),
    lambda of: of.while_input(lambda _: True),
    lambda of: of.until_input(lambda _: False),
    lambda of: of.while_output(lambda _: True),
    lambda of: of.until_output(lambda _: False),
    lambda of: of.check(lambda _input, _output: True),
    lambda of: of.map(lambda n: n),
    lambda of: of.map_input(lambda given: given),
]


@pytest.mark.parametrize("refine", REFINED)
def test_a_refinement_answers_itself_when_its_schedule_did(
    refine: Callable[[Schedule[object, int]], Schedule[object, object]],
) -> None:
    node = refine(spaced(10)).node
    delay, output, rest = node.decide(Tick(None, 0, 0.0, 0.0, 0.5))
    assert (delay, output) == (10.0, 0)
    assert rest is node


@pytest.mark.parametrize("refine", [*REFINED, lambda of: of.held(), lambda of: of.fold(0, lambda _, n: n)])
def test_a_refinement_keeps_the_state_of_its_schedule(
    refine: Callable[[Schedule[object, int]], Schedule[object, object]],
) -> None:
    assert answers(refine(unfold(0, next_one)), 4) == [0, 1, 2, 3]
    assert waits(refine(fixed(10)), 3, work=4) == [6.0, 6.0, 6.0]


def test_passthrough_keeps_itself_and_the_state_of_its_schedule() -> None:
    node = spaced(1).passthrough().node
    assert node.decide(Tick(None, 0, 0.0, 0.0, 0.5))[2] is node
    assert waits(fixed(10).passthrough(), 3, work=4) == [6.0, 6.0, 6.0]


def test_elapsed_reads_the_run_and_not_the_delays() -> None:
    assert answers(elapsed().capped(3).at_least(3), 3) == [0, 3, 6]
