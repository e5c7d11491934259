"""The system clock: waits on the machine's own time, and draws of its own."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import anyio
import pytest
from anyio import CancelScope, create_task_group, sleep_forever
from anyio.lowlevel import checkpoint

from effectloop import MAX_DELAY, Clock, SystemClock

pytestmark = pytest.mark.anyio

UNEVEN = [0.0, 1e-9, 0.0001, 0.0004, 0.0006, 0.0014, 0.0016, 0.0023]
"""Delays in seconds that a timer of whole milliseconds rounds up and down."""


@pytest.fixture(
    scope="module",
    params=["asyncio", pytest.param(("asyncio", {"use_uvloop": True}), id="uvloop"), "trio"],
)
def anyio_backend(request: pytest.FixtureRequest) -> object:
    return request.param


def keep_busy(seconds: float) -> None:
    """Let the event loop's idea of the time grow old."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    state = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(state)


# Waiting.


@pytest.mark.parametrize("delay", UNEVEN)
async def test_a_sleep_never_ends_early(delay: float) -> None:
    clock: Clock = SystemClock()
    for _ in range(20):
        keep_busy(0.0003)
        began = clock.monotonic()
        await clock.sleep(delay)
        assert clock.monotonic() - began >= delay


@pytest.mark.parametrize("delay", UNEVEN)
async def test_a_limit_never_ends_early(delay: float) -> None:
    clock: Clock = SystemClock()
    for _ in range(20):
        await checkpoint()
        keep_busy(0.0007)
        began = clock.monotonic()
        with clock.limit(delay) as scope:
            await sleep_forever()
        assert scope.cancelled_caught
        assert clock.monotonic() - began >= delay


async def test_a_limit_counts_from_the_call() -> None:
    clock = SystemClock()
    limit = clock.limit(0.001)
    await clock.sleep(0.01)
    with limit as scope:
        await sleep_forever()
    assert scope.cancelled_caught


async def test_a_limit_does_not_touch_a_body_that_ends_before_it() -> None:
    with SystemClock().limit(60) as scope:
        await checkpoint()
    assert not scope.cancel_called


@pytest.mark.parametrize("seconds", [0, -1.0])
async def test_a_limit_of_nothing_cuts_at_the_first_checkpoint(seconds: float) -> None:
    reached = False
    with SystemClock().limit(seconds) as scope:
        reached = True
        await checkpoint()
        reached = False
    assert reached
    assert scope.cancelled_caught


@pytest.mark.parametrize("seconds", [0, -1.0])
async def test_sleeping_no_time_is_one_checkpoint(seconds: float) -> None:
    clock = SystemClock()
    turns: list[str] = []

    async def take_turns(name: str) -> None:
        for _ in range(3):
            turns.append(name)
            await clock.sleep(seconds)

    async with create_task_group() as group:
        group.start_soon(take_turns, "a")
        group.start_soon(take_turns, "b")
    assert [set(turns[i : i + 2]) for i in (0, 2, 4)] == [{"a", "b"}] * 3
    with CancelScope() as scope:
        scope.cancel()
        await clock.sleep(seconds)
    assert scope.cancelled_caught


@pytest.mark.parametrize("seconds", [60.0, MAX_DELAY])
async def test_the_longest_sleep_there_is_can_be_slept_and_woken(seconds: float) -> None:
    clock = SystemClock()
    async with create_task_group() as group:
        with CancelScope() as nap:

            async def wake() -> None:
                for _ in range(5):
                    await checkpoint()
                nap.cancel()

            group.start_soon(wake)
            await clock.sleep(seconds)
        assert nap.cancelled_caught


async def test_an_early_timer_is_waited_out(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    asked: list[float] = []

    async def half_as_long(delay: float) -> None:
        nonlocal now
        asked.append(delay)
        now += delay / 2

    monkeypatch.setattr(anyio, "sleep", half_as_long)
    monkeypatch.setattr("effectloop.drivers.clock.time", SimpleNamespace(monotonic=lambda: now))
    await SystemClock().sleep(0.002)
    assert (now, asked) == (0.002, [0.002, 0.001, 0.001])


def test_block_is_never_early_and_does_not_call_sleep_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SystemClock()
    began = clock.monotonic()
    clock.block(0.001)
    assert clock.monotonic() - began >= 0.001
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    for seconds in (0, -1.0, 0.5):
        clock.block(seconds)
    assert slept == [0.5]


def test_it_tells_the_machines_times() -> None:
    clock = SystemClock()
    assert time.monotonic() <= clock.monotonic() <= time.monotonic()
    assert time.time() <= clock.wall() <= time.time()


# Draws.


def test_draws_are_uniform_numbers_below_one() -> None:
    clock = SystemClock()
    draws = [clock.draw() for _ in range(10_000)]
    assert all(0 <= draw < 1 for draw in draws)
    assert 0.48 < sum(draws) / len(draws) < 0.52
    assert len(set(draws)) > 9_990


def test_two_clocks_draw_differently_and_one_seed_repeats() -> None:
    def five(clock: SystemClock) -> list[float]:
        return [clock.draw() for _ in range(5)]

    assert five(SystemClock()) != five(SystemClock())
    assert five(SystemClock(seed=7)) == five(SystemClock(seed=7)) != five(SystemClock(seed=8))


def test_draws_neither_follow_nor_disturb_the_global_generator() -> None:
    with seeded(1):
        first = SystemClock().draw()
        untouched = random.random()
    with seeded(1):
        second = SystemClock().draw()
        assert random.random() == untouched
    assert first != second


FORKS = """
import os, sys
from effectloop import SystemClock

seed, drawn_before = eval(sys.argv[1])
clock = SystemClock(seed)
for _ in range(drawn_before):
    clock.draw()
for _ in range(2):
    child = os.fork()
    if not child:
        break
    os.waitpid(child, 0)
os.write(1, f"{clock.draw()}\\n".encode())
"""
"""Prints one draw in each of two forked children and then in their parent."""


def draws_in_forks(seed: int | None, drawn_before: int) -> list[str]:
    command = [sys.executable, "-c", FORKS, repr((seed, drawn_before))]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()


@pytest.mark.parametrize("drawn_before", [0, 1])
def test_forked_children_draw_differently(drawn_before: int) -> None:
    draws = draws_in_forks(None, drawn_before)
    assert (len(draws), len(set(draws))) == (3, 3)


def test_forked_children_of_a_seeded_clock_go_on_with_its_draws() -> None:
    clock = SystemClock(seed=7)
    clock.draw()
    assert draws_in_forks(7, 1) == [str(clock.draw())] * 3


@pytest.mark.parametrize("seed", [True, 1.5, "seven"])
def test_a_seed_that_is_no_integer_is_refused(seed: object) -> None:
    with pytest.raises(TypeError, match=r"^SystemClock: seed must be an integer or None, got "):
        SystemClock(seed)  # type: ignore[arg-type]


def test_it_shows_its_seed() -> None:
    assert [repr(SystemClock()), repr(SystemClock(seed=7))] == [
        "SystemClock(seed=None)",
        "SystemClock(seed=7)",
    ]
