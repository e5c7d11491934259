"""The traps that schedule libraries fall into, numbers to clocks, each with its boundary: before, at, after.

Where a trap has a longer test of its own, the table names it; the rest is below. Times are seconds.

===  ==================================================================================================
 4   tests/core/test_gates.py, and test_refinements.py: a callback that answers no delay is named
12   tests/drivers/test_clock.py: seeds and forked children
14   tests/loop/test_machine.py: a pacing that is done finishes the loop
25   tests/core/test_regular_times.py: timers a millisecond early or late
26   tests/drivers/test_run_loop.py: an overrun of a fixed pace runs once
27   tests/drivers/test_run_loop.py: a wall clock that jumps moves no wait that reads none
28   tests/core/test_calendar.py: every zone; tests/drivers/test_run_loop.py: a calendar wait looks again
29   tests/core/test_calendar.py: nine stays nine, skipped and repeated times
30   tests/drivers/test_virtual_clock.py
===  ==================================================================================================
"""

from __future__ import annotations

from itertools import pairwise
from math import isnan

import pytest

from effectloop import (
    MAX_DELAY,
    Done,
    Duration,
    Schedule,
    Tick,
    decorrelated,
    delays,
    during,
    exponential,
    fixed,
    forever,
    once,
    recurs,
    route,
    spaced,
    trace,
)

LATE = [1, 6, 7, 8, 63, 64, 65, 66, 129, 1023, 1024, 1025, 10**4, 10**6, 10**9]
DRAWS = [n / 997 for n in range(997)]


def at(recurrence: int, draw: float = 0.5) -> Tick[None]:
    return Tick(None, recurrence, 0.0, 0.0, draw)


def delay(schedule: Schedule[None, object], recurrence: int, draw: float = 0.5) -> float:
    answer = schedule.node.decide(at(recurrence, draw))[0]
    assert answer is not None
    return answer


def test_1_an_exponential_never_raises_shrinks_or_vanishes_however_late() -> None:
    for base, factor in [(0.1, 2.0), (1.0, 2.0), (1e-9, 10.0), (5.0, 1.1), (1.0, 1.0)]:
        grown = [delay(exponential(base, factor=factor), n) for n in LATE]
        assert grown == sorted(grown)
        assert all(0 < one <= MAX_DELAY for one in grown)


def test_2_whatever_overflows_a_cap_answers_the_cap_and_a_zero_base_zero() -> None:
    assert [delay(exponential(0.1).capped(5), n) for n in LATE[3:]] == [5.0] * len(LATE[3:])
    assert {delay(exponential(0), n) for n in LATE} == {0.0}
    assert delays(exponential(1).capped(60), 10) == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60]
    assert delays(exponential(10).capped(5), 2) == [5, 5]


def test_3_the_first_delay_of_an_exponential_is_its_base() -> None:
    assert delays(exponential(0.1), 3) == [0.1, 0.2, 0.4]
    assert delays(exponential(120, factor=1), 3) == [120, 120, 120]
    assert delays(exponential(0.2).capped(3600), 3) == [0.2, 0.4, 0.8]


def test_5_nothing_and_no_limit_are_two_things() -> None:
    assert delays(spaced(1).up_to(times=0), 5) == []
    assert delays(spaced(1).up_to(elapsed=0), 5) == []
    assert delays(spaced(1).up_to(times=None, elapsed=2), 5) == delays(spaced(1).up_to(elapsed=2), 5)
    assert delays(spaced(1).capped(0), 3) == [0, 0, 0]
    assert delays(spaced(1).within(0), 3) == []


@pytest.mark.parametrize(("elapsed", "goes_on"), [(2.9, True), (3.0, True), (3.0000001, False)])
def test_6_a_wait_may_end_at_exactly_the_limit(elapsed: float, goes_on: bool) -> None:
    answer, _, _ = spaced(7).within(10).node.decide(Tick(None, 0, elapsed, 0.0, 0.5))
    assert (answer is not None) == goes_on


def test_7_done_carries_no_delay() -> None:
    for finite in (recurs(0), spaced(1) & recurs(0), recurs(0).capped(5), recurs(0).jittered()):
        assert finite.node.decide(at(0))[0] is None
        assert isinstance(finite.step(at(0)), Done)
        assert not hasattr(finite.step(at(0)), "delay")


def test_8_the_outermost_cap_is_never_passed_and_an_inner_one_may_be() -> None:
    outer, inner = exponential(1).jittered(0.5).capped(60), exponential(1).capped(60).jittered(0.5)
    assert max(delay(outer, 20, draw) for draw in DRAWS) == 60
    assert max(delay(inner, 20, draw) for draw in DRAWS) > 60


def test_9_at_the_cap_a_spread_below_it_keeps_spreading() -> None:
    spread = exponential(1).capped(60).jittered_between(0.5, 1.0)
    seen = {delay(spread, 10**6, draw) for draw in DRAWS}
    assert len(seen) == len(DRAWS)
    assert 30 == min(seen) <= max(seen) < 60


def test_10_no_draw_makes_a_delay_negative() -> None:
    for widest in (spaced(5).jittered(1), spaced(5).jittered_between(0, 3)):
        assert min(delay(widest, 0, draw) for draw in DRAWS) == 0
        assert not any(isnan(delay(widest, n, draw)) for n in LATE for draw in DRAWS[:3])


