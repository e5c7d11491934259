"""What every step promises, whatever the schedule."""

from __future__ import annotations

import copy
import pickle
from math import isfinite

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import effectloop
from effectloop import MAX_DELAY, Node, Schedule, Tick, forever, recurs
from effectloop.testing import check_laws, runs, schedules, ticks
from effectloop.testing.laws import _shape
from effectloop.testing.strategies import leaves, times

from .runs import decided, played

Numbers = Schedule[int, object]
Run = list[Tick[int]]


@given(schedules(), ticks())
def test_a_delay_is_finite_and_at_least_0_for_every_tick(a: Numbers, tick: Tick[int]) -> None:
    delay, _, _ = a.node.decide(tick)
    assert delay is None or (isfinite(delay) and delay >= 0)


@given(schedules(), runs())
def test_a_step_is_pure(a: Numbers, run: Run) -> None:
    node = a.node
    for tick in run:
        before = copy.deepcopy(node)
        first, again = node.decide(tick), node.decide(tick)
        assert first == again
        assert node == before
        delay, _, node = first
        if delay is None:
            break


@given(schedules(), runs())
def test_the_rest_has_the_shape_of_the_schedule(a: Numbers, run: Run) -> None:
    node, shape = a.node, _shape(a.node)
    for tick in run:
        delay, _, node = node.decide(tick)
        assert _shape(node) == shape
        if delay is None:
            break


@given(schedules(), runs())
def test_a_schedule_that_is_done_answers_itself(a: Numbers, run: Run) -> None:
    node = a.node
    for tick in run:
        delay, _, rest = node.decide(tick)
        if delay is None:
            assert rest is node
            break
        node = rest


@given(schedules(), schedules(), runs(longest=16))
def test_a_side_of_or_that_is_done_stays_done(a: Numbers, b: Numbers, run: Run) -> None:
    node: Node[int, object] = (a | b).node
    left, right = decided(a, run), decided(b, run)
    for at, tick in enumerate(run):
        delay, _, node = node.decide(tick)
        sides = [side[at] for side in (left, right) if at < len(side)]
        going = [one for one in sides if one is not None]
        assert delay == (min(going) if going else None)
        if delay is None:
            break


@given(schedules(), runs(), times(8.0), st.floats(0, 1))
def test_caps_floors_and_jitter_never_change_whether_it_goes_on(
    a: Numbers, run: Run, length: float, ratio: float
) -> None:
    ends = [delay is None for delay in decided(a, run)]
    for changed in (a.capped(length), a.at_least(length), a.jittered(ratio), a.jittered_between(ratio, 2)):
        assert [delay is None for delay in decided(changed, run)] == ends


@given(schedules(), runs(), times(8.0))
def test_the_outermost_cap_is_a_hard_bound(a: Numbers, run: Run, limit: float) -> None:
    assert all(delay is None or delay <= limit for delay in decided(a.jittered(1).capped(limit), run))


@given(schedules(), runs(), times(8.0), times(8.0))
def test_the_outermost_word_is_the_last(a: Numbers, run: Run, low: float, high: float) -> None:
    bounded = a.at_least(low).capped(high)
    assert all(delay is None or delay <= high for delay in decided(bounded, run))
    floored = a.capped(high).at_least(low)
    assert all(delay is None or delay >= low for delay in decided(floored, run))


@given(schedules(), runs(), st.floats(0, 1))
def test_jitter_stays_within_its_bounds(a: Numbers, run: Run, ratio: float) -> None:
    plain, spread = decided(a, run), decided(a.jittered_between(ratio, 1 + ratio), run)
    for delay, moved in zip(plain, spread, strict=True):
        if delay is not None and moved is not None:
            assert ratio * delay <= moved <= min(MAX_DELAY, (1 + ratio) * delay) * (1 + 1e-12)


