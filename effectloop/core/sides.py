"""Nodes that share the ticks of a run among several schedules: each side counts its own.

A side's recurrence is the number of ticks it has decided, and its elapsed time counts from its first one.
A side that is done ends the whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar, final

from returns.result import Result, Success
from typing_extensions import override

from effectloop.core.expression import operand, state_of
from effectloop.core.node import STATE, A, Decision, In, Node, Out, Tick

E = TypeVar("E")
K = TypeVar("K")


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Counted(Node[In, Out]):
    """A side: prints as the schedule it runs, and hands it ticks of its own."""

    of: Node[In, Out]
    count: int = field(default=0, kw_only=True, metadata=STATE)
    began: float = field(default=0.0, kw_only=True, metadata=STATE)

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        return self.hear(tick.input, tick)

    def hear(self, heard: In, tick: Tick[object]) -> tuple[float | None, Out, _Counted[In, Out]]:
        """Decide on what this side hears at *tick*."""
        began = self.began if self.count else tick.elapsed
        own = Tick(heard, self.count, tick.elapsed - began, tick.wall, tick.draw)
        delay, output, rest = self.of.decide(own)
        if delay is None:
            return None, output, self
        return delay, output, _Counted(rest, count=self.count + 1, began=began)

    @override
    def __repr__(self) -> str:
        state = state_of(self)
        return f"{operand(self.of)}{state}" if state else repr(self.of)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _OnResult(Node[Result[A, E], Out]):
    success: _Counted[A, Out]
    failure: _Counted[E, Out]

    @override
    def decide(self, tick: Tick[Result[A, E]]) -> Decision[Result[A, E], Out]:
        result = checked(tick.input, "on_result")
        if isinstance(result, Success):
            delay, output, success = self.success.hear(result.unwrap(), tick)
            return delay, output, self if delay is None else _OnResult(success, self.failure)
        delay, output, failure = self.failure.hear(result.failure(), tick)
        return delay, output, self if delay is None else _OnResult(self.success, failure)


@final
class _Branches(tuple[tuple[K, _Counted[In, Out]], ...]):
    """The branches of `route`, in the order given: a tuple that prints as the mapping it was."""

    __slots__ = ()

    @override
    def __repr__(self) -> str:
        return f"{{{', '.join(f'{key!r}: {side!r}' for key, side in self)}}}"


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Route(Node[In, Out], Generic[In, K, Out]):
    classify: Callable[[In], K]
    branches: _Branches[K, In, Out]
    otherwise: _Counted[In, Out]

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        kind = self.classify(tick.input)
        for at, (key, side) in enumerate(self.branches):
            if key == kind:
                delay, output, rest = side.hear(tick.input, tick)
                if delay is None:
                    return None, output, self
                branches = _Branches((*self.branches[:at], (key, rest), *self.branches[at + 1 :]))
                return delay, output, _Route(self.classify, branches, self.otherwise)
        delay, output, rest = self.otherwise.hear(tick.input, tick)
        return delay, output, self if delay is None else _Route(self.classify, self.branches, rest)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _ResetOnSuccess(Node[Result[A, E], Out]):
    of: Node[E, Out]
    on_success: Node[A, Out]
    stable_for: float = field(default=0.0, kw_only=True)
    failing: _Counted[E, Out] | None = field(default=None, kw_only=True, metadata=STATE)  # None: as fresh
    succeeding: _Counted[A, Out] | None = field(default=None, kw_only=True, metadata=STATE)

    @override
    def decide(self, tick: Tick[Result[A, E]]) -> Decision[Result[A, E], Out]:
        result = checked(tick.input, "reset_on_success")
        if isinstance(result, Success):
            succeeding = self.succeeding or _Counted(self.on_success)
            delay, output, succeeding = succeeding.hear(result.unwrap(), tick)
            return delay, output, self if delay is None else self._with(self.failing, succeeding)
        stable = self.succeeding is not None and tick.elapsed - self.succeeding.began >= self.stable_for
        failing = _Counted(self.of) if stable or self.failing is None else self.failing
        delay, output, failing = failing.hear(result.failure(), tick)
        return delay, output, self if delay is None else self._with(failing, None)

    def _with(
        self, failing: _Counted[E, Out] | None, succeeding: _Counted[A, Out] | None
    ) -> _ResetOnSuccess[A, E, Out]:
        return _ResetOnSuccess(
            self.of, self.on_success, stable_for=self.stable_for, failing=failing, succeeding=succeeding
        )


def checked(result: Result[A, E], of: str) -> Result[A, E]:
    """Answer *result*, or refuse it when it is none."""
    given: object = result
    if not isinstance(given, Result):
        msg = f"{of}: the input must be a Result, got {result!r}"
        raise TypeError(msg)
    return result
