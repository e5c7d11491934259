"""The two original policies, step by step, without any waiting."""

from __future__ import annotations

import pickle
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from returns.result import Failure, Result, Success

from effectloop.core.duration import MAX_DELAY
from effectloop.core.leaves import exponential, from_delays, recurs, spaced
from effectloop.core.schedule import Schedule
from effectloop.core.simulate import trace
from effectloop.loop.outcome import Defect, Outcome, Progress, Reason, ShouldBackOff, should_back_off
from effectloop.loop.policies import background_pacing, worker_pacing

Seen = Outcome[object]


def outcome(result: Result[Progress, object], duration: float = 0.0) -> Seen:
    return Outcome(result, duration)


MORE = outcome(Success(Progress(has_more=True)))
IDLE = outcome(Success(Progress(has_more=False)))
FAILED = outcome(Failure("no connection"))
BUG = outcome(Failure(Defect(ZeroDivisionError("a bug"))))
BACK_OFF = outcome(Failure(ShouldBackOff()))


def waits(pacing: Schedule[Seen, Reason], *seen: Seen, draws: float = 0.5) -> list[float]:
    steps = trace(pacing, seen, draws=draws)
    assert len(steps) == len(seen)
    return [pytest.fail("the pacing ended") if step.delay is None else step.delay for step in steps]


def reasons(pacing: Schedule[Seen, Reason], *seen: Seen) -> list[Reason]:
    return [step.output for step in trace(pacing, seen)]


def test_a_background_loop_runs_again_at_once_while_there_is_more_and_waits_the_interval_when_idle() -> None:
    pacing = background_pacing(2)
    assert waits(pacing, MORE, MORE, IDLE, MORE, IDLE, IDLE) == [0, 0, 2, 0, 2, 2]
    assert reasons(pacing, MORE, IDLE, FAILED) == [Reason.MORE, Reason.IDLE, Reason.FAILING]


def test_a_background_loop_backs_off_from_the_third_failure_in_a_row_up_to_five_intervals() -> None:
    grown = [100.0]
    while grown[-1] < 500.0:
        grown.append(min(grown[-1] * 1.25, 500.0))
    assert waits(background_pacing(100), *[FAILED] * 12) == pytest.approx([100.0, *grown, 500.0, 500.0])


def test_a_background_loop_paces_defects_like_failures() -> None:
    assert waits(background_pacing(1), BUG, FAILED, BUG) == [1, 1, 1.25]


@pytest.mark.parametrize("good", [MORE, IDLE])
def test_any_success_starts_the_streak_of_a_background_loop_afresh(good: Seen) -> None:
    assert waits(background_pacing(1), *[FAILED] * 5, good, FAILED, FAILED, FAILED)[6:] == [1, 1, 1.25]


def test_failures_of_a_background_loop_do_not_move_its_idle_wait() -> None:
    assert waits(background_pacing(1), *[FAILED] * 9, IDLE, FAILED, IDLE)[9:] == [1, 1, 1]


@pytest.mark.parametrize(("draw", "factor"), [(0.0, 0.9), (0.5, 1.0), (0.75, 1.05)])
def test_a_background_loop_jitters_every_wait_by_a_tenth(draw: float, factor: float) -> None:
    seen = [IDLE, FAILED, FAILED, FAILED, MORE]
    plain = waits(background_pacing(10), *seen)
    assert waits(background_pacing(10), *seen, draws=draw) == pytest.approx([d * factor for d in plain])


@given(st.floats(0, 0.999), st.floats(0, 1e6), st.floats(0, 1e6))
def test_an_idle_wait_never_outlasts_what_falls_due_even_after_the_jitter(
    draw: float, interval: float, due: float
) -> None:
    seen = outcome(Success(Progress(has_more=False, due_in=due)))
    [wait] = waits(background_pacing(interval), seen, draws=draw)
    assert wait <= due
    assert wait <= interval * 1.1


def test_what_falls_due_shortens_a_worker_s_back_off_but_not_its_throttle() -> None:
    idle = outcome(Success(Progress(has_more=False, due_in=3)))
    busy = outcome(Success(Progress(has_more=True, due_in=3)))
    pacing = worker_pacing(spaced(16), min_work_time=10)
    assert waits(pacing, idle, busy, idle) == [3, 10, 3]


@pytest.mark.parametrize("interval", [0, timedelta(0)])
def test_an_interval_of_nothing_is_nothing(interval: float | timedelta) -> None:
    assert waits(background_pacing(interval), IDLE, FAILED, FAILED, FAILED, FAILED) == [0] * 5


def test_the_longest_interval_saturates() -> None:
    assert waits(background_pacing(MAX_DELAY), IDLE, *[FAILED] * 9) == [MAX_DELAY] * 10


@pytest.mark.parametrize(
    ("interval", "error", "says"),
    [
        (-1, ValueError, "background_pacing: interval must be a duration of at least 0 s, got -1"),
        (float("nan"), ValueError, "background_pacing: interval must be a duration of at least 0 s, got nan"),
        (MAX_DELAY * 2, ValueError, "background_pacing: interval must be a duration of at most 1000000000 s"),
        (True, TypeError, "background_pacing: interval must be a duration"),
        ("1", TypeError, "background_pacing: interval must be a duration"),
    ],
)
def test_a_bad_interval_is_refused(interval: float, error: type[Exception], says: str) -> None:
    with pytest.raises(error) as caught:
        background_pacing(interval)
    assert str(caught.value).startswith(says)


