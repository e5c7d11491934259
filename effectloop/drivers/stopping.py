"""`stopping`: how the work of a loop learns that the loop was asked to stop."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final, Protocol

import anyio


class Stopping(Protocol):
    """A flag that can be looked at, and waited for; it is never unset."""

    def is_set(self) -> bool:
        """Tell whether the loop was asked to stop; from any thread."""
        ...

    async def wait(self) -> None:
        """Wait until the loop is asked to stop; in its event loop."""
        ...


def stopping() -> Stopping:
    """Answer the flag that is set once the loop in whose iteration this code runs is asked to stop.

    For long work that can end early: within the grace it may finish what it holds and answer. It reaches
    child tasks, and worker threads of `in_thread`, where only ``is_set`` may be called. A cancellation after
    the grace comes all the same.

    Raises:
        RuntimeError: This code runs in no loop's iteration.
    Example:
        >>> import anyio
        >>> from returns.future import future_safe
        >>> from effectloop import BackgroundProcessor, Progress, stopping
        >>> from effectloop.testing import VirtualClock
        >>> async def main():
        ...     @future_safe
        ...     async def copy_pages():
        ...         while not stopping().is_set():
        ...             await clock.sleep(1)  # a page
        ...         return Progress(has_more=True)
        ...     async with VirtualClock() as clock:
        ...         async with BackgroundProcessor(copy_pages, name="copy", interval=1, clock=clock) as copy:
        ...             await clock.sleep(3)
        ...             print((await copy.shutdown()).how)
        >>> anyio.run(main)
        drained
    """
    flag = current_flag.get()
    if flag is None:
        msg = "stopping: this code must run in a loop's iteration, and runs in none"
        raise RuntimeError(msg)
    return flag


current_flag: Final[ContextVar[anyio.Event | None]] = ContextVar("effectloop.stopping", default=None)
"""The flag of the loop in whose iteration this code runs."""
