"""`delays` and `trace`: a run without waiting."""

from __future__ import annotations

from datetime import timedelta
from itertools import count, repeat
from math import inf, nan

import pytest

from effectloop import (
    Continue,
    Done,
    Node,
    Schedule,
    Step,
    Tick,
    delays,
    exponential,
    forever,
    recurs,
    spaced,
    trace,
)


class _Ticks(Node[object, Tick[object]]):
    """Answers the tick itself, after five seconds."""

    def decide(self, tick: Tick[object]) -> tuple[float | None, Tick[object], Node[object, Tick[object]]]:
        return 5.0, tick, self


ticks = Schedule(_Ticks())


def test_delays_answers_the_first_n_delays_or_fewer() -> None:
    assert delays(spaced(5), 0) == []
    assert delays(spaced(5), 3) == [5, 5, 5]
    assert delays(spaced(5) & recurs(2), 3) == [5, 5]


def test_delays_lets_work_take_no_time() -> None:
    assert delays(spaced(5).up_to(elapsed=10), 9) == [5, 5]


def test_trace_counts_time_from_the_start_of_the_first_attempt() -> None:
    steps = trace(ticks, "abc", work=[1, timedelta(seconds=2), 3], draws=[0.1, 0.2, 0.3], wall=1000)
    assert [step.output for step in steps] == [
        Tick("a", 0, 1.0, 1001.0, 0.1),
        Tick("b", 1, 8.0, 1008.0, 0.2),
        Tick("c", 2, 16.0, 1016.0, 0.3),
    ]
    assert [step.elapsed for step in steps] == [1.0, 8.0, 16.0]


def test_trace_takes_one_work_and_one_draw_for_all_steps() -> None:
    steps = trace(ticks, "ab", work=timedelta(seconds=1), draws=0.25)
    assert [step.output for step in steps] == [Tick("a", 0, 1.0, 1.0, 0.25), Tick("b", 1, 7.0, 7.0, 0.25)]


def test_trace_ends_with_the_inputs_or_at_done() -> None:
    assert trace(recurs(1), []) == []
    assert trace(recurs(1), count()) == [Step(0.0, 0.0, 0), Step(0.0, None, 1)]


def test_trace_reads_no_more_inputs_than_it_needs() -> None:
    inputs = iter("abc")
    trace(recurs(0), inputs)
    assert list(inputs) == ["b", "c"]


def test_the_draw_is_one_half_unless_given() -> None:
    assert delays(spaced(10).jittered_between(0, 1), 2) == [5, 5]
    assert [step.delay for step in trace(spaced(10).jittered_between(0, 1), "a")] == [5]


def test_draws_may_be_endless() -> None:
    assert delays(spaced(10).jittered_between(0, 1), 2, draws=repeat(0.1)) == [1, 1]


def test_draws_or_works_that_run_out_are_an_error() -> None:
    with pytest.raises(
        ValueError, match=r"^delays: draws must be one number, or as many as there are steps, got too few$"
    ):
        delays(spaced(1), 3, draws=[0.1, 0.2])
    with pytest.raises(ValueError, match=r"^trace: draws must be one number, or "):
        trace(spaced(1), "abc", draws=[])
    with pytest.raises(ValueError, match=r"^trace: work must be one number, or "):
        trace(spaced(1), "abc", work=iter([1, 2]))


@pytest.mark.parametrize(
    ("draw", "kind"),
    [(1, ValueError), (-0.1, ValueError), (nan, ValueError), (True, TypeError), ("a", TypeError)],
)
def test_a_draw_outside_zero_to_one_is_refused(draw: float, kind: type[Exception]) -> None:
    for draws in ([draw], draw):
        with pytest.raises(kind, match=r"^delays: draws must be a number in \[0, 1\), got "):
            delays(spaced(1), 3, draws=draws)
        with pytest.raises(kind, match=r"^trace: draws must be a number in \[0, 1\), got "):
            trace(spaced(1), "a", draws=draws)


@pytest.mark.parametrize(
    ("wall", "kind"), [(-1, ValueError), (inf, ValueError), (nan, ValueError), (None, TypeError)]
)
def test_a_wall_that_is_no_time_is_refused(wall: float, kind: type[Exception]) -> None:
    with pytest.raises(kind, match=r"^trace: wall must be a finite number of at least 0, got "):
        trace(spaced(1), "a", wall=wall)


def test_work_that_is_no_duration_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^trace: work must be a duration of at least 0 s, got -1$"):
        trace(spaced(1), "a", work=-1)
    with pytest.raises(TypeError, match=r"^trace: work must be a duration"):
        trace(spaced(1), "a", work=[None])  # type: ignore[list-item]


def test_a_step_wraps_what_the_node_answers() -> None:
    schedule = exponential(1) & recurs(1)
    match schedule.step(Tick(None, 0, 0.0, 0.0, 0.5)):
        case Continue(delay, output, rest):
            assert (delay, output) == (1.0, 1.0)
            assert rest is schedule
        case Done():
            raise AssertionError
    assert schedule.step(Tick(None, 1, 1.0, 0.0, 0.5)) == Done(0.0)


def test_a_step_with_state_answers_another_schedule() -> None:
    schedule = forever().fold(0, lambda total, n: total + n)
    step = schedule.step(Tick(None, 3, 0.0, 0.0, 0.5))
    assert isinstance(step, Continue)
    assert step.rest != schedule
    after = step.rest.step(Tick(None, 4, 0.0, 0.0, 0.5))
    assert isinstance(after, Continue)
    assert (step.output, after.output) == (3, 7)


def test_stepping_by_hand_and_tracing_agree() -> None:
    schedule = (exponential(1).jittered() & recurs(3)).and_then(spaced(9).up_to(times=2))
    steps = trace(schedule, "abcdefgh", work=0.5, draws=0.25)
    now = 0.0
    for recurrence, seen in enumerate(steps):
        now += 0.5
        step = schedule.step(Tick("x", recurrence, now, now, 0.25))
        assert seen.output == step.output
        if isinstance(step, Continue):
            assert seen == Step(now, step.delay, step.output)
            now, schedule = now + step.delay, step.rest
        else:
            assert seen.delay is None
    assert len(steps) == 6


@pytest.mark.parametrize("node", [3, None, spaced(1), _Ticks])
def test_a_schedule_wraps_nothing_but_a_node(node: object) -> None:
    with pytest.raises(TypeError, match=r"^Schedule: node must be a Node, got "):
        Schedule(node)  # type: ignore[arg-type]
