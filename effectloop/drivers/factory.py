"""Factories: the check that an action is one, to be called anew for each attempt, and what it answers."""

from __future__ import annotations

from inspect import iscoroutine, iscoroutinefunction
from typing import TypeVar

from returns.future import Future, FutureResult
from returns.io import IO, IOResult
from returns.result import Result
from returns.unsafe import unsafe_perform_io

A = TypeVar("A")
E = TypeVar("E")
F = TypeVar("F")


def factory(value: F, of: str, answers: str = "a FutureResult") -> F:
    """Answer *value*, a function without arguments, or refuse it with the right form.

    A container cannot be awaited twice, and a coroutine function answers coroutines, not containers.
    """
    given: object = value
    if isinstance(given, Future | FutureResult | IO | IOResult):
        msg = f"{of} must be a function that answers {answers}, got {given!r}; it is called for each attempt"
        raise TypeError(msg)
    if iscoroutine(given):
        given.close()
        hint = "decorate its function with future_safe"
        msg = f"{of} must be a function that answers {answers}, got a coroutine; {hint}"
        raise TypeError(msg)
    if iscoroutinefunction(given):
        msg = (
            f"{of} must answer {answers}, got the coroutine function {given!r}; decorate it with future_safe"
        )
        raise TypeError(msg)
    if not callable(given):
        msg = f"{of} must be a function that answers {answers}, got {given!r}"
        raise TypeError(msg)
    return value


def result_of(answer: IOResult[A, E]) -> Result[A, E]:
    """Answer the `Result` inside *answer*; a driver is where effects are performed."""
    return unsafe_perform_io(answer)  # type: ignore[arg-type]  # it opens an IOResult too, but is typed for IO
