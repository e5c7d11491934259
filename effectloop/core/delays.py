"""Nodes that change the delays of one schedule, and never whether it goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import final

from typing_extensions import override

from effectloop.core.duration import MAX_DELAY, Duration, answered
from effectloop.core.node import STATE, Decision, In, Node, Out, Tick


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Capped(Node[In, Out]):
    of: Node[In, Out]
    limit: float

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        delay, output, rest = self.of.decide(tick)
        if delay is None:
            return None, output, self
        if delay > self.limit:
            delay = self.limit
        return delay, output, self if rest is self.of else _Capped(rest, self.limit)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _AtLeast(Node[In, Out]):
    of: Node[In, Out]
    floor: float

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        delay, output, rest = self.of.decide(tick)
        if delay is None:
            return None, output, self
        if delay < self.floor:
            delay = self.floor
        return delay, output, self if rest is self.of else _AtLeast(rest, self.floor)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _ModifyDelay(Node[In, Out]):
    of: Node[In, Out]
    f: Callable[[Out, float], Duration]

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        delay, output, rest = self.of.decide(tick)
        if delay is None:
            return None, output, self
        delay = answered(self.f(output, delay), "modify_delay: f")
        return delay, output, self if rest is self.of else _ModifyDelay(rest, self.f)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _DelayFrom(Node[In, Out]):
    of: Node[In, Out]
    f: Callable[[Tick[In], float], Duration]

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        delay, output, rest = self.of.decide(tick)
        if delay is None:
            return None, output, self
        delay = answered(self.f(tick, delay), "delay_from: f")
        return delay, output, self if rest is self.of else _DelayFrom(rest, self.f)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Jittered(Node[In, Out]):
    of: Node[In, Out]
    ratio: float = 0.2

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        delay, output, rest = self.of.decide(tick)
        if delay is None:
            return None, output, self
        delay *= 1 + self.ratio * (2 * tick.draw - 1)
        if delay > MAX_DELAY:
            delay = MAX_DELAY
        return delay, output, self if rest is self.of else _Jittered(rest, self.ratio)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _JitteredBetween(Node[In, Out]):
    of: Node[In, Out]
    low: float
    high: float

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        delay, output, rest = self.of.decide(tick)
        if delay is None:
            return None, output, self
        delay *= self.low + (self.high - self.low) * tick.draw
        if delay > MAX_DELAY:
            delay = MAX_DELAY
        return delay, output, self if rest is self.of else _JitteredBetween(rest, self.low, self.high)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Held(Node[In, Out]):
    of: Node[In, Out]
    last: float | None = field(default=None, kw_only=True, metadata=STATE)
    ended: tuple[Out, ...] = field(
        default=(), kw_only=True, metadata=STATE
    )  # the output of the Done, once there

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        if self.ended:
            return self.last, self.ended[0], self
        delay, output, rest = self.of.decide(tick)
        if delay is None:
            if self.last is None:
                return None, output, self
            return self.last, output, _Held(self.of, last=self.last, ended=(output,))
        if rest is self.of and delay == self.last:
            return delay, output, self
        return delay, output, _Held(rest, last=delay)
