"""What type checkers must say of schedules; checked by `test_checkers.py`, never run."""

# pyright: reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import assert_type

from returns.result import Result

from effectloop import (
    MAX_DELAY,
    STATE,
    Continue,
    Decision,
    Done,
    Duration,
    Node,
    Schedule,
    Step,
    Tick,
    cron,
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
    on_result,
    once,
    recur_until,
    recur_while,
    recurs,
    route,
    spaced,
    stop,
    trace,
    unfold,
    windowed,
)


def is_small(number: int) -> bool:
    return number < 3


def is_lost(error: OSError) -> bool:
    return error.errno == 104


def seconds_left(tick: Tick[int], delay: float) -> Duration:
    return min(delay, tick.input)


def kind(number: int) -> str:
    return "odd" if number % 2 else "even"


def double(number: int) -> int:
    return number * 2


# Leaves.

assert_type(forever(), Schedule[object, int])
assert_type(once(), Schedule[object, int])
assert_type(stop(), Schedule[object, None])
assert_type(recurs(3), Schedule[object, int])
assert_type(spaced(1), Schedule[object, int])
assert_type(spaced(timedelta(minutes=1)), Schedule[object, int])
assert_type(fixed(1.5), Schedule[object, int])
assert_type(windowed(1), Schedule[object, int])
assert_type(linear(1), Schedule[object, float])
assert_type(exponential(0.1, factor=3), Schedule[object, float])
assert_type(fibonacci(1), Schedule[object, float])
assert_type(from_delays(1, timedelta(2), 3.5), Schedule[object, float])
assert_type(decorrelated(1, 30), Schedule[object, float])
assert_type(elapsed(), Schedule[object, float])
assert_type(during(60), Schedule[object, float])
assert_type(cron("0 9 * * *", tz="Europe/Berlin"), Schedule[object, float])
assert_type(recur_while(is_small), Schedule[int, int])
assert_type(recur_until(is_lost), Schedule[OSError, OSError])
assert_type(unfold(1, double), Schedule[object, int])
same: Schedule[int, int] = identity()
assert_type(same.map(str), Schedule[int, str])
assert_type(on_result(spaced(1), exponential(1)), Schedule[Result[object, object], int | float])
assert_type(on_result(recur_while(is_small), spaced(1)), Schedule[Result[int, object], int])
assert_type(route(kind, {"odd": spaced(1)}), Schedule[int, int | None])
assert_type(route(kind, {"odd": spaced(1), "even": fixed(1)}, exponential(1)), Schedule[int, int | float])
assert_type(route(kind, {"odd": recur_while(is_small)}, otherwise=stop()), Schedule[int, int | None])

# Two schedules: the narrower input wins, on either side.

assert_type(spaced(1) & recurs(3), Schedule[object, float])
assert_type(spaced(1) | recurs(3), Schedule[object, float])
assert_type(spaced(1) & recur_while(is_small), Schedule[int, float])
assert_type(recur_while(is_small) & spaced(1), Schedule[int, float])
assert_type(spaced(1) | recur_while(is_small), Schedule[int, float])
assert_type(recur_while(is_small) | recur_until(is_small), Schedule[int, float])
assert_type(spaced(1).and_then(exponential(1)), Schedule[object, int | float])
assert_type(spaced(1).and_then(recur_while(is_small)), Schedule[int, int])
assert_type(recur_while(is_small).and_then(exponential(1)), Schedule[int, int | float])
assert_type(spaced(1).and_then_tagged(exponential(1)), Schedule[object, Result[float, int]])
assert_type(spaced(1).intersect_with(linear(1), lambda n, d: (n, d)), Schedule[object, tuple[int, float]])
assert_type(spaced(1).union_with(recur_while(is_small), lambda n, d: (n, d)), Schedule[int, tuple[int, int]])
assert_type(spaced(1).keep_left(recur_while(is_small)), Schedule[int, int])
assert_type(exponential(1).keep_right(recurs(3)), Schedule[object, int])
assert_type(spaced(1).compose(recur_while(is_small)), Schedule[object, int])
assert_type(same.both_in_out(exponential(1)), Schedule[tuple[int, object], tuple[int, float]])

# Delays and limits keep both types.

refined = (
    recur_while(is_small)
    .capped(30)
    .at_least(timedelta(milliseconds=5))
    .jittered()
    .jittered_between(0.5, 1)
    .held()
    .up_to(times=3, elapsed=60)
    .within(60)
    .reset_after(3600)
    .modify_delay(lambda number, delay: delay + number)
    .while_output(lambda number: number < 5)
    .until_output(is_small)
    .reset_when(lambda number: number == 0)
)
assert_type(refined, Schedule[int, int])
assert_type(exponential(1).delay_from(seconds_left), Schedule[int, float])
assert_type(recur_while(is_small).delay_from(seconds_left), Schedule[int, int])

# What reads the input anchors it.

assert_type(exponential(1).while_input(is_lost), Schedule[OSError, float])
assert_type(exponential(1).until_input(is_lost), Schedule[OSError, float])
assert_type(exponential(1).reset_on_input(is_lost), Schedule[OSError, float])
assert_type(exponential(1).accepts(OSError), Schedule[OSError, float])
assert_type(exponential(1).accepts(OSError).while_input(lambda e: e.errno == 104), Schedule[OSError, float])
assert_type(
    exponential(1).accepts(OSError).check(lambda e, d: e.errno == 104 and d < 3), Schedule[OSError, float]
)
assert_type(exponential(1).reset_on_success(), Schedule[Result[object, object], float | int])
assert_type(
    exponential(1).accepts(OSError).reset_on_success(recur_while(is_small)),
    Schedule[Result[int, OSError], float | int],
)

# Outputs.

assert_type(recurs(3).map(str), Schedule[object, str])
assert_type(recurs(3).fold("", lambda text, number: text + str(number)), Schedule[object, str])
assert_type(exponential(1).accepts(OSError).passthrough(), Schedule[OSError, OSError])

# Steps and simulation.

assert_type(recurs(3).step(Tick("input", 0, 0.0, 0.0, 0.5)), Continue[object, int] | Done[int])
match recur_while(is_small).step(Tick(3, 0, 0.0, 0.0, 0.5)):
    case Continue(delay, output, rest):
        assert_type(delay, float)
        assert_type(output, int)
        assert_type(rest, Schedule[int, int])
    case Done(output):
        assert_type(output, int)
assert_type(Tick("input", 0, 0.0, 0.0, 0.5).input, str)
assert_type(delays(exponential(1), 3, draws=[0.1, 0.2]), list[float])
assert_type(trace(recur_while(is_small), [1, 2], work=[0.5], draws=0.1, wall=3), list[Step[int]])
longest: float = MAX_DELAY
assert_type(STATE, Mapping[str, bool])


class _Mine(Node[int, str]):
    def decide(self, tick: Tick[int]) -> Decision[int, str]:
        return tick.input / 2, "half", self


assert_type(Schedule(_Mine()), Schedule[int, str])
assert_type(Schedule(_Mine()).capped(3) & spaced(1), Schedule[int, float])

# A schedule that reads less fits where more is given, and its output where more is taken.

wider: Schedule[int, object] = spaced(1)
