"""Every parameter is checked when a schedule is built, and the message names it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from math import inf, nan
from typing import Any

import pytest

import effectloop
from effectloop import (
    Schedule,
    decorrelated,
    delays,
    during,
    exponential,
    fibonacci,
    fixed,
    forever,
    from_delays,
    linear,
    on_result,
    recur_until,
    recur_while,
    recurs,
    route,
    spaced,
    trace,
    unfold,
    windowed,
)
from effectloop.core.duration import positive

Build = Callable[[Any], object]


def refused(build: Build, value: object, kind: type[Exception]) -> str:
    with pytest.raises(kind) as raised:
        build(value)
    assert type(raised.value) is kind
    return str(raised.value)


DURATIONS: dict[str, Build] = {
    "spaced: gap": spaced,
    "fixed: interval": fixed,
    "windowed: interval": windowed,
    "linear: base": linear,
    "exponential: base": exponential,
    "fibonacci: one": fibonacci,
    "from_delays: delays": lambda value: from_delays(1, value, 2),
    "decorrelated: base": lambda value: decorrelated(value, 10),
    "decorrelated: limit": lambda value: decorrelated(0, value),
    "during: limit": during,
    "capped: limit": lambda value: forever().capped(value),
    "at_least: floor": lambda value: forever().at_least(value),
    "within: limit": lambda value: forever().within(value),
    "up_to: elapsed": lambda value: forever().up_to(times=3, elapsed=value),
    "reset_after: limit": lambda value: forever().reset_after(value),
    "reset_on_success: stable_for": lambda value: forever().reset_on_success(stable_for=value),
}


@pytest.mark.parametrize("of", DURATIONS)
@pytest.mark.parametrize(
    ("value", "kind", "wish"),
    [
        (-1, ValueError, "at least 0 s"),
        (-1e-300, ValueError, "at least 0 s"),
        (timedelta(microseconds=-1), ValueError, "at least 0 s"),
        (nan, ValueError, "at least 0 s"),
        (-inf, ValueError, "at least 0 s"),
        (inf, ValueError, "at most 1000000000 s (31 years)"),
        (1e9 + 1, ValueError, "at most 1000000000 s (31 years)"),
        (10**400, ValueError, "at most 1000000000 s (31 years)"),
        (timedelta(days=20_000), ValueError, "at most 1000000000 s (31 years)"),
    ],
)
def test_a_bad_duration_is_refused(of: str, value: object, kind: type[Exception], wish: str) -> None:
    assert refused(DURATIONS[of], value, kind) == f"{of} must be a duration of {wish}, got {value!r}"


@pytest.mark.parametrize("of", DURATIONS)
@pytest.mark.parametrize("value", [True, "1", [1], None, Decimal(1), forever()], ids=repr)
def test_what_is_no_duration_is_refused(of: str, value: object) -> None:
    if of == "up_to: elapsed" and value is None:
        assert forever().up_to(times=3, elapsed=None) == forever().up_to(times=3)  # None is no limit
    else:
        wish = "must be a duration (seconds or a timedelta)"
        assert refused(DURATIONS[of], value, TypeError) == f"{of} {wish}, got {value!r}"


@pytest.mark.parametrize("of", DURATIONS)
def test_zero_and_the_longest_duration_are_accepted(of: str) -> None:
    DURATIONS[of](0)
    DURATIONS[of](-0.0)
    DURATIONS[of](timedelta(0))
    if of != "decorrelated: base":
        DURATIONS[of](1e9)
    assert repr(DURATIONS[of](-0.0)) == repr(DURATIONS[of](0))


COUNTS: dict[str, Build] = {
    "recurs: n": recurs,
    "up_to: times": lambda value: forever().up_to(times=value, elapsed=3),
    "delays: n": lambda value: delays(forever(), value),
}


@pytest.mark.parametrize("of", COUNTS)
@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (-1, ValueError),
        (2.0, TypeError),
        (nan, TypeError),
        (inf, TypeError),
        (True, TypeError),
        ("3", TypeError),
    ],
)
def test_a_bad_count_is_refused(of: str, value: object, kind: type[Exception]) -> None:
    assert refused(COUNTS[of], value, kind) == f"{of} must be a whole number of at least 0, got {value!r}"


@pytest.mark.parametrize("of", ["recurs: n", "delays: n"])
def test_none_is_no_count(of: str) -> None:
    assert refused(COUNTS[of], None, TypeError) == f"{of} must be a whole number of at least 0, got None"


NUMBERS: dict[str, tuple[Build, str]] = {
    "exponential: factor": (lambda value: exponential(1, value), "a finite number of at least 0"),
    "jittered_between: low": (
        lambda value: forever().jittered_between(value, 1),
        "a finite number of at least 0",
    ),
    "jittered_between: high": (
        lambda value: forever().jittered_between(0, value),
        "a finite number of at least 0",
    ),
    "jittered: ratio": (lambda value: forever().jittered(value), "a number from 0 to 1"),
}


@pytest.mark.parametrize("of", NUMBERS)
@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (-0.001, ValueError),
        (nan, ValueError),
        (inf, ValueError),
        (-inf, ValueError),
        (True, TypeError),
        ("0.5", TypeError),
        (None, TypeError),
    ],
)
def test_a_bad_number_is_refused(of: str, value: object, kind: type[Exception]) -> None:
    build, wish = NUMBERS[of]
    assert refused(build, value, kind) == f"{of} must be {wish}, got {value!r}"


def test_a_ratio_above_one_is_refused_and_one_is_not() -> None:
    assert repr(forever().jittered(1)) == "forever().jittered(1)"
    with pytest.raises(ValueError, match=r"^jittered: ratio must be a number from 0 to 1, got 1\.001$"):
        forever().jittered(1.001)


def test_a_jitter_with_its_ends_the_wrong_way_round_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"^jittered_between: high must be a number of at least low \(1\), got 0\.5$"
    ):
        forever().jittered_between(1, 0.5)


def test_a_number_too_large_for_a_float_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"^exponential: factor must be a finite number of at least 0, got 1000"
    ):
        exponential(1, factor=10**400)


async def coroutine(*_: object) -> bool:
    return True


FUNCTIONS: dict[str, Build] = {
    "recur_while: p": recur_while,
    "recur_until: p": recur_until,
    "unfold: f": lambda value: unfold(0, value),
    "route: classify": lambda value: route(value, {}),
    "intersect_with: f": lambda value: forever().intersect_with(forever(), value),
    "union_with: f": lambda value: forever().union_with(forever(), value),
    "modify_delay: f": lambda value: forever().modify_delay(value),
    "delay_from: f": lambda value: forever().delay_from(value),
    "while_input: p": lambda value: forever().while_input(value),
    "until_input: p": lambda value: forever().until_input(value),
    "while_output: p": lambda value: forever().while_output(value),
    "until_output: p": lambda value: forever().until_output(value),
    "check: p": lambda value: forever().check(value),
    "reset_when: p": lambda value: forever().reset_when(value),
    "reset_on_input: p": lambda value: forever().reset_on_input(value),
    "map: f": lambda value: forever().map(value),
    "map_input: f": lambda value: forever().map_input(value),
    "fold: f": lambda value: forever().fold(0, value),
}


@pytest.mark.parametrize("of", FUNCTIONS)
@pytest.mark.parametrize("value", [3, None, "f", forever()], ids=repr)
def test_what_is_no_function_is_refused(of: str, value: object) -> None:
    assert refused(FUNCTIONS[of], value, TypeError) == f"{of} must be a function, got {value!r}"


@pytest.mark.parametrize("of", FUNCTIONS)
def test_a_coroutine_function_is_refused_since_nobody_would_await_it(of: str) -> None:
    wish = "must be a plain function, not a coroutine function"
    assert refused(FUNCTIONS[of], coroutine, TypeError) == f"{of} {wish}, got {coroutine!r}"


SCHEDULES: dict[str, Build] = {
    "intersect_with: other": lambda value: forever().intersect_with(value, max),
    "union_with: other": lambda value: forever().union_with(value, max),
    "keep_left: other": lambda value: forever().keep_left(value),
    "keep_right: other": lambda value: forever().keep_right(value),
    "and_then: other": lambda value: forever().and_then(value),
    "and_then_tagged: other": lambda value: forever().and_then_tagged(value),
    "compose: other": lambda value: forever().compose(value),
    "both_in_out: other": lambda value: forever().both_in_out(value),
    "reset_on_success: on_success": lambda value: forever().reset_on_success(value),
    "on_result: success": lambda value: on_result(value, forever()),
    "on_result: failure": lambda value: on_result(forever(), value),
    "route: branches['a']": lambda value: route(str, {"a": value}),
    "route: otherwise": lambda value: route(str, {}, value),
    "delays: schedule": lambda value: delays(value, 3),
    "trace: schedule": lambda value: trace(value, []),
}


@pytest.mark.parametrize("of", SCHEDULES)
@pytest.mark.parametrize(
    "value", [3, "forever()", forever().node, lambda: forever()], ids=["number", "text", "node", "function"]
)
def test_what_is_no_schedule_is_refused(of: str, value: object) -> None:
    assert refused(SCHEDULES[of], value, TypeError) == f"{of} must be a schedule, got {value!r}"


@pytest.mark.parametrize("of", SCHEDULES)
def test_a_constructor_that_was_not_called_gets_a_hint(of: str) -> None:
    assert refused(SCHEDULES[of], forever, TypeError) == (
        f"{of} must be a schedule, got {forever!r}; did you mean forever()?"
    )
    assert refused(SCHEDULES[of], Schedule, TypeError) == (
        f"{of} must be a schedule, got {Schedule!r}; did you mean Schedule()?"
    )


@pytest.mark.parametrize("of", SCHEDULES)
def test_none_is_no_schedule(of: str) -> None:
    if of == "reset_on_success: on_success":
        assert forever().reset_on_success(None) == forever().reset_on_success()
    else:
        assert refused(SCHEDULES[of], None, TypeError) == f"{of} must be a schedule, got None"


def test_every_public_parameter_is_checked_here() -> None:
    checked = {*DURATIONS, *COUNTS, *NUMBERS, *FUNCTIONS, *SCHEDULES}
    named = {re.sub(r"\W.*", "", of) for of in checked}
    without_parameters = {"forever", "stop", "once", "elapsed", "identity", "held", "passthrough"}
    elsewhere = {"accepts", "step", "node", "cron", "jittered_between"}
    leaves = {name for name in vars(effectloop.core.leaves) if name in effectloop.__all__ and name.islower()}
    methods = {name for name in vars(Schedule) | vars(Schedule.__mro__[1]) if not name.startswith("_")}
    assert leaves | methods <= named | without_parameters | elsewhere


@pytest.mark.parametrize("nothing", [0, 0.0, -0.0, timedelta(0)])
def test_where_nothing_makes_no_sense_it_is_refused(nothing: float | timedelta) -> None:
    with pytest.raises(ValueError) as caught:
        positive(nothing, "limited: seconds")
    assert str(caught.value) == f"limited: seconds must be a duration above 0 s, got {nothing!r}"


def test_a_positive_duration_is_answered_in_seconds_and_a_bad_one_refused_as_any() -> None:
    assert positive(timedelta(minutes=1), "limited: seconds") == 60.0
    with pytest.raises(TypeError, match=r"^limited: seconds must be a duration"):
        positive(True, "limited: seconds")
