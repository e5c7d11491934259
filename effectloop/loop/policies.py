"""The pacing of the two original loops, written with nothing but the public combinators.

A pacing is a schedule over outcomes: `Schedule[Outcome[E], Reason]`. These two are pure functions that build
one, and the proof that the algebra is enough to say what production loops do.
"""

from __future__ import annotations

from typing import TypeVar

from returns.result import Failure, Result, Success

from effectloop.core.duration import Duration, saturated, seconds
from effectloop.core.leaves import exponential, forever, route, spaced
from effectloop.core.node import Tick
from effectloop.core.schedule import Schedule, node_of
from effectloop.loop.outcome import Outcome, Progress, Reason, should_back_off

E = TypeVar("E")


def until_due(tick: Tick[Outcome[object]], delay: float) -> float:
    """Shorten *delay* so that it never outlasts what an idle iteration says falls due; for ``delay_from``.

    Example:
        >>> from returns.result import Success
        >>> from effectloop import Outcome, Progress, spaced, trace, until_due
        >>> idle = Outcome(Success(Progress(has_more=False, due_in=3)), duration=0.0)
        >>> [step.delay for step in trace(spaced(16).delay_from(until_due), [idle])]
        [3.0]
    """
    result = tick.input.result
    return _sooner(delay, result.unwrap()) if isinstance(result, Success) else delay


def background_pacing(interval: Duration) -> Schedule[Outcome[object], Reason]:
    """Pace a background loop: drain while there is more, then poll; back off from the third failure in a row.

    More to do: at once. Nothing left: *interval* ± 10 %, or less when `Progress` says that something falls
    due. Failures in a row: *interval* ± 10 % twice, then growing by a quarter at each up to five intervals, ±
    10 %. Any success starts the streak afresh.

    Args:
        interval: The wait between iterations that found nothing left, in seconds or as a timedelta.
    Outputs:
        The `Reason` of the wait: ``more``, ``idle`` or ``failing``.
    Raises:
        ValueError: *interval* is negative, NaN or above `MAX_DELAY`.
    Source:
        The background processor of a durable-execution engine (on Effect 3); same delays.
    Example:
        >>> from returns.result import Failure
        >>> from effectloop import Outcome, background_pacing, trace
        >>> failed = Outcome(Failure("no connection"), duration=0.0)
        >>> [step.delay for step in trace(background_pacing(1), [failed] * 5)]
        [1.0, 1.0, 1.25, 1.5625, 1.953125]
    """
    period = seconds(interval, "background_pacing: interval")
    failing = (
        spaced(period)
        .up_to(times=2)
        .and_then(exponential(saturated(period * 1.25), factor=1.25).capped(saturated(period * 5)))
        .map(_failing)
        .jittered(0.1)
    )
    more: Schedule[Progress, Reason] = forever().map(_more)
    idle = spaced(period).map(_idle).jittered(0.1).delay_from(_until_progress_due)
    progress = route(_has_more, {True: more}, otherwise=idle)
    return failing.reset_on_success(progress).map_input(_result)


def worker_pacing(
    backoff: Schedule[object, object],
    min_work_time: Duration = 0.0,
    *,
    backoff_on_all_errors: bool = True,
) -> Schedule[Outcome[object], Reason]:
    """Pace a service worker: at once while it finds work, backing off while there is none.

    Worked: the next iteration starts *min_work_time* after the start of the last one, or at once when that
    has passed. No work (an idle `Progress`, or a failure that is or comes from `ShouldBackOff`): the next
    step of *backoff*, which holds its last delay when it is done and starts afresh whenever work was found;
    never longer than until something falls due. Other failures and defects: as no work, or, with
    *backoff_on_all_errors* off, as worked, so that only *min_work_time* bounds their rate.

    Args:
        backoff: The schedule of waits while there is no work.
        min_work_time: The least time between two starts while there is work, in seconds or as a timedelta.
        backoff_on_all_errors: Whether errors back off too.
    Outputs:
        The `Reason` of the wait: ``back_off`` or ``failing`` from *backoff*, ``throttle`` after work.
    Raises:
        ValueError: *min_work_time* is negative or NaN.
    Source:
        circleci/ex ``worker.Run``; the same delays, but it does not back off on all errors unless told.
    Example:
        >>> from returns.result import Success
        >>> from effectloop import Outcome, Progress, exponential, trace, worker_pacing
        >>> idle = Outcome(Success(Progress(has_more=False)), duration=0.0)
        >>> busy = Outcome(Success(Progress(has_more=True)), duration=0.25)
        >>> pacing = worker_pacing(exponential(0.05).capped(5), min_work_time=1)
        >>> [step.delay for step in trace(pacing, [idle, idle, idle, busy, idle])]
        [0.05, 0.1, 0.2, 0.75, 0.05]
    """
    least = seconds(min_work_time, "worker_pacing: min_work_time")
    return (
        Schedule(node_of(backoff, "worker_pacing: backoff"))
        .held()
        .delay_from(until_due)
        .passthrough()
        .map(_back_off_or_failing)
        .reset_on_success(spaced(least).delay_from(_less_the_work).map(_throttle))
        .map_input(_found_work if backoff_on_all_errors else _found_work_or_erred)
    )


def _found_work(outcome: Outcome[object]) -> Result[Outcome[object], Outcome[object]]:
    result = outcome.result
    worked = isinstance(result, Success) and result.unwrap().has_more
    return Success(outcome) if worked else Failure(outcome)


def _found_work_or_erred(outcome: Outcome[object]) -> Result[Outcome[object], Outcome[object]]:
    result = outcome.result
    if isinstance(result, Failure) and not should_back_off(result.failure()):
        return Success(outcome)
    return _found_work(outcome)


def _back_off_or_failing(outcome: Outcome[object]) -> Reason:
    result = outcome.result
    if isinstance(result, Failure) and not should_back_off(result.failure()):
        return Reason.FAILING
    return Reason.BACK_OFF


def _less_the_work(tick: Tick[Outcome[object]], delay: float) -> float:
    return max(0.0, delay - tick.input.duration)


def _sooner(delay: float, progress: Progress) -> float:
    return delay if progress.due_in is None else min(delay, seconds(progress.due_in, "Progress: due_in"))


def _until_progress_due(tick: Tick[Progress], delay: float) -> float:
    return _sooner(delay, tick.input)


def _result(outcome: Outcome[object]) -> Result[Progress, object]:
    return outcome.result


def _has_more(progress: Progress) -> bool:
    return progress.has_more


def _more(_: object) -> Reason:
    return Reason.MORE


def _idle(_: object) -> Reason:
    return Reason.IDLE


def _failing(_: object) -> Reason:
    return Reason.FAILING


def _throttle(_: object) -> Reason:
    return Reason.THROTTLE
