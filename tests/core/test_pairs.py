"""Two schedules side by side: `&`, `|` and their relatives."""

from __future__ import annotations

import pytest

from effectloop import (
    Schedule,
    Tick,
    delays,
    exponential,
    forever,
    from_delays,
    identity,
    linear,
    recur_while,
    recurs,
    spaced,
    stop,
    trace,
    unfold,
)


def next_one(n: int) -> int:
    return n + 1


def pair(a: object, b: object) -> tuple[object, object]:
    return a, b


def waits(schedule: Schedule[None, object], n: int = 9) -> list[float | None]:
    return [step.delay for step in trace(schedule, [None] * n)]


def answers(schedule: Schedule[None, object], n: int = 9) -> list[object]:
    return [step.output for step in trace(schedule, [None] * n)]


def test_and_recurs_while_both_do_after_the_longer_delay() -> None:
    assert waits(exponential(1) & spaced(3) & recurs(4)) == [3, 3, 4, 8, None]
    assert waits(recurs(4) & (spaced(3) & exponential(1))) == [3, 3, 4, 8, None]


def test_or_recurs_while_either_does_after_the_shorter_delay() -> None:
    assert waits((exponential(1) & recurs(2)) | from_delays(5, 1, 7)) == [1, 1, 7, None]
    assert waits(from_delays(5, 1, 7) | (exponential(1) & recurs(2))) == [1, 1, 7, None]


def test_and_and_or_answer_the_delay_chosen_and_zero_at_done() -> None:
    assert answers(spaced(3) & recurs(1)) == [3.0, 0.0]
    assert answers((spaced(3) & recurs(1)) | from_delays(2, 4)) == [2.0, 4.0, 0.0]


@pytest.mark.parametrize("operator", ["&", "|"])
@pytest.mark.parametrize("other", [3, None, "spaced(3)", forever, Schedule])
def test_an_operator_refuses_what_is_no_schedule(operator: str, other: object) -> None:
    with pytest.raises(TypeError, match="unsupported operand type"):
        forever() & other if operator == "&" else forever() | other  # type: ignore[operator]
    with pytest.raises(TypeError, match="unsupported operand type"):
        other & forever() if operator == "&" else other | forever()  # type: ignore[operator]


@pytest.mark.parametrize("done_first", ["left", "right"])
def test_a_side_of_or_that_is_done_is_never_asked_again(done_first: str) -> None:
    asked: list[int] = []

    def odd(n: int) -> bool:
        asked.append(n)
        return n % 2 == 1

    counting: Schedule[int, object] = recur_while(odd)
    both = counting | spaced(1) if done_first == "left" else spaced(1) | counting
    assert [step.delay for step in trace(both, [1, 2, 3, 5])] == [0, 1, 1, 1]
    assert asked == [1, 2]


def test_two_sides_that_would_revive_each_other_end() -> None:
    def odd(n: int) -> bool:
        return n % 2 == 1

    def even(n: int) -> bool:
        return n % 2 == 0

    assert [step.delay for step in trace(recur_while(odd) | recur_while(even), [1, 2, 3])] == [0.0, None]


def test_sides_of_or_may_end_at_one_tick_or_one_after_the_other() -> None:
    assert waits(recurs(2) | recurs(2)) == [0, 0, None]
    assert waits(recurs(1) | recurs(3)) == [0, 0, 0, None]
    assert waits(recurs(3) | recurs(1)) == [0, 0, 0, None]
    assert waits(stop() | stop()) == [None]


def test_intersect_with_combines_the_outputs_at_done_too() -> None:
    assert answers(exponential(1).intersect_with(recurs(2), pair)) == [(1, 0), (2, 1), (4, 2)]
    assert answers(recurs(1).intersect_with(exponential(1), pair)) == [(0, 1), (1, 2)]


def test_union_with_keeps_the_output_of_a_side_that_is_done() -> None:
    assert answers(recurs(1).union_with(recurs(3), pair)) == [(0, 0), (1, 1), (1, 2), (1, 3)]
    assert answers(recurs(3).union_with(recurs(1), pair)) == [(0, 0), (1, 1), (2, 1), (3, 1)]
    assert answers(stop().union_with(recurs(1), pair)) == [(None, 0), (None, 1)]


def test_union_with_waits_as_or_does() -> None:
    short, long = from_delays(5, 1), from_delays(2, 3, 4)
    assert waits(short.union_with(long, pair)) == waits(short | long) == [2, 1, 4, None]
    assert waits(long.union_with(short, pair)) == waits(long | short)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (exponential(1), recurs(2)),
        (from_delays(1, 5), from_delays(4, 2)),
        (recurs(2), linear(1)),
        (stop(), recurs(1)),
    ],
)
def test_all_forms_of_and_wait_alike(left: Schedule[object, object], right: Schedule[object, object]) -> None:
    expected = waits(left & right)
    assert waits(right & left) == expected
    assert waits(left.keep_left(right)) == expected
    assert waits(left.keep_right(right)) == expected
    assert waits(left.intersect_with(right, pair)) == expected
    assert waits(left.compose(right)) == expected


