"""Nodes that share the ticks of a run among several schedules: each side counts its own.

A side's recurrence is the number of ticks it has decided, and its elapsed time counts from its first one.
A side that is done ends the whole.

While the same side decides tick after tick nothing changes but what that side itself changes: its count is
what it was when it took its turn, and the ticks since. So a loop that drains builds nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar, final

from returns.result import Failure, Result, Success
from typing_extensions import override

from effectloop.core.expression import operand, state_of
from effectloop.core.node import STATE, A, Decision, In, Node, Out, Tick

E = TypeVar("E")
K = TypeVar("K")


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Counted(Generic[In, Out]):
    """A side: prints as the schedule it runs, and hands it ticks of its own."""

    of: Node[In, Out]
    count: int = field(default=0, kw_only=True, metadata=STATE)  # when it last took its turn
    began: float | None = field(default=None, kw_only=True, metadata=STATE)

    def hear(self, heard: In, tick: Tick[object], since: int) -> tuple[float | None, Out, _Counted[In, Out]]:
        """Decide on what this side hears at *tick*, in a turn that it took at recurrence *since*."""
        began = tick.elapsed if self.began is None else self.began
        own = Tick(heard, self.count + tick.recurrence - since, tick.elapsed - began, tick.wall, tick.draw)
        delay, output, rest = self.of.decide(own)
        if delay is None or (rest is self.of and self.began is not None):
            return delay, output, self
        return delay, output, _Counted(rest, count=self.count, began=began)

    def after(self, ticks: int) -> _Counted[In, Out]:
        """Answer this side with *ticks* more behind it: its turn is over."""
        return _Counted(self.of, count=self.count + ticks, began=self.began)

    @override
    def __repr__(self) -> str:
        state = state_of(self)
        return f"{operand(self.of)}{state}" if state else repr(self.of)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _OnResult(Node[Result[A, E], Out]):
    success: _Counted[A, Out]
    failure: _Counted[E, Out]
    succeeding: bool | None = field(default=None, kw_only=True, metadata=STATE)  # whose turn it is
    since: int = field(default=0, kw_only=True, metadata=STATE)  # the recurrence at which the turn began

    @override
    def decide(self, tick: Tick[Result[A, E]]) -> Decision[Result[A, E], Out]:
        result = tick.input
        success, failure, since = self.success, self.failure, self.since
        succeeding = isinstance(result, Success)
        if succeeding is not self.succeeding:
            if self.succeeding is not None:
                ticks = tick.recurrence - since
                success, failure = (
                    (success, failure.after(ticks)) if succeeding else (success.after(ticks), failure)
                )
            since = tick.recurrence
        if isinstance(result, Success):
            delay, output, success = success.hear(result.unwrap(), tick, since)
        elif isinstance(result, Failure):
            delay, output, failure = failure.hear(result.failure(), tick, since)
        else:
            raise no_result(result, "on_result")
        if delay is None or (success is self.success and failure is self.failure and since == self.since):
            return delay, output, self
        return delay, output, _OnResult(success, failure, succeeding=succeeding, since=since)


@final
class _Branches(tuple[tuple[K, _Counted[In, Out]], ...]):
    """The branches of `route`, in the order given: a tuple that prints as the mapping it was."""

    __slots__ = ()

    @override
    def __repr__(self) -> str:
        return f"{{{', '.join(f'{key!r}: {side!r}' for key, side in self)}}}"

    def position(self, kind: object) -> int:
        """Answer the place of the branch for *kind*, or -1 where there is none."""
        for at, (key, _) in enumerate(self):
            if key == kind:
                return at
        return -1

    def with_side(self, at: int, side: _Counted[In, Out]) -> _Branches[K, In, Out]:
        """Answer the branches with another side at *at*."""
        return _Branches((*self[:at], (self[at][0], side), *self[at + 1 :]))


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Route(Node[In, Out], Generic[In, K, Out]):
    classify: Callable[[In], K]
    branches: _Branches[K, In, Out]
    otherwise: _Counted[In, Out]
    turn: int | None = field(default=None, kw_only=True, metadata=STATE)  # whose turn it is; -1: otherwise's
    since: int = field(default=0, kw_only=True, metadata=STATE)  # the recurrence at which the turn began

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        at = self.branches.position(self.classify(tick.input))
        node = self if at == self.turn else self._with_turn(at, tick.recurrence)
        before = node.otherwise if at < 0 else node.branches[at][1]
        delay, output, side = before.hear(tick.input, tick, node.since)
        if delay is None:
            return None, output, self
        return delay, output, node if side is before else node._with_side(at, side)

    def _with_turn(self, at: int, recurrence: int) -> _Route[In, K, Out]:
        node = self
        if self.turn is not None:
            last = self.otherwise if self.turn < 0 else self.branches[self.turn][1]
            node = self._with_side(self.turn, last.after(recurrence - self.since))
        return _Route(node.classify, node.branches, node.otherwise, turn=at, since=recurrence)

    def _with_side(self, at: int, side: _Counted[In, Out]) -> _Route[In, K, Out]:
        branches = self.branches if at < 0 else self.branches.with_side(at, side)
        otherwise = side if at < 0 else self.otherwise
        return _Route(self.classify, branches, otherwise, turn=self.turn, since=self.since)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _ResetOnSuccess(Node[Result[A, E], Out]):
    of: Node[E, Out]
    on_success: Node[A, Out]
    stable_for: float = field(default=0.0, kw_only=True)
    failing: _Counted[E, Out] | None = field(default=None, kw_only=True, metadata=STATE)  # None: as fresh
    succeeding: _Counted[A, Out] | None = field(
        default=None, kw_only=True, metadata=STATE
    )  # None: not its turn
    since: int = field(default=0, kw_only=True, metadata=STATE)  # the recurrence at which the turn began

    @override
    def decide(self, tick: Tick[Result[A, E]]) -> Decision[Result[A, E], Out]:
        result = tick.input
        failing, succeeding, since = self.failing, self.succeeding, self.since
        if isinstance(result, Success):
            if succeeding is None:
                failing = failing and failing.after(tick.recurrence - since)
                succeeding, since = _Counted(self.on_success), tick.recurrence
            delay, output, succeeding = succeeding.hear(result.unwrap(), tick, since)
        elif isinstance(result, Failure):
            if succeeding is not None:
                stable = succeeding.began is not None and tick.elapsed - succeeding.began >= self.stable_for
                failing = None if stable else failing
                succeeding, since = None, tick.recurrence
            elif failing is None:
                since = tick.recurrence
            delay, output, failing = (failing or _Counted(self.of)).hear(result.failure(), tick, since)
        else:
            raise no_result(result, "reset_on_success")
        if delay is None or (failing is self.failing and succeeding is self.succeeding):
            return delay, output, self
        return (
            delay,
            output,
            _ResetOnSuccess(
                self.of,
                self.on_success,
                stable_for=self.stable_for,
                failing=failing,
                succeeding=succeeding,
                since=since,
            ),
        )


def no_result(value: object, of: str) -> TypeError:
    """Answer the error for an input that is no Result."""
    return TypeError(f"{of}: the input must be a Result, got {value!r}")
