"""The virtual clock: when time passes, in which order things happen then, and when it refuses to."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import anyio
import anyio.to_thread
import pytest
from anyio import CancelScope, create_task_group, from_thread, sleep_forever
from anyio.lowlevel import checkpoint, current_token
from returns.future import FutureResult
from returns.result import Result, Success

from effectloop.drivers.clock import Clock
from effectloop.drivers.wake import waker
from effectloop.testing import VirtualClock

pytestmark = pytest.mark.anyio


@pytest.fixture(
    scope="module",
    params=["asyncio", pytest.param(("asyncio", {"use_uvloop": True}), id="uvloop"), "trio"],
)
def anyio_backend(request: pytest.FixtureRequest) -> object:
    return request.param


def clock_of(clock: Clock) -> Clock:
    return clock  # a type checker holds the virtual clock to the protocol


class Diary:
    """What happened, and when in virtual milliseconds."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self.entries: list[tuple[str, int]] = []

    def note(self, what: str) -> None:
        self.entries.append((what, round(self._clock.monotonic() * 1000)))

    async def sleeper(self, name: str, *delays: float) -> None:
        for delay in delays:
            await self._clock.sleep(delay)
            self.note(name)


# Advancing by hand.


async def test_time_stands_still_until_somebody_advances() -> None:
    clock = VirtualClock()
    diary = Diary(clock)
    async with create_task_group() as group:
        group.start_soon(diary.sleeper, "a", 1.0)
        for _ in range(20):
            await checkpoint()
        assert (clock.monotonic(), diary.entries) == (0.0, [])
        await clock.advance(1)
    assert diary.entries == [("a", 1000)]


async def test_advance_runs_what_is_due_just_before_and_at_its_end_and_nothing_after() -> None:
    clock = VirtualClock()
    diary = Diary(clock)
    async with create_task_group() as group:
        for name, delay in [("after", 1.000_000_001), ("at", 1.0), ("before", 0.999_999_999)]:
            group.start_soon(diary.sleeper, name, delay)
        await clock.advance(1)
        assert diary.entries == [("before", 1000), ("at", 1000)]
        assert clock.monotonic() == 1.0
        await clock.advance(1e-9)
    assert diary.entries[-1] == ("after", 1000)


async def test_advance_passes_every_instant_on_its_way_in_order() -> None:
    clock = VirtualClock()
    diary = Diary(clock)
    async with create_task_group() as group:
        group.start_soon(diary.sleeper, "slow", 0.03, 0.03)
        group.start_soon(diary.sleeper, "fast", 0.02, 0.02, 0.01)
        await clock.advance(timedelta(milliseconds=60))
    assert diary.entries == [("fast", 20), ("slow", 30), ("fast", 40), ("fast", 50), ("slow", 60)]


async def test_ties_go_in_order_of_registration_and_settle_one_by_one() -> None:
    clock = VirtualClock()
    names = [f"{number}" for number in range(8)]
    order: list[str] = []

    async def sleeper(name: str) -> None:
        await clock.sleep(1)
        order.append(f"{name} wakes")
        await checkpoint()
        await checkpoint()
        order.append(f"{name} settles")

    async with create_task_group() as group:
        for name in names:
            group.start_soon(sleeper, name)
            await clock.advance(0)  # trio starts tasks in any order
        await clock.advance(1)
    assert order == [f"{name} {what}" for name in names for what in ("wakes", "settles")]


async def test_advance_by_nothing_lets_everything_settle() -> None:
    clock = VirtualClock()
    seen: list[str] = []

    async def chain(links: int) -> None:
        for _ in range(links):
            await checkpoint()
        seen.append("done")

    async with create_task_group() as group:
        group.start_soon(chain, 50)
        await clock.advance(0)
        assert (seen, clock.monotonic()) == (["done"], 0.0)


async def test_advance_with_nobody_asleep_just_moves_the_time() -> None:
    clock = VirtualClock(start=5)
    await clock.advance(86_400)
    assert clock.monotonic() == 86_405.0


