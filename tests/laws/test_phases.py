"""Phases: one schedule after another, and starting over."""

from __future__ import annotations

from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st
from returns.result import Failure, Result, Success

from effectloop import Schedule, Tick, forever, on_result, recurs, route, stop
from effectloop.testing import runs, schedules
from effectloop.testing.strategies import GRAIN, times

from .runs import decided, played

Numbers = Schedule[int, object]
Run = list[Tick[int]]


def shifted(run: Run, *, recurrence: int = 0, elapsed: float = 0.0) -> Run:
    """Answer *run* as a phase sees it that began at that recurrence and time."""
    return [
        tick._replace(recurrence=tick.recurrence - recurrence, elapsed=tick.elapsed - elapsed) for tick in run
    ]


@given(schedules(), schedules(), schedules(), runs())
def test_and_then_is_associative(a: Numbers, b: Numbers, c: Numbers, run: Run) -> None:
    assert played(a.and_then(b).and_then(c), run) == played(a.and_then(b.and_then(c)), run)


@given(schedules(), runs())
def test_stop_is_the_right_identity_of_and_then(a: Numbers, run: Run) -> None:
    assert decided(a.and_then(stop()), run) == decided(a, run)


@given(schedules(clocks=False), runs())
def test_stop_is_the_left_identity_of_and_then_for_schedules_that_read_no_clock(a: Numbers, run: Run) -> None:
    assert played(stop().and_then(a), run) == played(a, run)


@given(schedules(), runs())
def test_a_phase_s_clock_starts_at_the_hand_over(a: Numbers, run: Run) -> None:
    assert played(stop().and_then(a), run) == played(a, shifted(run, elapsed=run[0].elapsed))


@given(schedules(), st.integers(0, 8), runs(longest=16))
def test_the_second_phase_decides_on_the_very_tick_at_which_the_first_is_done(
    a: Numbers, n: int, run: Run
) -> None:
    steps = played(recurs(n).and_then(a), run)
    assert [delay for delay, _ in steps[:n]] == [0.0] * min(n, len(run))
    if len(run) > n:
        assert steps[n:] == played(a, shifted(run[n:], recurrence=n, elapsed=run[n].elapsed))


@given(schedules(), schedules(), runs())
def test_and_then_tagged_decides_as_and_then_and_tells_which(a: Numbers, b: Numbers, run: Run) -> None:
    plain, tagged = played(a.and_then(b), run), played(a.and_then_tagged(b), run)
    assert [delay for delay, _ in plain] == [delay for delay, _ in tagged]
    for (_, output), (_, tag) in zip(plain, tagged, strict=True):
        assert isinstance(tag, Success | Failure)
        assert (tag.unwrap() if isinstance(tag, Success) else tag.failure()) == output
    kinds = [kind for kind, _ in groupby(type(tag) for _, tag in tagged)]
    assert kinds in ([Failure], [Success], [Failure, Success])


@given(schedules(), runs(), times(64.0), st.integers(0, 99))
def test_shifting_a_whole_run_changes_nothing_within_a_phase(
    a: Numbers, run: Run, later: float, recurrences: int
) -> None:
    moved = [
        tick._replace(recurrence=tick.recurrence + recurrences, elapsed=tick.elapsed + later) for tick in run
    ]
    assert played(stop().and_then(a), moved) == played(stop().and_then(a), run)


@given(schedules(), runs())
def test_the_wall_clock_changes_nothing_for_schedules_that_read_none(a: Numbers, run: Run) -> None:
    assert played(a, [tick._replace(wall=tick.wall + 3600.0) for tick in run]) == played(a, run)


@given(schedules(), times(8.0), runs(longest=16))
def test_reset_after_equals_starting_afresh(a: Numbers, limit: float, run: Run) -> None:
    began, fresh, expected = (0, 0.0), a.node, list[tuple[float | None, object]]()
    node = fresh
    for tick in run:
        if tick.elapsed - began[1] >= limit:
            node, began = fresh, (tick.recurrence, tick.elapsed)
        [own] = shifted([tick], recurrence=began[0], elapsed=began[1])
        delay, output, node = node.decide(own)
        expected.append((delay, output))
        if delay is None:
            break
    assert played(a.reset_after(limit), run) == expected


