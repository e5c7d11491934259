"""`limited`: at most so long for one attempt."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from returns.future import FutureResult
from returns.io import IOResult
from returns.result import Failure, Result

from effectloop.core.duration import Duration
from effectloop.core.duration import seconds as duration
from effectloop.drivers.clock import Clock, SystemClock
from effectloop.drivers.factory import factory, result_of
from effectloop.loop.outcome import TimedOut

A = TypeVar("A")
E = TypeVar("E")


def limited(
    action: Callable[[], FutureResult[A, E]], seconds: Duration, *, clock: Clock | None = None
) -> Callable[[], FutureResult[A, E | TimedOut]]:
    """Answer a factory that gives each attempt of *action* at most *seconds*, and then cancels it.

    An attempt that was cut answers ``Failure(TimedOut(seconds))``. One that answers has answered, whenever
    that was and although it was cancelled. A cancellation from outside passes through, as do exceptions; a
    ``TimeoutError`` of the work is an ordinary error. Blocking work cannot be cut: around `in_thread` the
    thread is waited for, and its answer counts.

    Args:
        action: A factory, called anew for each attempt.
        seconds: The longest an attempt may take, in seconds or as a timedelta. Above 0.
        clock: Counts the seconds; None means a fresh `SystemClock`.
    Raises:
        TypeError: *action* is no factory (a `FutureResult` is none: it cannot be awaited twice), or *seconds*
            no duration.
        ValueError: *seconds* is 0, negative, NaN, or above `MAX_DELAY`.
    Source:
        circleci/ex ``MaxWorkTime``; there 0 hands the work an expired context, here it is refused.
    Example:
        >>> import anyio
        >>> from effectloop import limited
        >>> from effectloop.testing import VirtualClock
        >>> from returns.future import future_safe
        >>> async def main():
        ...     async with VirtualClock() as clock:
        ...         slow = future_safe(clock.sleep)
        ...         print(await limited(lambda: slow(3), 5, clock=clock)())
        ...         print(await limited(lambda: slow(7), 5, clock=clock)())
        >>> anyio.run(main)
        <IOResult: <Success: None>>
        <IOResult: <Failure: timed out after 5 s>>
    """
    factory(action, "limited: action")
    longest = duration(seconds, "limited: seconds")
    if longest == 0:
        msg = (
            f"limited: seconds must be a duration above 0 s, got {seconds!r}; work cannot be done in no time"
        )
        raise ValueError(msg)
    world = SystemClock() if clock is None else clock

    async def within(future: FutureResult[A, E]) -> Result[A, E | TimedOut]:
        answer: IOResult[A, E] | None = None
        with world.limit(longest):
            answer = await future
        return Failure(TimedOut(longest)) if answer is None else result_of(answer)

    def attempt() -> FutureResult[A, E | TimedOut]:
        given: object = action()
        if not isinstance(given, FutureResult):
            return given  # type: ignore[return-value]  # whoever runs the attempt says what is wrong with it
        return FutureResult(within(given))

    return attempt