async def test_a_second_advance_at_the_same_time_is_refused() -> None:
    clock = VirtualClock()

    async def work() -> None:
        await clock.advance(1)

    async with create_task_group() as group:
        refused: list[str] = []

        async def second() -> None:
            await clock.sleep(1)
            try:
                await work()
            except RuntimeError as error:
                refused.append(str(error))

        group.start_soon(second)
        await clock.advance(2)
    assert refused == ["VirtualClock.advance: must not be called while another task advances; sleep instead"]
    await clock.advance(1)
    assert clock.monotonic() == 3.0


async def test_an_advance_that_is_cancelled_leaves_a_clock_that_works() -> None:
    clock = VirtualClock()

    async def cancel(scope: CancelScope) -> None:
        await clock.sleep(1)
        scope.cancel()

    async with create_task_group() as group:
        with CancelScope() as scope:
            group.start_soon(cancel, scope)
            await clock.advance(10)
    assert clock.monotonic() == 1.0
    await clock.advance(1)
    assert clock.monotonic() == 2.0


# Jumping.


async def test_time_jumps_to_the_next_wake_when_every_task_waits() -> None:
    async with VirtualClock() as clock:
        diary = Diary(clock)
        async with create_task_group() as group:
            group.start_soon(diary.sleeper, "hour", 3600.0, 3600.0)
            group.start_soon(diary.sleeper, "day", 86_400.0)
    assert diary.entries == [("hour", 3_600_000), ("hour", 7_200_000), ("day", 86_400_000)]
    assert clock.monotonic() == 86_400.0


async def test_the_body_itself_may_sleep() -> None:
    async with VirtualClock() as clock:
        await clock.sleep(0.1)
        assert clock.monotonic() == 0.1
        await clock.sleep(0.2)
        assert clock.monotonic() == 0.3


async def test_time_waits_for_tasks_that_only_pass_checkpoints() -> None:
    turns: list[float] = []

    async with VirtualClock() as clock, create_task_group() as group:

        async def busy() -> None:
            for _ in range(500):
                await checkpoint()
                turns.append(clock.monotonic())

        group.start_soon(busy)
        await clock.sleep(1)
        assert turns == [0.0] * 500


async def test_advance_inside_the_block_stops_exactly_there() -> None:
    async with VirtualClock() as clock, create_task_group() as group:
        diary = Diary(clock)
        group.start_soon(diary.sleeper, "a", 1.0, 1.0, 1.0, 1.0)
        await clock.advance(2.5)
        assert diary.entries == [("a", 1000), ("a", 2000)]
        assert clock.monotonic() == 2.5
        await clock.advance(0.5)
        assert diary.entries[-1] == ("a", 3000)


async def test_advance_inside_the_block_comes_after_all_else_due_then() -> None:
    async with VirtualClock() as clock, create_task_group() as group:
        diary = Diary(clock)

        async def late() -> None:
            await clock.sleep(0.5)
            await clock.sleep(0.5)  # registered long after the advance
            diary.note("late")

        group.start_soon(late)
        await clock.advance(1)
        diary.note("advanced")
    assert diary.entries == [("late", 1000), ("advanced", 1000)]


async def test_two_tasks_may_advance_inside_the_block() -> None:
    async with VirtualClock() as clock:
        async with create_task_group() as group:
            group.start_soon(clock.advance, 2)
            group.start_soon(clock.advance, 2)
            await clock.advance(1)
            assert clock.monotonic() == 1.0
        assert clock.monotonic() == 2.0


async def test_after_the_block_the_clock_stands_still_and_may_be_entered_again() -> None:
    clock = VirtualClock()
    async with clock:
        await clock.sleep(1)
    await clock.advance(1)
    async with clock:
        await clock.sleep(1)
    assert clock.monotonic() == 3.0


async def test_entering_twice_is_refused() -> None:
    async with VirtualClock() as clock:
        with pytest.raises(RuntimeError, match="must not be entered while time passes already"):
            await clock.__aenter__()
        await clock.sleep(1)
    assert clock.monotonic() == 1.0


class Bang(BaseException):
    pass


