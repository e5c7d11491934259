"""Schedules that share the ticks of a run: each side counts its own."""

from __future__ import annotations

import pytest
from returns.result import Failure, Result, Success

from effectloop import (
    Schedule,
    Tick,
    during,
    elapsed,
    exponential,
    forever,
    identity,
    linear,
    on_result,
    once,
    recurs,
    route,
    spaced,
    stop,
    trace,
    unfold,
)


def next_one(n: int) -> int:
    return n + 1


Outcomes = list[Result[str, str]]


def outcomes(word: str) -> Outcomes:
    """Successes and failures, one a letter: ``outcomes("sff")``; the value is the letter and its place."""
    return [Success(f"s{n}") if letter == "s" else Failure(f"f{n}") for n, letter in enumerate(word)]


def waits(schedule: Schedule[Result[str, str], object], word: str, work: float = 0.0) -> list[float | None]:
    return [step.delay for step in trace(schedule, outcomes(word), work=work)]


def answers(schedule: Schedule[Result[str, str], object], word: str, work: float = 0.0) -> list[object]:
    return [step.output for step in trace(schedule, outcomes(word), work=work)]


# --- on_result


def test_each_side_counts_its_own_recurrences() -> None:
    assert waits(on_result(linear(10), exponential(1)), "sffsfs") == [10, 1, 2, 20, 4, 30]


def test_each_side_counts_time_from_its_first_tick() -> None:
    both = on_result(elapsed(), elapsed().map(lambda seconds: -seconds))
    assert answers(both, "ssffs", work=1) == [0, 1, 0, -1, 4]


def test_a_side_hears_the_value_or_the_error() -> None:
    success: Schedule[str, str] = identity()
    failure: Schedule[str, str] = identity()
    assert answers(on_result(success, failure.map(str.upper)), "sfs") == ["s0", "F1", "s2"]


def test_a_side_that_is_done_ends_the_whole() -> None:
    assert waits(on_result(forever(), recurs(1)), "fssf") == [0, 0, 0, None]
    assert waits(on_result(once(), forever()), "sfs") == [0, 0, None]


def test_sides_keep_their_state() -> None:
    count = unfold(0, next_one)
    assert answers(on_result(count, count.map(str)), "sfssf") == [0, "0", 1, 2, "1"]


def test_on_result_refuses_an_input_that_is_no_result() -> None:
    with pytest.raises(TypeError, match=r"^on_result: the input must be a Result, got 3$"):
        on_result(forever(), forever()).node.decide(Tick(3, 0, 0.0, 0.0, 0.5))  # type: ignore[arg-type]


# --- route


def kind(word: str) -> str:
    return word[0]


def test_route_lets_each_kind_decide_by_its_own_schedule() -> None:
    schedule = route(kind, {"a": linear(10), "b": exponential(1)}, spaced(99))
    steps = trace(schedule, ["a1", "b1", "c1", "b2", "a2", "c2", "b3"])
    assert [step.delay for step in steps] == [10, 1, 99, 2, 20, 99, 4]


def test_route_counts_the_recurrences_and_the_time_of_each_side() -> None:
    def clock(side: str) -> Schedule[object, object]:
        return elapsed().intersect_with(forever(), lambda seconds, count: (side, count, seconds))

    schedule = route(kind, {"a": clock("a"), "b": clock("b")}, clock("other"))
    assert [step.output for step in trace(schedule, "abcab", work=1)] == [
        ("a", 0, 0.0),
        ("b", 0, 0.0),
        ("other", 0, 0.0),
        ("a", 1, 3.0),
        ("b", 1, 3.0),
    ]


def test_route_hands_on_the_input() -> None:
    echo: Schedule[str, str] = identity()
    assert [step.output for step in trace(route(kind, {"a": echo}, echo), ["a1", "b1"])] == ["a1", "b1"]


def test_route_ends_on_an_unknown_kind_by_default() -> None:
    assert [step.delay for step in trace(route(kind, {"a": forever()}), "aab")] == [0, 0, None]


def test_route_ends_when_any_side_does() -> None:
    schedule = route(kind, {"a": once(), "b": forever()}, recurs(1))
    assert [step.delay for step in trace(schedule, "abba")] == [0, 0, 0, None]
    assert [step.delay for step in trace(schedule, "abcbc")] == [0, 0, 0, 0, None]


def test_route_finds_kinds_by_equality() -> None:
    def number(word: str) -> float:
        return float(len(word))

    schedule = route(number, {True: spaced(1), 2: spaced(2)})
    assert [step.delay for step in trace(schedule, ["x", "xx", "x"])] == [1, 2, 1]


def test_route_takes_no_notice_of_a_later_change_of_the_mapping() -> None:
    branches = {"a": spaced(1)}
    schedule = route(kind, branches)
    branches.clear()
    assert [step.delay for step in trace(schedule, "a")] == [1]


