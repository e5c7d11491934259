"""Nodes that change what one schedule reads or answers, and never its delays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, final

from typing_extensions import override

from effectloop.core.node import STATE, A, B, Decision, In, Node, Out, Tick


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Map(Node[In, Out], Generic[In, A, Out]):
    of: Node[In, A]
    f: Callable[[A], Out]

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        delay, output, rest = self.of.decide(tick)
        mapped = self.f(output)
        if delay is None:
            return None, mapped, self
        return delay, mapped, self if rest is self.of else _Map(rest, self.f)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _MapInput(Node[In, Out], Generic[In, B, Out]):
    of: Node[B, Out]
    f: Callable[[In], B]

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        mapped = Tick(self.f(tick.input), tick.recurrence, tick.elapsed, tick.wall, tick.draw)
        delay, output, rest = self.of.decide(mapped)
        if delay is None:
            return None, output, self
        return delay, output, self if rest is self.of else _MapInput(rest, self.f)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Passthrough(Node[A, A]):
    of: Node[A, object]

    @override
    def decide(self, tick: Tick[A]) -> Decision[A, A]:
        delay, _, rest = self.of.decide(tick)
        if delay is None:
            return None, tick.input, self
        return delay, tick.input, self if rest is self.of else _Passthrough(rest)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Fold(Node[In, Out], Generic[In, A, Out]):
    of: Node[In, A]
    zero: Out
    f: Callable[[Out, A], Out]
    folded: tuple[Out, ...] = field(
        default=(), kw_only=True, metadata=STATE
    )  # what came out last, if anything

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        delay, output, rest = self.of.decide(tick)
        folded = self.f(self.folded[0] if self.folded else self.zero, output)
        if delay is None:
            return None, folded, self
        return delay, folded, _Fold(rest, self.zero, self.f, folded=(folded,))