@pytest.mark.parametrize("error", [ValueError("bang"), Bang()])
async def test_an_error_of_the_body_leaves_the_block_as_itself(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught:
        async with VirtualClock() as clock:
            await clock.sleep(1)
            raise error
    assert caught.value is error
    assert caught.value.__cause__ is None


async def test_a_cancellation_from_outside_passes_through_the_block() -> None:
    with CancelScope() as scope:
        async with VirtualClock() as clock:
            await clock.sleep(1)
            scope.cancel()
            await sleep_forever()
    assert scope.cancelled_caught


async def test_a_day_of_ticks_takes_no_real_time() -> None:
    began = anyio.current_time()
    async with VirtualClock() as clock:
        for _ in range(1440):
            await clock.sleep(60)
    assert clock.monotonic() == 86_400.0
    assert anyio.current_time() - began < 30


# Sleeping.


@pytest.mark.parametrize("seconds", [0, -1.0, 1e-10])
async def test_sleeping_no_time_is_a_checkpoint(seconds: float) -> None:
    clock = VirtualClock()
    turns: list[str] = []

    async def other() -> None:
        turns.append("other")

    async with create_task_group() as group:
        group.start_soon(other)
        for _ in range(3):
            await clock.sleep(seconds)
        assert turns == ["other"]
        with CancelScope() as scope:
            scope.cancel()
            await clock.sleep(seconds)
    assert scope.cancelled_caught
    assert clock.monotonic() == 0.0


async def test_a_cancelled_sleep_leaves_no_wake_behind() -> None:
    async with VirtualClock() as clock:
        with clock.limit(1):
            await clock.sleep(1000)
        await clock.sleep(1)
        assert clock.monotonic() == 2.0
        await clock.advance(0)
        assert clock.monotonic() == 2.0


async def test_a_wake_cancels_a_sleep_at_the_instant_it_happens() -> None:
    async with VirtualClock() as clock, create_task_group() as group:
        with CancelScope() as nap:

            async def wake() -> None:
                await clock.sleep(3)
                nap.cancel()

            group.start_soon(wake)
            await clock.sleep(1000)
        assert clock.monotonic() == 3.0


async def test_a_shielded_sleep_outlasts_the_cancellation_around_it() -> None:
    async with VirtualClock() as clock:
        with clock.limit(1) as limit:
            with CancelScope(shield=True):
                await clock.sleep(5)
            assert clock.monotonic() == 5.0
            await checkpoint()
        assert limit.cancelled_caught


async def test_times_are_whole_nanoseconds_so_tenths_add_up() -> None:
    async with VirtualClock() as clock:
        for _ in range(10):
            await clock.sleep(0.1)
        assert clock.monotonic() == 1.0
        await clock.sleep(1e9)
        assert clock.monotonic() == 1e9 + 1


# Limits.


@pytest.mark.parametrize("wait", [sleep_forever, lambda: anyio.Event().wait(), lambda: anyio.sleep(1e6)])
async def test_a_limit_cuts_whatever_its_body_waits_for(wait: Callable[[], object]) -> None:
    async with VirtualClock() as clock:
        with clock.limit(2) as scope:
            await wait()  # type: ignore[misc]
        assert scope.cancelled_caught
        assert clock.monotonic() == 2.0


async def test_a_limit_does_not_touch_a_body_that_ends_before_it() -> None:
    async with VirtualClock() as clock:
        with clock.limit(2) as scope:
            await clock.sleep(1.999_999_999)
        assert not scope.cancel_called
        await clock.sleep(10)
        assert not scope.cancel_called


async def test_at_one_instant_the_limit_or_the_work_wins_by_order_of_registration() -> None:
    async with VirtualClock() as clock:
        with clock.limit(1) as first:
            await clock.sleep(1)
        assert first.cancelled_caught

        async def work() -> None:
            await clock.sleep(1)
            event.set()

        event = anyio.Event()
        async with create_task_group() as group:
            group.start_soon(work)
            await clock.advance(0)
            with clock.limit(1) as second:
                await event.wait()
        assert not second.cancelled_caught


@pytest.mark.parametrize("seconds", [0, -1.0])
async def test_a_limit_of_nothing_cuts_at_the_first_checkpoint(seconds: float) -> None:
    clock = VirtualClock()
    reached = False
    with clock.limit(seconds) as scope:
        reached = True
        await checkpoint()
        reached = False
    assert reached
    assert scope.cancelled_caught


async def test_a_limit_counts_from_the_call_and_wakes_nobody_unless_it_is_entered() -> None:
    async with VirtualClock() as clock:
        limit = clock.limit(3)
        await clock.sleep(2)
        with limit:
            await sleep_forever()
        assert clock.monotonic() == 3.0
        unused = clock.limit(1)
        await clock.sleep(5)
        assert clock.monotonic() == 8.0
        with unused as late:
            await clock.sleep(1)
        assert late.cancelled_caught
        assert clock.monotonic() == 8.0


# Threads and callbacks.


async def test_time_does_not_pass_while_a_thread_works() -> None:
    gate = threading.Event()
    seen: list[float] = []

    async with VirtualClock() as clock, create_task_group() as group:
        clock_time = clock.monotonic

        def work() -> None:
            from_thread.run_sync(seen.append, clock_time())
            gate.wait(5)
            seen.append(clock_time())

        async def open_gate() -> None:
            while not seen:  # until the thread has reported once, seen from inside the event loop
                await checkpoint()
            for _ in range(100):
                await checkpoint()
            gate.set()

        group.start_soon(clock.sleep, 100)
        group.start_soon(open_gate)
        await anyio.to_thread.run_sync(work)
        assert seen == [0.0, 0.0]
    assert clock.monotonic() == 100.0


async def test_time_waits_for_a_thread_inside_a_pipeline_with_a_limiter_of_its_own() -> None:
    limiter = anyio.CapacityLimiter(1)

    async def count() -> Result[int, str]:
        return Success(await anyio.to_thread.run_sync(sum, range(300_000), limiter=limiter))

    async with VirtualClock() as clock, create_task_group() as group:
        times: list[float] = []

        async def work() -> None:
            await FutureResult(count()).map(lambda number: number + 1)
            times.append(clock.monotonic())

        group.start_soon(clock.sleep, 1)
        for _ in range(3):
            group.start_soon(work)
    assert times == [0.0, 0.0, 0.0]


async def test_advancing_by_hand_waits_for_a_thread_too() -> None:
    clock = VirtualClock()
    times: list[float] = []

    async def work() -> None:
        await anyio.to_thread.run_sync(sum, range(300_000))
        times.append(clock.monotonic())

    async with create_task_group() as group:
        group.start_soon(work)
        await clock.advance(10)
    assert times == [0.0]


async def test_time_waits_for_the_threads_of_the_backend_itself(anyio_backend_name: str) -> None:
    async with VirtualClock() as clock, create_task_group() as group:
        group.start_soon(clock.sleep, 1)
        if anyio_backend_name == "trio":
            import trio

            await trio.to_thread.run_sync(sum, range(300_000))
        else:
            await asyncio.to_thread(sum, range(300_000))
        assert clock.monotonic() == 0.0


async def test_a_thread_that_blocks_on_the_clock_is_a_sleeper_like_any_other() -> None:
    async with VirtualClock() as clock:
        diary = Diary(clock)

        def work() -> None:
            for _ in range(3):
                clock.block(0.02)
                diary.note("thread")

        async with create_task_group() as group:
            group.start_soon(diary.sleeper, "task", 0.01, 0.02, 0.02)
            await anyio.to_thread.run_sync(work)
            diary.note("joined")
    assert diary.entries == [
        ("task", 10),
        ("thread", 20),
        ("task", 30),
        ("thread", 40),
        ("task", 50),
        ("thread", 60),
        ("joined", 60),
    ]


async def test_many_threads_block_and_wait_for_their_turn() -> None:
    limiter = anyio.CapacityLimiter(2)
    async with VirtualClock() as clock:
        async with create_task_group() as group:
            for _ in range(6):
                group.start_soon(partial(anyio.to_thread.run_sync, limiter=limiter), clock.block, 1)
        assert clock.monotonic() == 3.0


async def test_a_thread_that_was_left_behind_does_not_hold_up_time_while_it_blocks() -> None:
    woke: list[float] = []
    async with VirtualClock() as clock:
        back = anyio.Event()
        token = current_token()

        def work() -> None:
            clock.block(100)
            woke.append(clock.monotonic())
            from_thread.run_sync(back.set, token=token)

        with clock.limit(15) as limit:
            await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
        assert limit.cancelled_caught
        assert clock.monotonic() == 15.0
        await back.wait()
    assert woke == [100.0]


async def test_a_thread_that_blocks_is_not_cut_by_a_limit() -> None:
    async with VirtualClock() as clock:
        with clock.limit(1):
            await anyio.to_thread.run_sync(clock.block, 5)
        assert clock.monotonic() == 5.0


def test_block_without_an_event_loop_moves_the_time_itself() -> None:
    clock = VirtualClock()
    clock.block(1.5)
    clock.block(0)
    clock.block(-1)
    assert clock.monotonic() == 1.5


async def test_block_in_the_event_loop_makes_what_is_due_late() -> None:
    clock = VirtualClock()
    diary = Diary(clock)
    async with create_task_group() as group:
        group.start_soon(diary.sleeper, "a", 1.0)
        await clock.advance(0)
        clock.block(5)
        assert diary.entries == []
        await clock.advance(0)
    assert diary.entries == [("a", 5000)]


async def test_block_in_a_thread_gives_up_when_nobody_lets_time_pass() -> None:
    clock = VirtualClock(patience=0.01)
    with pytest.raises(RuntimeError, match=r"block: nobody has let time pass for 0\.01 s of real time"):
        await anyio.to_thread.run_sync(clock.block, 1)


@pytest.mark.parametrize("from_another_thread", [False, True])
async def test_callbacks_from_any_thread_run_before_time_passes(from_another_thread: bool) -> None:
    async with VirtualClock() as clock, create_task_group() as group:
        asked = anyio.Event()
        call_soon = waker()

        async def stopper() -> None:
            await asked.wait()
            diary.note("stop")

        diary = Diary(clock)
        group.start_soon(stopper)
        group.start_soon(diary.sleeper, "sleeper", 1.0)
        await clock.advance(0)
        if from_another_thread:
            thread = threading.Thread(target=call_soon, args=[asked.set])
            thread.start()
            thread.join()
        else:
            call_soon(asked.set)
    assert diary.entries == [("stop", 0), ("sleeper", 1000)]


async def test_a_callback_that_a_callback_schedules_runs_before_time_passes() -> None:
    async with VirtualClock() as clock, create_task_group() as group:
        asked = anyio.Event()
        call_soon = waker()

        async def stopper() -> None:
            await asked.wait()
            diary.note("stop")

        diary = Diary(clock)
        group.start_soon(stopper)
        await clock.advance(0)
        call_soon(lambda: call_soon(asked.set))
        await clock.sleep(1)
    assert diary.entries == [("stop", 0)]


# What would hang.


async def test_a_task_that_spins_is_an_error_that_names_it() -> None:
    async def spinner() -> None:
        while True:
            await checkpoint()

    with pytest.raises(RuntimeError, match=r"time stands still: task '.*spinner' runs on and on"):
        async with VirtualClock() as clock, create_task_group() as group:
            group.start_soon(spinner)
            await clock.sleep(1)


async def test_a_task_that_spins_is_an_error_of_advance_too() -> None:
    async def spinner() -> None:
        while True:
            await checkpoint()

    clock = VirtualClock()
    async with create_task_group() as group:
        group.start_soon(spinner)
        with pytest.raises(RuntimeError, match="runs on and on without waiting"):
            await clock.advance(1)
        group.cancel_scope.cancel()


async def test_waiting_for_what_never_comes_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="every task waits, and none of them on this clock"):
        async with VirtualClock(patience=0.01):
            await anyio.Event().wait()


