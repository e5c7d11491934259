"""`in_thread`: blocking work said as a factory of `FutureResult`, and how a loop lets go of its thread."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from threading import Lock
from typing import Final, TypeVar

from anyio import CancelScope, to_thread
from anyio.lowlevel import checkpoint, checkpoint_if_cancelled
from returns.future import FutureResult
from returns.io import IOResult
from returns.result import Failure, Result

from effectloop.drivers.factory import factory as checked
from effectloop.drivers.factory import result_of
from effectloop.loop.outcome import Defect

A = TypeVar("A")
E = TypeVar("E")


def in_thread(factory: Callable[[], IOResult[A, E]]) -> Callable[[], FutureResult[A, E]]:
    """Answer a factory of `FutureResult` that calls *factory* in a worker thread.

    For blocking work, in loops and retries alike. A thread cannot be cut: a cancellation waits until the work
    answers, and its answer counts. Only a loop that gives up on stopping (`Ended` ``abandoned``) lets go of
    the thread, which then runs on by itself; never a `limited` timeout, or two attempts would overlap.
    Context variables of the caller reach the work.

    Args:
        factory: Does the work when it is called, and answers an `IOResult`.
    Raises:
        TypeError: *factory* is no callable; when awaited, that it answered something else than an `IOResult`.
    Source:
        ``anyio.to_thread.run_sync``, shielded.
    Example:
        >>> import anyio
        >>> from returns.io import IOSuccess
        >>> from effectloop import in_thread
        >>> async def main():
        ...     return await in_thread(lambda: IOSuccess(42))()
        >>> anyio.run(main)
        <IOResult: <Success: 42>>
    """
    checked(factory, "in_thread: factory", "an IOResult")

    def action() -> FutureResult[A, E]:
        return FutureResult(_call(factory))

    return action


async def _call(factory: Callable[[], IOResult[A, E]]) -> Result[A, E]:
    await checkpoint_if_cancelled()
    threads = current_threads.get()
    with CancelScope(shield=True) as shield:
        job = Job(shield)
        if threads is not None:
            threads.running.add(job)
        try:
            return await to_thread.run_sync(_work, factory, job, threads, abandon_on_cancel=True)
        finally:
            if threads is not None:
                threads.running.discard(job)
    # The loop let go of the thread, and has been cancelled before it did: this raises the cancellation.
    await checkpoint()
    msg = "in_thread: a thread was let go of without a cancellation"
    raise RuntimeError(msg)


def _work(factory: Callable[[], IOResult[A, E]], job: Job, threads: Threads | None) -> Result[A, E]:
    """Do the work; in the worker thread."""
    try:
        answer = factory()
        given: object = answer
        if not isinstance(given, IOResult):
            msg = f"in_thread: factory must answer an IOResult, got {given!r}"
            raise TypeError(msg)
        result = result_of(answer)
    except Exception as error:
        if job.finished() and threads is not None:
            threads.late(Failure(Defect(error)))
        raise
    if job.finished() and threads is not None:
        threads.late(result)
    return result


class Job:
    """One call in a worker thread: either it finishes first, or it is let go of first."""

    __slots__ = ("_done", "_left", "_lock", "_shield")

    def __init__(self, shield: CancelScope) -> None:
        self._shield = shield
        self._lock = Lock()
        self._done = False
        self._left = False

    def let_go(self) -> None:
        """Leave the thread behind, unless it has finished and its answer is under way."""
        with self._lock:
            self._left = not self._done
        if self._left:
            self._shield.cancel()

    def finished(self) -> bool:
        """Say that the work is done, and tell whether nobody waits for it any more."""
        with self._lock:
            self._done = True
            return self._left


class Threads:
    """The worker threads of one loop, which it lets go of when it gives up on stopping."""

    __slots__ = ("late", "running")

    def __init__(self, late: Callable[[Result[object, object]], None]) -> None:
        self.late: Callable[[Result[object, object]], None] = late
        self.running: set[Job] = set()

    def let_go(self) -> None:
        """Leave every running thread behind; their answers go to `late`, called in those threads."""
        for job in tuple(self.running):
            job.let_go()


current_threads: Final[ContextVar[Threads | None]] = ContextVar("effectloop.threads", default=None)
"""The threads of the loop in whose iteration this code runs."""