@pytest.mark.parametrize("branches", [None, 3, [("a", forever())], "a"])
def test_route_refuses_branches_that_are_no_mapping(branches: object) -> None:
    with pytest.raises(TypeError, match=r"^route: branches must be a mapping from kinds to schedules, got "):
        route(kind, branches)  # type: ignore[call-overload]


# --- reset_on_success


def test_a_failure_steps_the_schedule_and_a_success_starts_it_over() -> None:
    assert waits(exponential(1).reset_on_success(), "fffsfssff") == [1, 2, 4, 0, 1, 0, 0, 1, 2]


def test_successes_step_a_schedule_that_begins_afresh_after_every_failure() -> None:
    assert waits(exponential(1).reset_on_success(linear(10)), "ssfssff") == [10, 20, 1, 10, 20, 1, 2]


def test_without_on_success_the_output_of_a_success_counts_them() -> None:
    assert answers(exponential(8).reset_on_success(), "ssfs") == [0, 1, 8.0, 0]


def test_both_sides_of_a_reset_count_their_own_time() -> None:
    sides = elapsed().map(lambda seconds: -seconds).reset_on_success(elapsed())
    assert answers(sides, "ffssfss", work=1) == [0, -1, 0, 1, 0, 0, 1]


def test_both_sides_of_a_reset_hear_what_happened() -> None:
    failure: Schedule[str, str] = identity()
    success: Schedule[str, str] = identity()
    assert answers(failure.reset_on_success(success.map(str.upper)), "fs") == ["f0", "S1"]


def test_both_sides_of_a_reset_forget_their_state() -> None:
    count = unfold(0, next_one)
    assert answers(count.reset_on_success(count.map(str)), "ffssfsf") == [0, 1, "0", "1", 0, "0", 0]


def test_done_of_either_side_is_done_of_the_whole() -> None:
    assert waits(recurs(1).reset_on_success(), "fsfsff") == [0, 0, 0, 0, 0, None]
    assert waits(forever().reset_on_success(once()), "sfsfss") == [0, 0, 0, 0, 0, None]
    assert waits(stop().reset_on_success(), "ssf") == [0, 0, None]


@pytest.mark.parametrize(("since", "delay"), [(9.999, 4.0), (10.0, 1.0), (10.001, 1.0)])
def test_a_failure_starts_over_only_after_a_stable_time(since: float, delay: float) -> None:
    schedule = exponential(1).reset_on_success(stable_for=10)
    steps = trace(schedule, outcomes("ffsf"), work=[0, 0, 0, since])
    assert steps[-1].delay == delay


def test_the_stable_time_counts_from_the_first_success_after_the_last_failure() -> None:
    schedule = exponential(1).reset_on_success(spaced(4), stable_for=10)
    assert waits(schedule, "fsssf") == [1, 4, 4, 4, 1]  # 12 s of successes
    assert waits(schedule, "fssf") == [1, 4, 4, 2]  # 8 s
    assert waits(schedule, "fssfssf") == [1, 4, 4, 2, 4, 4, 4]  # a failure in between starts the count again


def test_a_flapping_dependency_keeps_its_long_back_off() -> None:
    flapping = exponential(1).reset_on_success(stable_for=60)
    assert waits(flapping, "fsfsfsf") == [1, 0, 2, 0, 4, 0, 8]


def test_a_schedule_that_goes_on_counts_its_time_from_the_first_failure() -> None:
    schedule = during(5).map(str).reset_on_success(stable_for=60)
    assert waits(schedule, "fsfff", work=2) == [0, 0, 0, None]


def test_a_first_failure_after_many_successes_is_the_first() -> None:
    assert waits(exponential(1).reset_on_success(stable_for=60), "sssf") == [0, 0, 0, 1]


def test_reset_on_success_refuses_an_input_that_is_no_result() -> None:
    with pytest.raises(TypeError, match=r"^reset_on_success: the input must be a Result, got None$"):
        forever().reset_on_success().node.decide(Tick(None, 0, 0.0, 0.0, 0.5))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("schedule", "given"),
    [
        (on_result(spaced(1), spaced(2)), Success(0)),
        (on_result(spaced(1), spaced(2)), Failure(0)),
        (spaced(1).reset_on_success(), Success(0)),
        (spaced(1).reset_on_success(), Failure(0)),
        (route(repr, {"<Success: 0>": spaced(1)}, spaced(2)), Success(0)),
        (route(repr, {"<Success: 0>": spaced(1)}, spaced(2)), Failure(0)),
    ],
    ids=repr,
)
def test_a_side_that_goes_on_deciding_builds_nothing(
    schedule: Schedule[Result[int, int], object], given: Result[int, int]
) -> None:
    first = schedule.node.decide(Tick(given, 0, 1.0, 0.0, 0.5))[2]
    for recurrence in range(1, 4):
        assert first.decide(Tick(given, recurrence, 1.0 + recurrence, 0.0, 0.5))[2] is first
