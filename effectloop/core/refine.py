"""The methods of a schedule that keep its types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Self

from effectloop.core.delays import _AtLeast, _Capped, _Held, _Jittered, _JitteredBetween, _ModifyDelay
from effectloop.core.duration import Duration, seconds
from effectloop.core.filters import _UntilOutput, _UpTo, _WhileOutput, _Within
from effectloop.core.gate import count, finite, fraction, function
from effectloop.core.node import In, Node, Out
from effectloop.core.phases import _ResetAfter, _ResetWhen


@dataclass(frozen=True, slots=True, repr=False)
class Refine(Generic[In, Out]):
    """What `Schedule` is built on: one node, and the methods that keep both of its types."""

    node: Node[In, Out]

    def capped(self, limit: Duration) -> Self:
        return type(self)(_Capped(self.node, seconds(limit, "capped: limit")))

    def at_least(self, floor: Duration) -> Self:
        return type(self)(_AtLeast(self.node, seconds(floor, "at_least: floor")))

    def modify_delay(self, f: Callable[[Out, float], Duration]) -> Self:
        return type(self)(_ModifyDelay(self.node, function(f, "modify_delay: f")))

    def jittered(self, ratio: float = 0.2) -> Self:
        return type(self)(_Jittered(self.node, fraction(ratio, "jittered: ratio")))

    def jittered_between(self, low: float, high: float) -> Self:
        low, high = finite(low, "jittered_between: low"), finite(high, "jittered_between: high")
        if low > high:
            msg = f"jittered_between: high must be at least low, {low!r}, got {high!r}"
            raise ValueError(msg)
        return type(self)(_JitteredBetween(self.node, low, high))

    def held(self) -> Self:
        return type(self)(_Held(self.node))

    def up_to(self, *, times: int | None = None, elapsed: Duration | None = None) -> Self:
        if times is None and elapsed is None:
            msg = "up_to: times or elapsed must be given, got neither"
            raise TypeError(msg)
        most = None if times is None else count(times, "up_to: times")
        limit = None if elapsed is None else seconds(elapsed, "up_to: elapsed")
        return type(self)(_UpTo(self.node, times=most, elapsed=limit))

    def within(self, limit: Duration) -> Self:
        return type(self)(_Within(self.node, seconds(limit, "within: limit")))

    def while_output(self, p: Callable[[Out], bool]) -> Self:
        return type(self)(_WhileOutput(self.node, function(p, "while_output: p")))

    def until_output(self, p: Callable[[Out], bool]) -> Self:
        return type(self)(_UntilOutput(self.node, function(p, "until_output: p")))

    def reset_after(self, limit: Duration) -> Self:
        return type(self)(_ResetAfter(self.node, seconds(limit, "reset_after: limit")))

    def reset_when(self, p: Callable[[Out], bool]) -> Self:
        return type(self)(_ResetWhen(self.node, function(p, "reset_when: p")))
