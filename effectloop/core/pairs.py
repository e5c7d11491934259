"""Nodes that run two schedules side by side: both see every tick.

All but `_Compose` and `_BothInOut` are forms of `&` (recurs while both do, after the longer delay) or of `|`
(while either does, after the shorter; a side that is done is latched: never asked again).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar, final

from typing_extensions import override

from effectloop.core.node import STATE, A, B, Decision, In, Node, Out, Tick

I = TypeVar("I")  # noqa: E741
J = TypeVar("J")


@final
@dataclass(frozen=True, slots=True, repr=False)
class _And(Node[In, float]):
    left: Node[In, object]
    right: Node[In, object]

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, float]:
        left, _, left_rest = self.left.decide(tick)
        right, _, right_rest = self.right.decide(tick)
        if left is None or right is None:
            return None, 0.0, self
        delay = left if left > right else right
        if left_rest is self.left and right_rest is self.right:
            return delay, delay, self
        return delay, delay, _And(left_rest, right_rest)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _IntersectWith(Node[In, Out], Generic[In, A, B, Out]):
    left: Node[In, A]
    right: Node[In, B]
    f: Callable[[A, B], Out]

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        left, left_output, left_rest = self.left.decide(tick)
        right, right_output, right_rest = self.right.decide(tick)
        output = self.f(left_output, right_output)
        if left is None or right is None:
            return None, output, self
        delay = left if left > right else right
        if left_rest is self.left and right_rest is self.right:
            return delay, output, self
        return delay, output, _IntersectWith(left_rest, right_rest, self.f)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _KeepLeft(Node[In, Out]):
    left: Node[In, Out]
    right: Node[In, object]

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        left, output, left_rest = self.left.decide(tick)
        right, _, right_rest = self.right.decide(tick)
        if left is None or right is None:
            return None, output, self
        delay = left if left > right else right
        if left_rest is self.left and right_rest is self.right:
            return delay, output, self
        return delay, output, _KeepLeft(left_rest, right_rest)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _KeepRight(Node[In, Out]):
    left: Node[In, object]
    right: Node[In, Out]

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        left, _, left_rest = self.left.decide(tick)
        right, output, right_rest = self.right.decide(tick)
        if left is None or right is None:
            return None, output, self
        delay = left if left > right else right
        if left_rest is self.left and right_rest is self.right:
            return delay, output, self
        return delay, output, _KeepRight(left_rest, right_rest)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Or(Node[In, float]):
    left: Node[In, object]
    right: Node[In, object]
    left_done: bool = field(default=False, kw_only=True, metadata=STATE)
    right_done: bool = field(default=False, kw_only=True, metadata=STATE)

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, float]:
        left = right = None
        left_rest, right_rest = self.left, self.right
        if not self.left_done:
            left, _, left_rest = self.left.decide(tick)
        if not self.right_done:
            right, _, right_rest = self.right.decide(tick)
        if right is None:
            if left is None:
                return None, 0.0, self
            delay = left
        else:
            delay = right if left is None or right < left else left
        left_done, right_done = left is None, right is None
        if (
            left_rest is self.left
            and right_rest is self.right
            and left_done is self.left_done
            and right_done is self.right_done
        ):
            return delay, delay, self
        return delay, delay, _Or(left_rest, right_rest, left_done=left_done, right_done=right_done)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _UnionWith(Node[In, Out], Generic[In, A, B, Out]):
    left: Node[In, A]
    right: Node[In, B]
    f: Callable[[A, B], Out]
    left_ended: tuple[A, ...] = field(default=(), kw_only=True, metadata=STATE)  # the output of its Done
    right_ended: tuple[B, ...] = field(default=(), kw_only=True, metadata=STATE)

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        left, left_output, left_rest = _latched(self.left, self.left_ended, tick)
        right, right_output, right_rest = _latched(self.right, self.right_ended, tick)
        output = self.f(left_output, right_output)
        if right is None:
            if left is None:
                return None, output, self
            delay = left
        else:
            delay = right if left is None or right < left else left
        left_ended = (left_output,) if left is None else ()
        right_ended = (right_output,) if right is None else ()
        return (
            delay,
            output,
            _UnionWith(left_rest, right_rest, self.f, left_ended=left_ended, right_ended=right_ended),
        )


def _latched(side: Node[In, Out], ended: tuple[Out, ...], tick: Tick[In]) -> Decision[In, Out]:
    return (None, ended[0], side) if ended else side.decide(tick)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Compose(Node[In, Out], Generic[In, A, Out]):
    left: Node[In, A]
    right: Node[A, Out]

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        left, between, left_rest = self.left.decide(tick)
        right, output, right_rest = self.right.decide(
            Tick(between, tick.recurrence, tick.elapsed, tick.wall, tick.draw)
        )
        if left is None or right is None:
            return None, output, self
        delay = left if left > right else right
        if left_rest is self.left and right_rest is self.right:
            return delay, output, self
        return delay, output, _Compose(left_rest, right_rest)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _BothInOut(Node[tuple[I, J], tuple[A, B]]):
    left: Node[I, A]
    right: Node[J, B]

    @override
    def decide(self, tick: Tick[tuple[I, J]]) -> Decision[tuple[I, J], tuple[A, B]]:
        left_input, right_input = tick.input
        left, left_output, left_rest = self.left.decide(Tick(left_input, *tick[1:]))
        right, right_output, right_rest = self.right.decide(Tick(right_input, *tick[1:]))
        output = (left_output, right_output)
        if left is None or right is None:
            return None, output, self
        delay = left if left < right else right
        if left_rest is self.left and right_rest is self.right:
            return delay, output, self
        return delay, output, _BothInOut(left_rest, right_rest)