@given(schedules(), runs())
def test_map_of_the_identity_changes_nothing(a: Numbers, run: Run) -> None:
    assert played(a.map(lambda output: output), run) == played(a, run)
    same: Numbers = a.map_input(lambda number: number)
    assert played(same, run) == played(a, run)


@given(schedules(), runs())
def test_map_and_map_input_compose(a: Numbers, run: Run) -> None:
    twice = a.map(str).map(len)
    assert played(twice, run) == played(a.map(lambda output: len(str(output))), run)

    def next_one(number: int) -> int:
        return number + 1

    def half(number: int) -> int:
        return number // 2

    assert played(a.map_input(half).map_input(next_one), run) == played(
        a.map_input(lambda number: half(next_one(number))), run
    )


@given(schedules(), runs())
def test_passthrough_outputs_the_input_to_the_end(a: Numbers, run: Run) -> None:
    steps = played(a.passthrough(), run)
    assert [output for _, output in steps] == [tick.input for tick in run[: len(steps)]]


@given(schedules(), runs())
def test_a_fold_sees_each_step_once_the_last_one_included(a: Numbers, run: Run) -> None:
    outputs = [output for _, output in played(a, run)]
    folded = [output for _, output in played(a.fold((), lambda seen, output: (*seen, output)), run)]
    assert folded == [tuple(outputs[: n + 1]) for n in range(len(outputs))]


@given(schedules(), runs())
def test_held_goes_on_at_its_last_delay(a: Numbers, run: Run) -> None:
    plain, held = decided(a, run), decided(a.held(), run)
    if plain[0] is None:
        assert held == [None]
        return
    last = [delay for delay in plain if delay is not None][-1]
    going = plain if plain[-1] is not None else [*plain[:-1], *[last] * (len(run) - len(plain) + 1)]
    assert held == going


@given(schedules(), runs(), st.integers(0, 9))
def test_up_to_times_is_recurs_on_the_other_side(a: Numbers, run: Run, times_: int) -> None:
    assert decided(a.up_to(times=times_), run) == decided(a & recurs(times_), run)


@given(schedules())
def test_what_holds_functions_of_modules_can_be_copied_hashed_and_pickled(a: Numbers) -> None:
    assert copy.copy(a) == a
    assert copy.deepcopy(a) == a
    assert pickle.loads(pickle.dumps(a)) == a
    assert hash(pickle.loads(pickle.dumps(a))) == hash(a)


@given(schedules(), runs())
def test_a_schedule_in_the_middle_of_a_run_is_a_value_too(a: Numbers, run: Run) -> None:
    node = a.node
    for tick in run:
        delay, _, node = node.decide(tick)
        if delay is None:
            break
    rest = Schedule(node)
    assert pickle.loads(pickle.dumps(rest)) == rest
    assert isinstance(repr(rest), str)


@given(schedules())
def test_the_text_of_a_schedule_without_functions_builds_it(a: Numbers) -> None:
    assume("_" not in repr(a).replace("at_least", "").replace("up_to", "").replace("and_then", ""))
    assert eval(repr(a), vars(effectloop).copy()) == a


@given(leaves())
def test_the_text_of_a_leaf_without_functions_builds_it(a: Numbers) -> None:
    assume("<" not in repr(a) and "_is_" not in repr(a) and "_next" not in repr(a))
    assert eval(repr(a), vars(effectloop).copy()) == a


@pytest.mark.parametrize("recurrence", [10**6, 10**9])
@given(a=leaves())
def test_a_late_step_is_as_good_as_any(a: Numbers, recurrence: int) -> None:
    delay, _, rest = a.node.decide(Tick(3, recurrence, float(recurrence), 0.0, 0.5))
    assert delay is None or 0 <= delay <= MAX_DELAY
    again, _, _ = rest.decide(Tick(3, recurrence + 1, float(recurrence) + 1, 0.0, 0.5))
    assert again is None or 0 <= again <= MAX_DELAY


def test_the_laws_hold_for_the_identity_of_and() -> None:
    check_laws(forever())