async def test_waiting_for_something_real_is_no_error() -> None:
    async with VirtualClock() as clock:
        event = anyio.Event()
        call_soon = waker()
        timer = threading.Timer(0.02, call_soon, [event.set])
        timer.start()
        await event.wait()
        timer.join()
        await clock.sleep(1)
    assert clock.monotonic() == 1.0


async def test_a_thread_that_works_longer_than_the_patience_is_an_error() -> None:
    gate = threading.Event()

    async def work() -> None:
        try:
            await anyio.to_thread.run_sync(gate.wait, 5, abandon_on_cancel=True)
        finally:
            gate.set()

    with pytest.raises(
        RuntimeError, match=r"nothing has happened for 0\.01 s of real time: a thread is at work"
    ):
        async with VirtualClock(patience=0.01) as clock, create_task_group() as group:
            group.start_soon(work)
            await clock.sleep(1)


async def test_cleanup_after_such_an_error_may_still_sleep() -> None:
    slept: list[float] = []
    with pytest.raises(RuntimeError, match="every task waits"):
        async with VirtualClock(patience=0.01) as clock:
            try:
                await sleep_forever()
            finally:
                with CancelScope(shield=True):
                    await clock.sleep(5)
                slept.append(clock.monotonic())
    assert slept == [5.0]


