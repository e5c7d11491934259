"""Whether an event loop is quiet; the virtual clock asks before it lets time pass.

Nothing is patched and nothing naps: asyncio's tasks are looked at (as anyio's own ``wait_all_tasks_blocked``
does), trio tells through an instrument. Both see tasks; what is called back without a task, as
``call_soon_threadsafe`` does, is seen once it wakes one.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from types import AsyncGeneratorType, CodeType, CoroutineType, GeneratorType
from typing import Final, Protocol, final

import anyio
import anyio.to_thread


class Tasks(Protocol):
    """All tasks of the event loop but the one that watches them."""

    def busy(self) -> str | None:
        """Answer the name of a task that runs on by itself, or None; asked after a pass of the loop."""
        ...

    def bell(self, ring: Callable[[], object]) -> AbstractContextManager[None]:
        """Have *ring* called, in the event loop, when a task is woken inside this context."""
        ...


@contextmanager
def watching() -> Generator[Tasks]:
    """Watch the tasks of the running event loop from the current one."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with _trio_tasks()() as tasks:
            yield tasks
    else:
        yield _AsyncioTasks()


def threads_at_work() -> int:
    """Count the tasks that wait for a worker thread of ``anyio``, ``asyncio`` or ``trio.to_thread``.

    A task that waits for its turn to get a thread is not counted: some other holds the thread.
    """
    if threading.active_count() == 1:
        return 0
    calls = _thread_calls()
    count = 0
    for task in anyio.get_running_tasks():
        chain = list(_awaiting(task.coro))
        if not calls.isdisjoint(chain) and all(code.co_name != "acquire_on_behalf_of" for code in chain):
            count += 1
    return count


@final
class _AsyncioTasks:
    def __init__(self) -> None:
        self._watcher = asyncio.current_task()

    def busy(self) -> str | None:
        for task, waiter in self._waiters():
            if waiter is None or waiter.done():
                return task.get_name()
        return None

    @contextmanager
    def bell(self, ring: Callable[[], object]) -> Generator[None]:
        def woken(_: object) -> None:
            ring()

        waiters = [waiter for _, waiter in self._waiters() if waiter is not None]
        for waiter in waiters:
            waiter.add_done_callback(woken)
        try:
            yield
        finally:
            for waiter in waiters:
                waiter.remove_done_callback(woken)

    def _waiters(self) -> Iterator[tuple[asyncio.Task[object], asyncio.Future[object] | None]]:
        """Answer each task with the future it waits for; one that has none is about to run."""
        for task in asyncio.all_tasks():
            if task is not self._watcher:
                yield task, getattr(task, "_fut_waiter", None)


@cache
def _trio_tasks() -> Callable[[], AbstractContextManager[Tasks]]:
    import trio  # an extra: asked for only where it runs

    @final
    class TrioTasks(trio.abc.Instrument):
        """Is told of every task that gets ready to run."""

        def __init__(self) -> None:
            self._watcher = trio.lowlevel.current_task()
            self._busy: str | None = None
            self._ring: Callable[[], object] | None = None

        def task_scheduled(self, task: trio.lowlevel.Task) -> None:
            if task is not self._watcher:
                self._busy = task.name
                if self._ring is not None:
                    self._ring()

        def busy(self) -> str | None:
            busy, self._busy = self._busy, None
            return busy

        @contextmanager
        def bell(self, ring: Callable[[], object]) -> Generator[None]:
            self._ring = ring
            try:
                yield
            finally:
                self._ring = None

    @contextmanager
    def watch() -> Generator[Tasks]:
        tasks = TrioTasks()
        trio.lowlevel.add_instrument(tasks)
        try:
            yield tasks
        finally:
            trio.lowlevel.remove_instrument(tasks)

    return watch


def _thread_calls() -> set[CodeType]:
    calls = {anyio.to_thread.run_sync.__code__, asyncio.to_thread.__code__}
    if "trio" in sys.modules:
        import trio

        calls.add(trio.to_thread.run_sync.__code__)
    return calls


def _awaiting(awaited: object) -> Iterator[CodeType]:
    """Answer the code of *awaited* and of whatever it awaits in turn, down to where it is suspended."""
    while awaited is not None:
        names = _FRAMES.get(type(awaited))
        if (
            names is None
        ):  # a wrapper, such as ``coroutine.__await__()``: only the collector knows what is inside
            awaited = next((found for found in gc.get_referents(awaited) if type(found) in _FRAMES), None)
        else:
            code, inner = names
            yield getattr(awaited, code)
            awaited = getattr(awaited, inner)


_FRAMES: Final[dict[type[object], tuple[str, str]]] = {
    CoroutineType: ("cr_code", "cr_await"),
    GeneratorType: ("gi_code", "gi_yieldfrom"),
    AsyncGeneratorType: ("ag_code", "ag_await"),
}
"""Where frames that can be suspended keep their code, and what they await."""
