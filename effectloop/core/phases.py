"""Nodes that start a schedule in the middle of a run: its ticks are counted from the moment it begins.

A phase remembers the recurrence and the elapsed time of its first tick, and counts later ones from there.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, Self, final

from returns.result import Failure, Result, Success
from typing_extensions import override

from effectloop.core.node import STATE, A, B, Decision, In, Node, Out, Tick


def _counted_from(tick: Tick[A], recurrence: int, elapsed: float) -> Tick[A]:
    if recurrence == 0 and elapsed == 0:
        return tick
    return Tick(tick.input, tick.recurrence - recurrence, tick.elapsed - elapsed, tick.wall, tick.draw)


@dataclass(frozen=True, slots=True, repr=False)
class _InTurn(Node[In, Out], Generic[In, A, B, Out]):
    """Left until it is done; right from that very tick on."""

    left: Node[In, A]
    right: Node[In, B]
    handed_over: bool = field(default=False, kw_only=True, metadata=STATE)
    recurrence: int = field(default=0, kw_only=True, metadata=STATE)  # of the hand-over
    elapsed: float = field(default=0.0, kw_only=True, metadata=STATE)

    @abstractmethod
    def from_left(self, output: A) -> Out: ...

    @abstractmethod
    def from_right(self, output: B) -> Out: ...

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        recurrence, elapsed = self.recurrence, self.elapsed
        if not self.handed_over:
            delay, first, left = self.left.decide(tick)
            if delay is not None:
                rest = self if left is self.left else type(self)(left, self.right)
                return delay, self.from_left(first), rest
            recurrence, elapsed = tick.recurrence, tick.elapsed
        delay, second, right = self.right.decide(_counted_from(tick, recurrence, elapsed))
        output = self.from_right(second)
        if delay is None or (self.handed_over and right is self.right):
            return delay, output, self
        return delay, output, self._at(right, recurrence, elapsed)

    def _at(self, right: Node[In, B], recurrence: int, elapsed: float) -> Self:
        return type(self)(self.left, right, handed_over=True, recurrence=recurrence, elapsed=elapsed)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _AndThen(_InTurn[In, A, B, A | B]):
    @override
    def from_left(self, output: A) -> A | B:
        return output

    @override
    def from_right(self, output: B) -> A | B:
        return output


@final
@dataclass(frozen=True, slots=True, repr=False)
class _AndThenTagged(_InTurn[In, A, B, Result[B, A]]):
    @override
    def from_left(self, output: A) -> Result[B, A]:
        return Failure(output)

    @override
    def from_right(self, output: B) -> Result[B, A]:
        return Success(output)


@dataclass(frozen=True, slots=True, repr=False)
class _Restarting(Node[In, Out]):
    """One schedule, which may begin afresh: `of` is the fresh one, `running` where it is (None: as fresh)."""

    of: Node[In, Out]
    running: Node[In, Out] | None = field(default=None, kw_only=True, metadata=STATE)
    recurrence: int = field(default=0, kw_only=True, metadata=STATE)  # of the first tick of this phase
    elapsed: float = field(default=0.0, kw_only=True, metadata=STATE)

    @abstractmethod
    def at(self, running: Node[In, Out] | None, recurrence: int, elapsed: float) -> Node[In, Out]:
        """Answer this node in another state."""

    def go_on(self, tick: Tick[In]) -> Decision[In, Out]:
        node = self.of if self.running is None else self.running
        delay, output, rest = node.decide(_counted_from(tick, self.recurrence, self.elapsed))
        if delay is None or rest is node:
            return delay, output, self
        return delay, output, self.at(rest, self.recurrence, self.elapsed)

    def afresh(self, tick: Tick[In]) -> Decision[In, Out]:
        delay, output, rest = self.of.decide(_counted_from(tick, tick.recurrence, tick.elapsed))
        if delay is None:
            return None, output, self
        return delay, output, self.at(None if rest is self.of else rest, tick.recurrence, tick.elapsed)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _ResetAfter(_Restarting[In, Out]):
    limit: float

    @override
    def at(self, running: Node[In, Out] | None, recurrence: int, elapsed: float) -> Node[In, Out]:
        return _ResetAfter(self.of, self.limit, running=running, recurrence=recurrence, elapsed=elapsed)

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        return self.afresh(tick) if tick.elapsed - self.elapsed >= self.limit else self.go_on(tick)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _ResetWhen(_Restarting[In, Out]):
    p: Callable[[Out], bool]

    @override
    def at(self, running: Node[In, Out] | None, recurrence: int, elapsed: float) -> Node[In, Out]:
        return _ResetWhen(self.of, self.p, running=running, recurrence=recurrence, elapsed=elapsed)

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        decision = self.go_on(tick)
        return self.afresh(tick) if self.p(decision[1]) else decision


@final
@dataclass(frozen=True, slots=True, repr=False)
class _ResetOnInput(_Restarting[In, Out]):
    p: Callable[[In], bool]

    @override
    def at(self, running: Node[In, Out] | None, recurrence: int, elapsed: float) -> Node[In, Out]:
        return _ResetOnInput(self.of, self.p, running=running, recurrence=recurrence, elapsed=elapsed)

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        return self.afresh(tick) if self.p(tick.input) else self.go_on(tick)
