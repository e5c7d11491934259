"""Schedules that begin in the middle of a run: `and_then` and the resets."""

from __future__ import annotations

import pytest
from returns.result import Failure, Success

from effectloop import (
    Schedule,
    Tick,
    delays,
    during,
    elapsed,
    exponential,
    fixed,
    forever,
    from_delays,
    linear,
    once,
    recur_while,
    recurs,
    spaced,
    stop,
    trace,
    unfold,
)


def next_one(n: int) -> int:
    return n + 1


def negative(n: int) -> bool:
    return n < 0


def waits(schedule: Schedule[None, object], n: int = 9, work: float = 0.0) -> list[float | None]:
    return [step.delay for step in trace(schedule, [None] * n, work=work)]


def answers(schedule: Schedule[None, object], n: int = 9, work: float = 0.0) -> list[object]:
    return [step.output for step in trace(schedule, [None] * n, work=work)]


# --- and_then


def test_and_then_hands_over_at_the_very_tick_at_which_the_left_is_done() -> None:
    assert waits((spaced(1) & recurs(2)).and_then(exponential(10)), 5) == [1, 1, 10, 20, 40]


def test_and_then_counts_recurrences_and_time_from_the_hand_over() -> None:
    left = spaced(3) & recurs(2)
    assert answers(left.keep_right(forever()).and_then(forever()), 5) == [0, 1, 0, 1, 2]
    assert answers(left.and_then(elapsed()), 5, work=0.5) == [3.0, 3.0, 0.0, 0.5, 1.0]
    assert waits(left.and_then(spaced(1) & during(2.5))) == [3, 3, 1, 1, 1, None]


def test_and_then_counts_from_the_hand_over_wherever_that_is() -> None:
    assert answers(once().and_then(forever()), 4) == [0, 0, 1, 2]  # recurrence 1, no time passed
    assert answers(stop().and_then(elapsed()), 3, work=1) == [0, 1, 2]  # recurrence 0, after one second
    assert answers(stop().and_then(elapsed()), 3, work=0.5) == [0, 0.5, 1]


def test_and_then_is_done_when_the_right_is_and_leaves_out_the_output_of_the_left_done() -> None:
    assert answers(recurs(2).and_then(once().map(str))) == [0, 1, "0", "1"]
    assert waits(recurs(1).and_then(stop())) == [0, None]
    assert waits(stop().and_then(stop())) == [None]
    assert waits(stop().and_then(from_delays(4, 5))) == [4, 5, None]


def test_and_then_asks_a_left_that_is_done_no_more() -> None:
    schedule = recur_while(negative).and_then(spaced(7)).accepts(int)
    assert [step.delay for step in trace(schedule, [-1, 1, -1])] == [0, 7, 7]


def test_and_then_nests_either_way() -> None:
    a, b, c = from_delays(1), from_delays(2, 3), from_delays(4)
    assert waits(a.and_then(b).and_then(c)) == waits(a.and_then(b.and_then(c))) == [1, 2, 3, 4, None]


def test_and_then_keeps_the_state_of_both_sides() -> None:
    count = unfold(0, next_one)
    assert answers(count.up_to(times=2).and_then(count), 5) == [0, 1, 0, 1, 2]


def test_and_then_tagged_tells_the_sides_apart() -> None:
    assert answers(recurs(2).and_then_tagged(once())) == [Failure(0), Failure(1), Success(0), Success(1)]
    assert waits(from_delays(1).and_then_tagged(from_delays(2))) == [1, 2, None]


def test_and_then_answers_itself_when_nothing_changed() -> None:
    before = once().and_then(spaced(1)).node
    assert before.decide(Tick(None, 0, 0.0, 0.0, 0.5))[2] is before
    after = before.decide(Tick(None, 1, 0.0, 0.0, 0.5))[2]
    assert after.decide(Tick(None, 2, 1.0, 0.0, 0.5))[2] is after


# --- reset_after


def test_reset_after_begins_afresh_when_the_limit_has_passed_since_the_phase_began() -> None:
    assert waits(exponential(1).reset_after(7), 7) == [1, 2, 4, 1, 2, 4, 1]
    assert waits(exponential(1).reset_after(7.5), 7) == [1, 2, 4, 8, 1, 2, 4]


