"""How any thread, or a signal handler, has a function called soon in a running event loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from anyio.lowlevel import current_token


@runtime_checkable
class _AsyncioLoop(Protocol):
    def call_soon_threadsafe(self, callback: Callable[[], object], /) -> object: ...


@runtime_checkable
class _TrioToken(Protocol):
    def run_sync_soon(self, callback: Callable[[], object], /) -> object: ...


def waker() -> Callable[[Callable[[], object]], object]:
    """Answer a function that has its argument called soon in the event loop that runs now.

    The answer may be called from any thread and from signal handlers, and never blocks; anyio's own way
    (`anyio.from_thread.run_sync`) waits for the call, which a signal handler must not.
    """
    token = current_token().native_token
    if isinstance(token, _AsyncioLoop):
        return token.call_soon_threadsafe
    if isinstance(token, _TrioToken):
        return token.run_sync_soon
    msg = f"effectloop runs on asyncio and trio, not on {type(token).__name__}"
    raise RuntimeError(msg)
