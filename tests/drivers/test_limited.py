"""`limited`: what is cut, what has answered, and what passes through."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from anyio import CancelScope, Event, get_cancelled_exc_class, sleep_forever
from anyio.lowlevel import checkpoint
from returns.future import FutureResult, future_safe
from returns.io import IO, IOFailure, IOResult, IOSuccess
from returns.result import Failure, Result, Success

from effectloop import SystemClock, TimedOut, in_thread, limited
from effectloop.testing import VirtualClock

pytestmark = pytest.mark.anyio

Action = Callable[[], FutureResult[str, object]]


def doing(work: Callable[[], Awaitable[Result[str, object]]]) -> Action:
    return lambda: FutureResult(work())


def taking(clock: VirtualClock, seconds: float, result: Result[str, object]) -> Action:
    async def work() -> Result[str, object]:
        await clock.sleep(seconds)
        return result

    return doing(work)


@pytest.mark.parametrize("result", [Success("done"), Failure("down")])
async def test_work_that_ends_just_before_the_limit_answers_itself(result: Result[str, object]) -> None:
    async with VirtualClock() as clock:
        action = limited(taking(clock, 4.999_999_999, result), 5, clock=clock)
        assert await action() == IOResult.from_result(result)
        assert clock.monotonic() == 4.999_999_999


async def test_at_the_limit_the_work_is_cut() -> None:
    async with VirtualClock() as clock:
        action = limited(taking(clock, 5, Success("done")), 5, clock=clock)
        assert await action() == IOFailure(TimedOut(5.0))
        assert clock.monotonic() == 5.0


async def test_work_that_takes_longer_is_cut_in_time_whatever_it_waits_for() -> None:
    async with VirtualClock() as clock:
        stuck = future_safe(lambda: Event().wait())
        action = limited(stuck, timedelta(seconds=5), clock=clock)
        assert await action() == IOFailure(TimedOut(5.0))
        assert clock.monotonic() == 5.0


async def test_each_attempt_gets_the_whole_limit() -> None:
    async with VirtualClock() as clock:
        action = limited(taking(clock, 3, Success("done")), 5, clock=clock)
        for _ in range(3):
            assert await action() == IOSuccess("done")
        assert clock.monotonic() == 9.0


async def test_the_limit_counts_from_the_await_of_an_attempt() -> None:
    async with VirtualClock() as clock:
        attempt = limited(taking(clock, 3, Success("done")), 5, clock=clock)()
        await clock.sleep(100)
        assert await attempt == IOSuccess("done")


async def test_work_that_answers_although_it_was_cancelled_has_answered() -> None:
    async def work() -> Result[str, object]:
        try:
            await sleep_forever()
        except get_cancelled_exc_class():
            return Success("saved")
        return Success("never")

    async with VirtualClock() as clock:
        assert await limited(doing(work), 5, clock=clock)() == IOSuccess("saved")


async def test_shielded_work_that_ends_after_the_limit_has_answered() -> None:
    async with VirtualClock() as clock:

        async def work() -> Result[str, object]:
            with CancelScope(shield=True):
                await clock.sleep(7)
            return Failure("late")

        assert await limited(doing(work), 5, clock=clock)() == IOFailure("late")
        assert clock.monotonic() == 7.0


async def test_shielded_work_that_meets_the_cancellation_afterwards_is_cut() -> None:
    async with VirtualClock() as clock:

        async def work() -> Result[str, object]:
            with CancelScope(shield=True):
                await clock.sleep(7)
            await checkpoint()
            return Success("never")

        assert await limited(doing(work), 5, clock=clock)() == IOFailure(TimedOut(5.0))


async def test_blocking_work_is_not_cut_and_its_answer_counts() -> None:
    async with VirtualClock() as clock:

        def work() -> IOResult[str, object]:
            clock.block(7)
            return IOSuccess("late")

        assert await limited(in_thread(work), 5, clock=clock)() == IOSuccess("late")
        assert clock.monotonic() == 7.0


async def test_a_cancellation_from_outside_passes_through() -> None:
    answers: list[object] = []
    async with VirtualClock() as clock:
        with clock.limit(3) as outer:
            answers.append(await limited(doing(sleep_forever), 5, clock=clock)())
        assert outer.cancelled_caught
        assert clock.monotonic() == 3.0
    assert answers == []


async def test_a_cancellation_from_outside_at_the_same_instant_wins() -> None:
    answers: list[object] = []
    async with VirtualClock() as clock:
        with CancelScope() as outer, clock.limit(5) as inner:

            async def work() -> Result[str, object]:
                try:
                    await sleep_forever()
                finally:
                    outer.cancel()  # while the limit's own cancellation is under way
                return Success("never")

            answers.append(await limited(doing(work), 3, clock=clock)())
            await checkpoint()
        assert outer.cancelled_caught
        assert not inner.cancelled_caught
        assert clock.monotonic() == 3.0


async def test_the_inner_of_two_limits_times_out_by_its_own_name() -> None:
    async with VirtualClock() as clock:
        stuck = doing(sleep_forever)
        assert await limited(limited(stuck, 2, clock=clock), 5, clock=clock)() == IOFailure(TimedOut(2.0))
        assert await limited(limited(stuck, 5, clock=clock), 2, clock=clock)() == IOFailure(TimedOut(2.0))
        assert clock.monotonic() == 4.0


async def test_a_timeout_error_of_the_work_is_an_ordinary_error() -> None:
    error = TimeoutError("the socket's")

    async def answers() -> Result[str, object]:
        return Failure(error)

    async def raises() -> Result[str, object]:
        raise error

    assert await limited(doing(answers), 5)() == IOFailure(error)
    with pytest.raises(TimeoutError) as caught:
        await limited(doing(raises), 5)()
    assert caught.value is error


async def test_a_timed_out_failure_of_the_work_stays_its_own() -> None:
    own = TimedOut(1.0)
    result = await limited(lambda: FutureResult.from_failure(own), 5)()
    assert result.failure() == IO(own)


async def test_without_a_clock_it_counts_real_seconds() -> None:
    clock = SystemClock()
    began = clock.monotonic()
    assert await limited(doing(sleep_forever), 0.01)() == IOFailure(TimedOut(0.01))
    assert clock.monotonic() - began >= 0.01


async def test_what_is_no_future_result_goes_on_to_whoever_runs_the_attempt() -> None:
    wrong = IOSuccess("blocking")
    action: Callable[[], object] = limited(lambda: wrong, 5)  # type: ignore[arg-type,return-value]
    assert action() is wrong


def test_a_limit_of_nothing_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"^limited: seconds must be a duration above 0 s, got 0; work cannot"
    ):
        limited(lambda: FutureResult.from_value(1), 0)
    with pytest.raises(
        ValueError, match=r"^limited: seconds must be .* above 0 s, got datetime\.timedelta\(0\)"
    ):
        limited(lambda: FutureResult.from_value(1), timedelta(0))
    assert callable(limited(lambda: FutureResult.from_value(1), 1e-9))


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf"), 1e9 + 1])
def test_a_limit_that_is_no_length_of_time_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match=r"^limited: seconds must be a duration of at"):
        limited(lambda: FutureResult.from_value(1), seconds)


@pytest.mark.parametrize("seconds", [True, "5", None])
def test_a_limit_of_another_kind_is_refused(seconds: object) -> None:
    with pytest.raises(TypeError, match=r"^limited: seconds must be a duration"):
        limited(lambda: FutureResult.from_value(1), seconds)  # type: ignore[arg-type]


async def _work() -> Result[int, str]:
    return Success(1)


@pytest.mark.parametrize(
    "action", [lambda: FutureResult(_work()), lambda: _work(), lambda: _work, lambda: None]
)
async def test_an_action_that_is_no_factory_is_refused(action: Callable[[], object]) -> None:
    value = action()
    with pytest.raises(TypeError, match=r"^limited: action must .*answer"):
        limited(value, 5)  # type: ignore[arg-type]
    if isinstance(value, FutureResult):
        assert await value == IOSuccess(1)  # it was not used up


def test_timed_out_is_a_value_that_may_be_raised() -> None:
    error = TimedOut(1.5)
    assert error.seconds == 1.5
    assert (str(error), repr(error)) == ("timed out after 1.5 s", "TimedOut(1.5)")
    assert str(TimedOut(1_234_567.0)) == "timed out after 1234567 s"
    assert error == TimedOut(1.5)
    assert error != TimedOut(2.0)
    assert error != 1.5
    assert {error, TimedOut(1.5), TimedOut(2.0)} == {error, TimedOut(2.0)}
    assert not isinstance(error, TimeoutError)
    with pytest.raises(TimedOut) as caught:
        raise error
    assert caught.value is error
    with pytest.raises(AttributeError):
        error.seconds = 2.0  # type: ignore[misc]


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_timed_out_is_the_same_after_a_copy_or_a_pickle(twin: Callable[[TimedOut], TimedOut]) -> None:
    assert twin(TimedOut(1.5)) == TimedOut(1.5)
    assert twin(TimedOut(1.5)).seconds == 1.5