# Wall and draws.


def test_wall_passes_with_time_and_jumps_by_a_shift() -> None:
    clock = VirtualClock(start=100, wall=1_711_710_000.25)
    assert (clock.monotonic(), clock.wall()) == (100.0, 1_711_710_000.25)
    clock.block(0.5)
    assert (clock.monotonic(), clock.wall()) == (100.5, 1_711_710_000.75)
    clock.shift_wall(-3600)
    assert (clock.monotonic(), clock.wall()) == (100.5, 1_711_706_400.75)
    clock.shift_wall(3600)
    assert clock.wall() == 1_711_710_000.75


def test_draws_are_one_half_or_one_number_or_one_each_or_a_function_of_the_time() -> None:
    assert VirtualClock().draw() == 0.5
    assert [VirtualClock(draws=0.25).draw() for _ in range(2)] == [0.25, 0.25]
    scripted = VirtualClock(draws=[0.0, 0.75])
    assert [scripted.draw(), scripted.draw()] == [0.0, 0.75]
    keyed = VirtualClock(draws=lambda now: now / 10)
    keyed.block(4)
    assert keyed.draw() == 0.4


def test_draws_that_are_used_up_are_an_error() -> None:
    clock = VirtualClock(draws=iter([0.5]))
    clock.draw()
    for _ in range(2):
        with pytest.raises(
            ValueError, match="draws must be one number, or as many as are drawn, got too few"
        ):
            clock.draw()


