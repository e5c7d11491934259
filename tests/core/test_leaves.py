"""The leaves: their delays, their outputs, and where they end."""

from __future__ import annotations

from datetime import timedelta

import pytest

from effectloop import (
    MAX_DELAY,
    Node,
    Schedule,
    Tick,
    decorrelated,
    delays,
    during,
    elapsed,
    exponential,
    fibonacci,
    fixed,
    forever,
    from_delays,
    identity,
    linear,
    once,
    recur_until,
    recur_while,
    recurs,
    spaced,
    stop,
    trace,
    unfold,
    windowed,
)


def at(recurrence: int, elapsed: float = 0.0, draw: float = 0.5) -> Tick[None]:
    return Tick(None, recurrence, elapsed, 0.0, draw)


@pytest.mark.parametrize(
    ("schedule", "waits"),
    [
        (forever(), [0, 0, 0, 0]),
        (stop(), []),
        (once(), [0]),
        (recurs(0), []),
        (recurs(3), [0, 0, 0]),
        (spaced(5), [5, 5, 5, 5]),
        (spaced(timedelta(minutes=1)), [60, 60, 60, 60]),
        (spaced(0), [0, 0, 0, 0]),
        (fixed(10), [10, 10, 10, 10]),
        (windowed(10), [10, 10, 10, 10]),
        (linear(2), [2, 4, 6, 8]),
        (linear(0), [0, 0, 0, 0]),
        (exponential(0.1), [0.1, 0.2, 0.4, 0.8]),
        (exponential(1, 3), [1, 3, 9, 27]),
        (exponential(1, factor=1.5), [1, 1.5, 2.25, 3.375]),
        (exponential(8, factor=0.5), [8, 4, 2, 1]),
        (exponential(7, factor=1), [7, 7, 7, 7]),
        (exponential(7, factor=0), [7, 0, 0, 0]),
        (exponential(0), [0, 0, 0, 0]),
        (exponential(0, factor=0), [0, 0, 0, 0]),
        (fibonacci(1), [1, 1, 2, 3]),
        (fibonacci(0.5), [0.5, 0.5, 1, 1.5]),
        (from_delays(1, 5, timedelta(seconds=2)), [1, 5, 2]),
        (from_delays(0), [0]),
        (decorrelated(1, 100), [2, 3.5, 5.75, 9.125]),
        (decorrelated(1, 3), [2, 3, 3, 3]),
        (decorrelated(2, 2), [2, 2, 2, 2]),
        (elapsed(), [0, 0, 0, 0]),
        (identity(), [0, 0, 0, 0]),
        (unfold(1, lambda n: 2 * n), [0, 0, 0, 0]),
    ],
    ids=repr,
)
def test_a_leaf_waits_what_its_formula_says(schedule: Schedule[None, object], waits: list[float]) -> None:
    assert delays(schedule, 4) == waits


@pytest.mark.parametrize(
    ("schedule", "answers"),
    [
        (forever(), [0, 1, 2, 3]),
        (stop(), [None]),
        (once(), [0, 1]),
        (recurs(0), [0]),
        (recurs(2), [0, 1, 2]),
        (spaced(5), [0, 1, 2, 3]),
        (fixed(10), [0, 1, 2, 3]),
        (windowed(10), [0, 1, 2, 3]),
        (linear(2), [2, 4, 6, 8]),
        (exponential(1), [1, 2, 4, 8]),
        (fibonacci(1), [1, 1, 2, 3]),
        (from_delays(1, 5), [1, 5, 0]),
        (decorrelated(1, 100), [2, 3.5, 5.75, 9.125]),
        (elapsed(), [0.5, 1, 1.5, 2]),
        (during(1.5), [0.5, 1, 1.5]),
        (identity(), ["a", "b", "c", "d"]),
        (recur_while(lambda letter: letter < "c"), ["a", "b", "c"]),
        (recur_until(lambda letter: letter == "b"), ["a", "b"]),
        (unfold(1, lambda n: 3 * n), [1, 3, 9, 27]),
    ],
    ids=repr,
)
def test_a_leaf_answers_what_it_says_at_done_too(
    schedule: Schedule[str, object], answers: list[object]
) -> None:
    assert [step.output for step in trace(schedule, "abcd", work=0.5)][: len(answers)] == answers


def test_a_predicate_on_the_input_decides_at_once() -> None:
    assert [step.delay for step in trace(recur_while(str.islower), ["a", "b", "C"])] == [0.0, 0.0, None]
    assert [step.delay for step in trace(recur_until(str.isupper), ["a", "b", "C"])] == [0.0, 0.0, None]


def test_fibonacci_goes_on_as_the_numbers_do() -> None:
    assert delays(fibonacci(1), 12) == [1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144]


def test_recurs_grants_n_recurrences_after_the_first_run() -> None:
    assert [recurs(3).node.decide(at(n))[0] for n in (2, 3, 4)] == [0.0, None, None]


@pytest.mark.parametrize(("now", "delay"), [(2.999, 0.0), (3.0, None), (3.001, None)])
def test_during_is_done_at_exactly_its_limit(now: float, delay: float | None) -> None:
    assert during(3).node.decide(at(0, now))[:2] == (delay, now)


def test_during_zero_is_done_at_once() -> None:
    assert delays(during(0), 3) == []