def test_keep_left_and_keep_right_answer_one_side_at_done_too() -> None:
    assert answers(exponential(1).keep_left(recurs(2))) == [1, 2, 4]
    assert answers(exponential(1).keep_right(recurs(2))) == [0, 1, 2]
    assert answers(recurs(2).keep_left(exponential(1))) == [0, 1, 2]
    assert answers(recurs(2).keep_right(exponential(1))) == [1, 2, 4]


def test_compose_feeds_the_left_output_to_the_right() -> None:
    echo: Schedule[float, float] = identity()
    assert answers(linear(2).compose(echo.map(lambda delay: -delay)), 3) == [-2, -4, -6]
    assert waits(linear(2).compose(recur_while(lambda delay: delay < 6))) == [2, 4, None]


def test_compose_waits_the_longer_delay_and_ends_with_either() -> None:
    assert waits(linear(2).compose(exponential(1)), 5) == [2, 4, 6, 8, 16]
    assert waits(recurs(2).compose(forever())) == [0, 0, None]
    assert waits(forever().compose(recurs(1))) == [0, None]
    assert answers(recurs(1).compose(spaced(1).map(str))) == ["0", "1"]


def test_both_in_out_reads_and_answers_pairs() -> None:
    def lower(letter: str) -> bool:
        return letter.islower()

    def low(n: int) -> bool:
        return n < 9

    both = recur_while(lower).both_in_out(recur_while(low))
    steps = trace(both, [("a", 1), ("b", 2), ("Z", 3)])
    assert [(step.delay, step.output) for step in steps] == [(0, ("a", 1)), (0, ("b", 2)), (None, ("Z", 3))]
    assert [step.delay for step in trace(both, [("a", 9)])] == [None]


def test_both_in_out_waits_the_shorter_delay() -> None:
    both = linear(2).both_in_out(exponential(1))
    assert [step.delay for step in trace(both, [("", 0)] * 5)] == [1, 2, 4, 8, 10]


def test_sides_see_one_draw_and_move_together() -> None:
    both = spaced(100).jittered(0.5) & spaced(100).jittered(0.5)
    assert delays(both, 2, draws=[0.0, 0.75]) == [50, 125]


@pytest.mark.parametrize(
    "schedule",
    [
        exponential(1) & recurs(9),
        exponential(1) | recurs(9),
        exponential(1).intersect_with(recurs(9), pair),
        exponential(1).keep_left(recurs(9)),
        exponential(1).keep_right(recurs(9)),
        exponential(1).compose(spaced(1)),
    ],
    ids=repr,
)
def test_a_pair_without_state_answers_itself(schedule: Schedule[object, object]) -> None:
    assert schedule.node.decide(Tick(None, 0, 0.0, 0.0, 0.5))[2] is schedule.node


def test_a_pair_of_inputs_without_state_answers_itself() -> None:
    node = exponential(1).both_in_out(spaced(1)).node
    assert node.decide(Tick((None, None), 0, 0.0, 0.0, 0.5))[2] is node


def test_a_latched_or_answers_itself_as_long_as_nothing_changes() -> None:
    first = (stop() | spaced(1)).node.decide(Tick(None, 0, 0.0, 0.0, 0.5))[2]
    assert first.decide(Tick(None, 1, 1.0, 0.0, 0.5))[2] is first


@pytest.mark.parametrize("state", ["left", "right"])
def test_the_state_of_either_side_is_kept(state: str) -> None:
    count = unfold(0, next_one)
    still = spaced(1)
    left, right = (count, still) if state == "left" else (still, count)
    expected = [(0, 0), (1, 1), (2, 2)]
    assert answers(left.intersect_with(right, pair), 3) == expected
    assert answers(left.union_with(right, pair), 3) == expected
    assert answers(left.keep_left(right), 3) == [0, 1, 2]
    assert answers(left.keep_right(right), 3) == [0, 1, 2]
    assert answers(left.compose(right), 3) == [0, 1, 2]
    grown = from_delays(1, 2, 3).compose(unfold(0, next_one))
    assert answers(grown, 3) == [0, 1, 2]
    halves = trace(left.both_in_out(right), [(None, None)] * 3)
    assert [step.output for step in halves] == expected
    for pairing in (left & right, left | right):
        assert waits(pairing.keep_right(unfold(0, next_one)), 2) == waits(pairing, 2)


@pytest.mark.parametrize(
    "pairing",
    [
        lambda side: side & forever(),
        lambda side: forever() & side,
        lambda side: side | spaced(99),
        lambda side: spaced(99) | side,
    ],
)
def test_an_operator_keeps_the_state_of_a_side(pairing: object) -> None:
    growing = unfold(1, lambda n: n * 2).modify_delay(lambda n, _: n)
    assert callable(pairing)
    assert waits(pairing(growing), 4) == [1, 2, 4, 8]