@pytest.mark.parametrize("draw", [-0.1, 1.0, float("nan")])
def test_a_draw_out_of_range_is_refused(draw: float) -> None:
    message = r"VirtualClock: draws must be a number in \[0, 1\), got"
    with pytest.raises(ValueError, match=message):
        VirtualClock(draws=draw)
    with pytest.raises(ValueError, match=message):
        VirtualClock(draws=[draw]).draw()
    with pytest.raises(ValueError, match=message):
        VirtualClock(draws=lambda _: draw).draw()


@pytest.mark.parametrize("name", ["start", "wall", "patience"])
def test_parameters_that_are_no_times_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"VirtualClock: {name} must be"):
        VirtualClock(**{name: -1})
    with pytest.raises(TypeError, match=f"VirtualClock: {name} must be"):
        VirtualClock(**{name: "1"})


async def test_advancing_backwards_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"VirtualClock\.advance: seconds must be a duration of at least 0 s"
    ):
        await VirtualClock().advance(-1)


@pytest.mark.parametrize("seconds", [float("nan"), float("inf")])
def test_shifting_the_wall_by_no_number_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match=r"VirtualClock\.shift_wall: seconds must be a finite number"):
        VirtualClock().shift_wall(seconds)


def test_it_is_a_clock_and_shows_its_time() -> None:
    clock = VirtualClock(start=1.5)
    assert clock_of(clock) is clock
    assert repr(clock) == "<VirtualClock at 1.5 s>"