def test_11_caps_floors_and_jitter_leave_the_end_where_it_was() -> None:
    for ended in (
        recurs(3).capped(1),
        recurs(3).at_least(1),
        recurs(3).jittered(),
        recurs(3).jittered_between(0, 2),
    ):
        assert len(delays(ended, 9)) == 3


def test_12_one_value_gives_any_number_of_runs_each_with_its_own_draws() -> None:
    schedule = exponential(1).jittered(0.5) & recurs(4)
    assert delays(schedule, 9, draws=DRAWS) == delays(schedule, 9, draws=DRAWS)
    assert delays(schedule, 9, draws=0.1) != delays(schedule, 9, draws=0.9)


def test_13_recurs_counts_what_follows_the_first_run() -> None:
    assert [len(delays(recurs(n), 9)) for n in (0, 1, 3)] == [0, 1, 3]
    assert once() == recurs(1)
    assert len(delays(decorrelated(1, 30) & recurs(5), 99)) == 5


def test_15_the_delay_announced_is_the_delay_waited() -> None:
    steps = trace(exponential(0.1), [None] * 6)
    waited = [later.elapsed - step.elapsed for step, later in pairwise(steps)]
    assert waited == pytest.approx([step.delay for step in steps[:-1]])


def test_16_each_branch_counts_its_own_errors() -> None:
    schedule = route(str, {"A": spaced(1) & recurs(2), "B": spaced(2) & recurs(2)})
    assert [step.delay for step in trace(schedule, "ABABA")] == [1, 2, 1, 2, None]


def test_17_no_limit_is_active_that_was_not_asked_for() -> None:
    steps = trace(exponential(1).capped(3600), [None] * 2000, work=10.0)
    assert len(steps) == 2000
    assert steps[-1].delay == 3600


def test_18_a_schedule_is_driven_again_from_its_beginning() -> None:
    schedule = during(60) & spaced(10)
    first = [step.delay for step in trace(schedule, [None] * 20)]
    assert [step.delay for step in trace(schedule, [None] * 20)] == first
    assert delays(schedule, 99) == [10.0] * 6


def test_19_the_second_phase_has_a_count_and_a_clock_of_its_own() -> None:
    assert delays((spaced(5) & recurs(2)).and_then(exponential(1) & recurs(3)), 99) == [5, 5, 1, 2, 4]
    assert delays((spaced(5) & recurs(2)).and_then(spaced(1).up_to(elapsed=2)), 99) == [5, 5, 1, 1]


def test_20_both_waits_the_longer_and_either_the_shorter() -> None:
    assert delays(exponential(1) & spaced(3), 4) == [3, 3, 4, 8]
    assert delays(exponential(1) | spaced(3), 4) == [1, 2, 3, 3]
    either = (exponential(0.5) | spaced(5)).jittered_between(0.8, 1.2)
    assert all(0.4 <= delay(either, n, draw) <= 6 for n in LATE for draw in DRAWS[::50])


def test_21_a_fold_sees_each_step_once() -> None:
    counted = spaced(1).fold(0, lambda count, _: count + 1)
    assert [step.output for step in trace(counted, [None] * 4)] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("policy", "starts"),
    [(spaced(10).up_to(elapsed=3), [0, 10]), (spaced(10).within(3), [0]), (spaced(10).delay_from, [0, 3])],
)
def test_22_each_policy_for_a_limit_starts_exactly_when_it_says(policy: object, starts: list[float]) -> None:
    def clipped(tick: Tick[object], wait: float) -> Duration:
        return min(wait, 3 - tick.elapsed)

    schedule = policy if isinstance(policy, Schedule) else spaced(10).delay_from(clipped).up_to(elapsed=3)
    seen = [
        0.0,
        *(step.elapsed + step.delay for step in trace(schedule, [None] * 9) if step.delay is not None),
    ]
    assert seen == starts


@pytest.mark.parametrize(("work", "attempts"), [(1.999, 2), (2.0, 1), (5.0, 1)])
def test_23_an_attempt_that_outlasts_the_limit_is_not_followed_by_another(work: float, attempts: int) -> None:
    steps = trace(forever().up_to(elapsed=2), [None] * 9, work=work)
    assert len(steps) == attempts


@pytest.mark.parametrize(("elapsed", "goes_on"), [(0.999, True), (1.0, False), (1.001, False)])
def test_24_during_goes_on_below_its_limit_and_ends_at_it(elapsed: float, goes_on: bool) -> None:
    answer, _, _ = during(1).node.decide(Tick(None, 0, elapsed, 0.0, 0.5))
    assert (answer is not None) == goes_on
    assert delays(during(1) & spaced(0.3), 9) == [0.3] * 4


def test_25_a_fixed_pace_keeps_its_grid_under_any_work_shorter_than_it() -> None:
    steps = trace(fixed(10), [None] * 1000, work=[4.0 + (n % 3) for n in range(1000)])
    starts = [step.elapsed + (step.delay or 0.0) for step in steps]
    assert starts == pytest.approx([10.0 * n for n in range(1, 1001)])