@given(schedules(), runs(longest=16))
def test_reset_on_input_equals_starting_afresh(a: Numbers, run: Run) -> None:
    began, node, expected = (0, 0.0), a.node, list[tuple[float | None, object]]()
    for tick in run:
        if tick.input > 5:
            node, began = a.node, (tick.recurrence, tick.elapsed)
        [own] = shifted([tick], recurrence=began[0], elapsed=began[1])
        delay, output, node = node.decide(own)
        expected.append((delay, output))
        if delay is None:
            break
    assert played(a.reset_on_input(lambda number: number > 5), run) == expected


@given(schedules(), runs(longest=16))
def test_reset_when_steps_the_fresh_schedule_at_once_also_at_the_end(a: Numbers, run: Run) -> None:
    def due(output: object) -> bool:
        return len(str(output)) % 2 == 0

    began, node, expected = (0, 0.0), a.node, list[tuple[float | None, object]]()
    for tick in run:
        [own] = shifted([tick], recurrence=began[0], elapsed=began[1])
        delay, output, rest = node.decide(own)
        if due(output):
            began = (tick.recurrence, tick.elapsed)
            delay, output, rest = a.node.decide(tick._replace(recurrence=0, elapsed=0.0))
        node = rest
        expected.append((delay, output))
        if delay is None:
            break
    assert played(a.reset_when(due), run) == expected


def as_results(run: Run) -> list[Tick[Result[int, int]]]:
    return [
        Tick(
            Success(tick.input) if tick.input >= 0 else Failure(tick.input),
            tick.recurrence,
            tick.elapsed,
            tick.wall,
            tick.draw,
        )
        for tick in run
    ]


class Side:
    """A side as the design says it: its recurrence is its own ticks, its elapsed counts from its first."""

    def __init__(self, schedule: Numbers) -> None:
        self._fresh = schedule.node
        self.begin_afresh()

    def begin_afresh(self) -> None:
        self._node, self._count, self.began = self._fresh, 0, 0.0

    def decide(self, tick: Tick[int]) -> tuple[float | None, object]:
        if self._count == 0:
            self.began = tick.elapsed
        own = tick._replace(recurrence=self._count, elapsed=tick.elapsed - self.began)
        delay, output, self._node = self._node.decide(own)
        self._count += 1
        return delay, output


@given(schedules(), schedules(), runs(longest=16))
def test_sides_of_on_result_count_their_own_ticks_under_any_interleaving(
    a: Numbers, b: Numbers, run: Run
) -> None:
    sides, expected = {True: Side(a), False: Side(b)}, list[tuple[float | None, object]]()
    for tick in run:
        expected.append(sides[tick.input >= 0].decide(tick))
        if expected[-1][0] is None:
            break
    assert played(on_result(a, b), as_results(run)) == expected


@given(schedules(), schedules(), schedules(), runs(longest=16))
def test_sides_of_route_count_their_own_ticks_under_any_interleaving(
    a: Numbers, b: Numbers, c: Numbers, run: Run
) -> None:
    sides, expected = [Side(a), Side(b), Side(c)], list[tuple[float | None, object]]()
    for tick in run:
        expected.append(sides[tick.input % 3].decide(tick))
        if expected[-1][0] is None:
            break
    routed = route(lambda number: number % 3, {0: a, 1: b}, otherwise=c)
    assert played(routed, run) == expected


@given(schedules(), schedules(), times(8.0), runs(longest=16))
def test_reset_on_success_starts_each_streak_afresh_once_it_was_stable(
    a: Numbers, b: Numbers, stable_for: float, run: Run
) -> None:
    failing, succeeding = Side(a), Side(b)
    recovered: float | None = None
    expected = list[tuple[float | None, object]]()
    for tick in run:
        if tick.input >= 0:
            recovered = tick.elapsed if recovered is None else recovered
            expected.append(succeeding.decide(tick))
        else:
            if recovered is not None and tick.elapsed - recovered >= stable_for:
                failing.begin_afresh()
            recovered = None
            succeeding.begin_afresh()
            expected.append(failing.decide(tick))
        if expected[-1][0] is None:
            break
    assert played(a.reset_on_success(b, stable_for=stable_for), as_results(run)) == expected


@given(schedules(), runs(longest=16))
def test_without_a_schedule_for_successes_they_are_answered_at_once(a: Numbers, run: Run) -> None:
    assert played(a.reset_on_success(), as_results(run)) == played(
        a.reset_on_success(forever()), as_results(run)
    )


def test_the_strategies_draw_times_that_are_exact() -> None:
    assert GRAIN == 2.0**-20
    assert (2.0**31 + GRAIN) - 2.0**31 == GRAIN