def test_a_worker_backs_off_while_there_is_no_work_and_starts_over_when_there_is() -> None:
    pacing = worker_pacing(exponential(0.05).capped(5))
    assert waits(pacing, *[IDLE] * 9) == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5]
    assert waits(pacing, IDLE, BACK_OFF, MORE, BACK_OFF, IDLE) == [0.05, 0.1, 0, 0.05, 0.1]
    assert reasons(pacing, IDLE, BACK_OFF, MORE, FAILED, BUG) == [
        Reason.BACK_OFF,
        Reason.BACK_OFF,
        Reason.THROTTLE,
        Reason.FAILING,
        Reason.FAILING,
    ]


@pytest.mark.parametrize("bad", [FAILED, BUG])
def test_a_worker_backs_off_on_all_errors_unless_told_otherwise(bad: Seen) -> None:
    assert waits(worker_pacing(exponential(1)), bad, bad, IDLE, MORE, bad) == [1, 2, 4, 0, 1]
    as_worked = worker_pacing(exponential(1), min_work_time=3, backoff_on_all_errors=False)
    assert waits(as_worked, IDLE, IDLE, bad, IDLE) == [1, 2, 3, 1]


@pytest.mark.parametrize(("work", "wait"), [(2.0, 3.0), (4.999, 0.001), (5.0, 0.0), (5.001, 0.0), (7.0, 0.0)])
def test_a_worker_that_found_work_starts_again_after_its_least_work_time(work: float, wait: float) -> None:
    busy = outcome(Success(Progress(has_more=True)), work)
    assert waits(worker_pacing(spaced(60), min_work_time=5), busy) == pytest.approx([wait])


def test_a_back_off_shorter_than_the_least_work_time_is_not_stretched() -> None:
    assert waits(worker_pacing(spaced(1), min_work_time=5), IDLE) == [1]


def test_a_back_off_that_is_done_holds_its_last_delay() -> None:
    assert waits(worker_pacing(from_delays(7, 11, 13)), *[IDLE] * 6, MORE, IDLE) == [
        7,
        11,
        13,
        13,
        13,
        13,
        0,
        7,
    ]


def test_should_back_off_is_found_anywhere_along_the_causes() -> None:
    wrapped, twice, circle = OSError(), RuntimeError(), ValueError()
    wrapped.__cause__ = ShouldBackOff()
    twice.__cause__ = wrapped
    circle.__cause__ = circle
    assert [should_back_off(error) for error in (ShouldBackOff(), wrapped, twice)] == [True] * 3
    assert [should_back_off(error) for error in (circle, OSError(), "a text", None)] == [False] * 4
    pacing = worker_pacing(spaced(4), backoff_on_all_errors=False)
    assert waits(pacing, outcome(Failure(twice)), outcome(Failure(circle))) == [4, 0]


def test_a_context_of_should_back_off_is_not_its_cause() -> None:
    formatted = OSError("should back off")
    formatted.__context__ = ShouldBackOff()
    assert not should_back_off(formatted)


def test_a_defect_of_should_back_off_is_no_back_off() -> None:
    seen = outcome(Failure(Defect(ShouldBackOff())))
    assert waits(worker_pacing(spaced(4), backoff_on_all_errors=False), seen) == [0]


@pytest.mark.parametrize("backoff", [3, exponential, Schedule, None])
def test_a_back_off_that_is_no_schedule_is_refused(backoff: object) -> None:
    with pytest.raises(TypeError, match=r"worker_pacing: backoff must be a schedule, got "):
        worker_pacing(backoff)  # type: ignore[arg-type]


@pytest.mark.parametrize("least", [-1, float("nan")])
def test_a_bad_least_work_time_is_refused(least: float) -> None:
    with pytest.raises(
        ValueError, match=r"^worker_pacing: min_work_time must be a duration of at least 0 s, got "
    ):
        worker_pacing(spaced(1), min_work_time=least)


def test_the_policies_are_values() -> None:
    assert background_pacing(3) == background_pacing(3)
    assert background_pacing(3) != background_pacing(4)
    for policy in (background_pacing(3), worker_pacing(recurs(3), 2)):
        assert pickle.loads(pickle.dumps(policy)) == policy


@given(st.lists(st.sampled_from([MORE, IDLE, FAILED, BUG, BACK_OFF]), max_size=40), st.floats(0, 0.999))
def test_no_policy_ever_ends_or_waits_beyond_its_longest_wait(seen: list[Seen], draw: float) -> None:
    assert all(0 <= wait <= 5.5 for wait in waits(background_pacing(1), *seen, draws=draw))
    assert all(0 <= wait <= 5 for wait in waits(worker_pacing(exponential(0.05).capped(5)), *seen))


def test_an_always_failing_source_costs_no_more_than_its_waits_allow() -> None:
    steps = trace(worker_pacing(exponential(1).capped(10)), [FAILED] * 10)
    starts = [0.0, *(step.elapsed + (step.delay or 0.0) for step in steps)]
    assert [start for start in starts if start < 60] == [0, 1, 3, 7, 15, 25, 35, 45, 55]
    assert all(later > earlier for earlier, later in pairwise(starts))