@pytest.mark.parametrize(("draw", "delay"), [(0.0, 2.0), (0.25, 3.0), (0.5, 4.0), (0.999999, 5.999996)])
def test_decorrelated_draws_between_its_base_and_three_times_the_delay_before(
    draw: float, delay: float
) -> None:
    assert delays(decorrelated(2, 100), 1, draws=draw) == [pytest.approx(delay, abs=1e-9)]


def test_decorrelated_never_waits_less_than_its_base_and_falls_back_to_it() -> None:
    assert delays(decorrelated(2, 100), 4, draws=[0.9, 0.9, 0.0, 0.0])[2:] == [2.0, 2.0]


def test_unfold_asks_its_function_once_a_decision() -> None:
    asked: list[int] = []

    def following(n: int) -> int:
        asked.append(n)
        return n + 1

    trace(unfold(5, following), [None] * 3)
    assert asked == [5, 6, 7]


def test_unfold_may_hold_values_that_are_false() -> None:
    assert [step.output for step in trace(unfold(2, lambda n: max(n - 1, 0)), [None] * 4)] == [2, 1, 0, 0]


GROWING: list[Schedule[object, object]] = [
    linear(1000),
    exponential(1e-9),
    exponential(1, factor=1.0001),
    exponential(0.1, factor=1e308),
    exponential(0.1, factor=1.7e308),
    exponential(MAX_DELAY),
    fibonacci(1e-9),
]


@pytest.mark.parametrize("recurrence", [10**6, 10**9, 10**18])
@pytest.mark.parametrize("schedule", GROWING, ids=repr)
def test_growth_ends_at_the_longest_delay(schedule: Schedule[object, object], recurrence: int) -> None:
    assert schedule.node.decide(at(recurrence)) == (MAX_DELAY, MAX_DELAY, schedule.node)
    assert schedule.capped(30).node.decide(at(recurrence))[0] == 30


@pytest.mark.parametrize("recurrence", [0, 1, 1023, 1024, 1025, 10**6, 10**9])
@pytest.mark.parametrize(
    ("schedule", "delay"),
    [
        (exponential(0), 0),
        (exponential(0, 1e308), 0),
        (linear(0), 0),
        (fibonacci(0), 0),
        (exponential(3, 1), 3),
    ],
    ids=repr,
)
def test_what_does_not_grow_stays(schedule: Schedule[object, object], delay: float, recurrence: int) -> None:
    assert schedule.node.decide(at(recurrence))[0] == delay


@pytest.mark.parametrize("recurrence", [2000, 10**6, 10**9])
def test_a_factor_below_one_shrinks_to_zero_without_raising(recurrence: int) -> None:
    assert exponential(1, factor=0.5).node.decide(at(recurrence))[0] == 0.0


@pytest.mark.parametrize("factor", [1.0001, 1.5, 2.0, 10.0, 1e100, 1e154, 1e200, 1.7e308])
@pytest.mark.parametrize("base", [5e-324, 1e-300, 1e-9, 0.1, 1.0, MAX_DELAY])
def test_an_exponential_never_shrinks_and_never_raises(base: float, factor: float) -> None:
    node = exponential(base, factor).node
    waits = [node.decide(at(n))[0] or 0.0 for n in (*range(1100), 2**12, 2**16, 10**6, 10**9)]
    assert waits == sorted(waits)
    assert waits[0] == base
    assert 0 < waits[-1] <= MAX_DELAY


@pytest.mark.parametrize("factor", [1.0001, 2.0, 1e100, 1e154, 1e200, 1.7e308])
def test_an_exponential_reaches_the_longest_delay_from_any_base_that_is_a_time(factor: float) -> None:
    assert exponential(1e-140, factor).node.decide(at(10**9))[0] == MAX_DELAY


def test_a_fibonacci_never_shrinks() -> None:
    node = fibonacci(1e-300).node
    waits = [node.decide(at(n))[0] or 0.0 for n in range(3000)]
    assert waits == sorted(waits)


STATELESS: list[Schedule[object, object]] = [
    forever(),
    stop(),
    recurs(3),
    spaced(1),
    windowed(1),
    linear(1),
    exponential(1),
    fibonacci(1),
    from_delays(1, 2),
    elapsed(),
    during(3),
    identity(),
    recur_while(bool),
    recur_until(bool),
]


@pytest.mark.parametrize("schedule", STATELESS, ids=repr)
def test_a_leaf_without_state_answers_itself(schedule: Schedule[object, object]) -> None:
    for recurrence in range(4):
        assert schedule.node.decide(at(recurrence, recurrence + 0.5))[2] is schedule.node


def test_a_base_above_its_limit_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"^decorrelated: limit must be a duration of at least base \(5\), got 3$"
    ):
        decorrelated(5, 3)


def test_no_delay_at_all_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^from_delays: delays must be at least one duration, got none$"):
        from_delays()


def test_a_node_of_ones_own_joins_every_combinator() -> None:
    class _Mine(Node[str, int]):
        def decide(self, tick: Tick[str]) -> tuple[float | None, int, Node[str, int]]:
            return float(len(tick.input)), tick.recurrence, self

    mine = Schedule(_Mine())
    together = (mine.capped(2) & recurs(3)).and_then(mine | spaced(10))
    assert [step.delay for step in trace(together, ["a", "bb", "ccc", "dddd"])] == [1.0, 2.0, 2.0, 4.0]
