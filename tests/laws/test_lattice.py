"""``&`` and ``|`` are a distributive lattice, with ``forever`` and ``stop`` as its ends."""

from __future__ import annotations

from hypothesis import given

from effectloop import Schedule, Tick, forever, stop
from effectloop.testing import runs, schedules

from .runs import decided, played

Numbers = Schedule[int, object]
Run = list[Tick[int]]


@given(schedules(), schedules(), schedules(), runs())
def test_and_is_associative(a: Numbers, b: Numbers, c: Numbers, run: Run) -> None:
    assert decided((a & b) & c, run) == decided(a & (b & c), run)


@given(schedules(), schedules(), schedules(), runs())
def test_or_is_associative(a: Numbers, b: Numbers, c: Numbers, run: Run) -> None:
    assert decided((a | b) | c, run) == decided(a | (b | c), run)


@given(schedules(), schedules(), runs())
def test_and_is_commutative(a: Numbers, b: Numbers, run: Run) -> None:
    assert decided(a & b, run) == decided(b & a, run)


@given(schedules(), schedules(), runs())
def test_or_is_commutative(a: Numbers, b: Numbers, run: Run) -> None:
    assert decided(a | b, run) == decided(b | a, run)


@given(schedules(), runs())
def test_and_is_idempotent(a: Numbers, run: Run) -> None:
    assert decided(a & a, run) == decided(a, run)


@given(schedules(), runs())
def test_or_is_idempotent(a: Numbers, run: Run) -> None:
    assert decided(a | a, run) == decided(a, run)


@given(schedules(), schedules(), runs())
def test_and_absorbs_or(a: Numbers, b: Numbers, run: Run) -> None:
    assert decided(a & (a | b), run) == decided(a, run)


@given(schedules(), schedules(), runs())
def test_or_absorbs_and(a: Numbers, b: Numbers, run: Run) -> None:
    assert decided(a | (a & b), run) == decided(a, run)


@given(schedules(), schedules(), schedules(), runs())
def test_and_distributes_over_or(a: Numbers, b: Numbers, c: Numbers, run: Run) -> None:
    assert decided(a & (b | c), run) == decided((a & b) | (a & c), run)


@given(schedules(), schedules(), schedules(), runs())
def test_or_distributes_over_and(a: Numbers, b: Numbers, c: Numbers, run: Run) -> None:
    assert decided(a | (b & c), run) == decided((a | b) & (a | c), run)


@given(schedules(), runs())
def test_forever_is_the_identity_of_and_and_the_zero_of_or(a: Numbers, run: Run) -> None:
    assert decided(a & forever(), run) == decided(a, run)
    assert decided(a | forever(), run) == decided(forever(), run)


@given(schedules(), runs())
def test_stop_is_the_identity_of_or_and_the_zero_of_and(a: Numbers, run: Run) -> None:
    assert decided(a | stop(), run) == decided(a, run)
    assert decided(a & stop(), run) == decided(stop(), run)


@given(schedules(), schedules(), runs())
def test_both_output_the_delay_chosen_and_nothing_at_the_end(a: Numbers, b: Numbers, run: Run) -> None:
    for both in (a & b, a | b):
        assert all(output == (delay or 0.0) for delay, output in played(both, run))


@given(schedules(), schedules(), runs())
def test_the_words_that_keep_outputs_decide_as_the_operators_do(a: Numbers, b: Numbers, run: Run) -> None:
    both, either = decided(a & b, run), decided(a | b, run)
    assert decided(a.intersect_with(b, _pair), run) == both
    assert decided(a.keep_left(b), run) == both
    assert decided(a.keep_right(b), run) == both
    assert decided(a.union_with(b, _pair), run) == either


@given(schedules(), schedules(), runs())
def test_outputs_are_those_of_the_sides(a: Numbers, b: Numbers, run: Run) -> None:
    pairs = [output for _, output in played(a.intersect_with(b, _pair), run)]
    lefts = [output for _, output in played(a.keep_left(b), run)]
    rights = [output for _, output in played(a.keep_right(b), run)]
    assert pairs == list(zip(lefts, rights, strict=True))
    assert lefts == [output for _, output in played(a, run)][: len(lefts)]
    assert rights == [output for _, output in played(b, run)][: len(rights)]


def _pair(left: object, right: object) -> tuple[object, object]:
    return left, right