@pytest.mark.parametrize(("now", "recurrence"), [(4.999, 1), (5.0, 0), (5.001, 0)])
def test_reset_after_counts_exactly_the_limit_as_passed(now: float, recurrence: int) -> None:
    assert forever().reset_after(5).node.decide(Tick(None, 1, now, 0.0, 0.5))[1] == recurrence


def test_reset_after_rebases_the_clock_of_each_phase() -> None:
    assert answers(elapsed().keep_left(spaced(2)).reset_after(5), 6) == [0, 2, 4, 0, 2, 4]


def test_reset_after_zero_begins_afresh_at_every_tick_and_never_ends() -> None:
    assert answers(once().reset_after(0), 5) == [0, 0, 0, 0, 0]


def test_reset_after_wins_over_done() -> None:
    assert waits((spaced(1) & recurs(2)).reset_after(2), 6) == [1, 1, 1, 1, 1, 1]
    assert waits((spaced(1) & recurs(2)).reset_after(2.5), 6) == [1, 1, None]


def test_reset_after_may_meet_a_fresh_schedule_that_is_done() -> None:
    assert waits(stop().reset_after(0)) == [None]


# --- reset_when


def test_reset_when_lets_the_fresh_schedule_decide_on_the_same_tick() -> None:
    assert waits(exponential(1).reset_when(lambda delay: delay > 4), 5) == [1, 2, 4, 1, 2]


def test_reset_when_revives_a_schedule_that_is_done() -> None:
    assert answers(recurs(2).reset_when(lambda n: n == 2), 6) == [0, 1, 0, 1, 0, 1]


def test_reset_when_counts_the_fresh_answer_even_if_it_meets_the_predicate() -> None:
    assert answers(forever().reset_when(lambda n: n >= 0), 3) == [0, 0, 0]
    assert waits(stop().reset_when(lambda _: True)) == [None]


def test_reset_when_ends_with_its_schedule() -> None:
    assert answers(recurs(2).reset_when(lambda n: n == 7)) == [0, 1, 2]


# --- reset_on_input


def test_reset_on_input_begins_afresh_before_it_decides() -> None:
    schedule = exponential(1).reset_on_input(negative)
    assert [step.delay for step in trace(schedule, [-1, 0, 0, -1, -1, 0])] == [1, 2, 4, 1, 1, 2]


def test_reset_on_input_wins_over_done() -> None:
    schedule = recurs(1).reset_on_input(negative)
    assert [step.delay for step in trace(schedule, [0, -1, 0])] == [0, 0, None]


@pytest.mark.parametrize("reset", ["reset_after", "reset_when", "reset_on_input"])
def test_a_reset_forgets_all_state(reset: str) -> None:
    count = unfold(0, next_one).keep_left(spaced(1))
    schedules: dict[str, Schedule[int, int]] = {
        "reset_after": count.reset_after(3),
        "reset_when": count.reset_when(lambda n: n == 3),
        "reset_on_input": count.reset_on_input(negative),
    }
    steps = trace(schedules[reset], [0, 0, 0, -1, 0, 0])
    assert [step.output for step in steps] == [0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize("reset", ["reset_after", "reset_when", "reset_on_input"])
def test_a_reset_starts_a_grid_of_its_own(reset: str) -> None:
    grid = fixed(10)
    schedules: dict[str, Schedule[int, int]] = {
        "reset_after": grid.reset_after(24),
        "reset_when": grid.reset_when(lambda n: n == 2),
        "reset_on_input": grid.reset_on_input(negative),
    }
    assert [step.delay for step in trace(schedules[reset], [0, 0, -1, 0], work=4)] == [6, 6, 10, 6]


def test_a_reset_answers_itself_when_nothing_changed() -> None:
    node = linear(1).reset_on_input(negative).node
    assert node.decide(Tick(0, 3, 4.0, 0.0, 0.5))[2] is node
    again = node.decide(Tick(-1, 3, 4.0, 0.0, 0.5))[2]
    assert again.decide(Tick(0, 4, 4.0, 0.0, 0.5)) == (2.0, 2.0, again)


def test_phases_nest() -> None:
    inner = (spaced(1) & recurs(2)).and_then(spaced(5))
    assert waits(inner.reset_after(7), 8) == [1, 1, 5, 1, 1, 5, 1, 1]
    assert delays(recurs(1).and_then(recurs(1)).and_then(exponential(1)), 4) == [0, 0, 1, 2]
