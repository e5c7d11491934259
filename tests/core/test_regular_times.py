"""`fixed` and `windowed`: one start a slot, whatever the work and the timers do."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle, islice
from math import floor

import pytest

from effectloop import MAX_DELAY, Schedule, Tick, delays, fixed, forever, recurs, trace, windowed


def starts(
    schedule: Schedule[None, object], n: int, *, work: Iterable[float], late: Iterable[float] = (0.0,)
) -> list[float]:
    """The first *n* starts of a run whose timers fire *late* seconds late, or early where it is negative."""
    node, now, answer = schedule.node, 0.0, [0.0]
    for recurrence, (busy, slip) in enumerate(islice(zip(cycle(work), cycle(late), strict=False), n - 1)):
        now += busy
        delay, _, node = node.decide(Tick(None, recurrence, now, 0.0, 0.5))
        assert delay is not None
        now += max(delay + slip, 0.0)
        answer.append(now)
    return answer


def waits(schedule: Schedule[None, object], work: list[float]) -> list[float | None]:
    return [step.delay for step in trace(schedule, [None] * len(work), work=work)]


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        ([4, 4, 4], [6, 6, 6]),  # shorter than the interval
        ([0, 0, 0], [10, 10, 10]),
        ([10, 10, 10], [0, 0, 0]),  # exactly: no slot is lost
        ([12, 3, 5], [0, 5, 5]),  # longer: at once, then the grid again
        ([35, 1, 1], [0, 4, 9]),  # three slots missed: one run, not three
        ([9.999999, 1], [pytest.approx(1e-6), 9]),
    ],
)
def test_fixed_starts_on_its_grid(work: list[float], expected: list[float]) -> None:
    assert waits(fixed(10), work) == expected


def test_fixed_keeps_a_planned_start_when_something_else_woke_the_loop() -> None:
    node = fixed(10).node
    _, _, node = node.decide(Tick(None, 0, 2.0, 0.0, 0.5))
    early = node.decide(Tick(None, 1, 5.0, 0.0, 0.5))
    assert early == (5.0, 1, node)
    assert early[2] is node
    assert node.decide(Tick(None, 1, 12.0, 0.0, 0.5))[0] == 8.0


@pytest.mark.parametrize(
    ("now", "delay"),
    [
        (10 - 2e-6, pytest.approx(2e-6, rel=1e-6)),  # before the planned start: keep it
        (10 - 1e-6, pytest.approx(10 + 1e-6)),  # exactly a microsecond before is no more than that
        (10 - 5e-7, pytest.approx(10 + 5e-7)),  # float noise: this was the planned start
        (10.0, 10.0),
        (10 + 1e-9, pytest.approx(10 - 1e-9)),
        (20 - 1e-9, pytest.approx(1e-9, rel=1e-3)),
        (20.0, 0.0),
        (21.0, 0.0),
    ],
)
def test_fixed_takes_less_than_a_microsecond_as_noise(now: float, delay: float) -> None:
    node = fixed(10).node.decide(Tick(None, 0, 0.0, 0.0, 0.5))[2]
    assert node.decide(Tick(None, 1, now, 0.0, 0.5))[0] == delay


def test_fixed_counts_a_start_just_before_a_grid_point_as_that_point_after_an_overrun() -> None:
    delay, _, node = fixed(1).node.decide(Tick(None, 0, 3 - 5e-7, 0.0, 0.5))
    assert delay == 0.0
    assert node.decide(Tick(None, 1, 3 - 5e-7, 0.0, 0.5))[0] == pytest.approx(1 + 5e-7)


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        ([4, 4, 4], [6, 6, 6]),
        ([10, 4, 4], [10, 6, 6]),  # exactly on a boundary: a whole window
        ([35, 1, 12], [5, 9, 8]),
        ([9.9999995, 0], [pytest.approx(10.0000005), pytest.approx(10.0)]),  # as good as on it
        ([9.999998, 0], [pytest.approx(2e-6, rel=1e-6), 10]),
    ],
)
def test_windowed_waits_for_the_next_boundary(work: list[float], expected: list[float]) -> None:
    assert waits(windowed(10), work) == expected


@pytest.mark.parametrize(
    "schedule", [fixed(0), windowed(0), fixed(1e-6), windowed(1e-6), fixed(5e-324)], ids=repr
)
def test_an_interval_of_a_microsecond_or_less_means_at_once(schedule: Schedule[None, int]) -> None:
    assert waits(schedule, [0, 0.3, 5]) == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("late", [(-0.001,), (0.0,), (0.001,), (-0.001, 0.001)], ids=str)
@pytest.mark.parametrize("schedule", [fixed(1), windowed(1)], ids=repr)
def test_timers_a_millisecond_early_or_late_neither_double_nor_lose_a_start(
    schedule: Schedule[None, int], late: tuple[float, ...]
) -> None:
    seen = starts(schedule, 1000, work=[0.3], late=late)
    assert [round(start) for start in seen] == list(range(1000))


@pytest.mark.parametrize("late", [(0.0,), (0.001,), (1e-7, -1e-7), (3e-10,)], ids=str)
@pytest.mark.parametrize("work", [(0.0,), (0.03,), (0.1,), (0.25, 0.0), (0.01, 0.1, 0.37)], ids=str)
@pytest.mark.parametrize("interval", [0.1, 1 / 3, 0.7, 60.0])
@pytest.mark.parametrize("schedule", [fixed, windowed])
def test_no_start_is_doubled_in_a_long_run(
    schedule: type, interval: float, work: tuple[float, ...], late: tuple[float, ...]
) -> None:
    seen = starts(schedule(interval), 2000, work=work, late=late)
    slots = [floor((start + 1e-6) / interval) for start in seen]
    assert len(set(slots)) == len(slots)


@pytest.mark.parametrize("schedule", [fixed, windowed])
def test_no_start_is_doubled_in_a_hundred_thousand_steps(schedule: type) -> None:
    seen = starts(schedule(0.1), 100_000, work=(0.0, 0.03, 0.1, 0.02), late=(0.0, 1e-4))
    slots = [floor((start + 1e-6) / 0.1) for start in seen]
    assert len(set(slots)) == len(slots)


def test_fixed_does_not_drift() -> None:
    assert starts(fixed(0.1), 100_000, work=[0.03])[-1] == pytest.approx(9999.9, abs=1e-6)


def test_fixed_under_an_earlier_side_of_or_starts_where_it_would_alone() -> None:
    seen = starts(fixed(10) | fixed(4), 8, work=[0.0])
    assert seen == [0, 4, 8, 10, 12, 16, 20, 24]


@pytest.mark.parametrize("schedule", [fixed(MAX_DELAY), windowed(MAX_DELAY)], ids=repr)
@pytest.mark.parametrize("now", [0.0, 1e9 - 5e-7, 1e9, 2e9 - 5e-7, 3e12])
def test_the_longest_interval_gives_no_longer_delay(schedule: Schedule[object, int], now: float) -> None:
    delay = schedule.node.decide(Tick(None, 0, now, 0.0, 0.5))[0]
    assert delay is not None
    assert 0.0 <= delay <= MAX_DELAY


def test_a_run_that_ended_is_done_whatever_the_grid_says() -> None:
    assert delays(fixed(10) & recurs(2), 9) == [10.0, 10.0]
    assert delays(fixed(10) | forever(), 3) == [0.0, 0.0, 0.0]
