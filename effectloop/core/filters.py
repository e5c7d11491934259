"""Nodes that end one schedule earlier, and never change its delays.

The schedule decides first: when it is done, the predicate is not asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import final

from typing_extensions import override

from effectloop.core.node import Decision, In, Node, Out, Tick


@final
@dataclass(frozen=True, slots=True, repr=False)
class _UpTo(Node[In, Out]):
    of: Node[In, Out]
    times: int | None = field(default=None, kw_only=True)
    elapsed: float | None = field(default=None, kw_only=True)

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        delay, output, rest = self.of.decide(tick)
        if (
            delay is None
            or (self.times is not None and tick.recurrence >= self.times)
            or (self.elapsed is not None and tick.elapsed >= self.elapsed)
        ):
            return None, output, self
        return delay, output, self if rest is self.of else _UpTo(rest, times=self.times, elapsed=self.elapsed)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Within(Node[In, Out]):
    of: Node[In, Out]
    limit: float

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        delay, output, rest = self.of.decide(tick)
        if delay is None or delay > self.limit - tick.elapsed:
            return None, output, self
        return delay, output, self if rest is self.of else _Within(rest, self.limit)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _WhileInput(Node[In, Out]):
    of: Node[In, Out]
    p: Callable[[In], bool]

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        delay, output, rest = self.of.decide(tick)
        if delay is None or not self.p(tick.input):
            return None, output, self
        return delay, output, self if rest is self.of else _WhileInput(rest, self.p)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _UntilInput(Node[In, Out]):
    of: Node[In, Out]
    p: Callable[[In], bool]

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        delay, output, rest = self.of.decide(tick)
        if delay is None or self.p(tick.input):
            return None, output, self
        return delay, output, self if rest is self.of else _UntilInput(rest, self.p)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _WhileOutput(Node[In, Out]):
    of: Node[In, Out]
    p: Callable[[Out], bool]

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        delay, output, rest = self.of.decide(tick)
        if delay is None or not self.p(output):
            return None, output, self
        return delay, output, self if rest is self.of else _WhileOutput(rest, self.p)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _UntilOutput(Node[In, Out]):
    of: Node[In, Out]
    p: Callable[[Out], bool]

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        delay, output, rest = self.of.decide(tick)
        if delay is None or self.p(output):
            return None, output, self
        return delay, output, self if rest is self.of else _UntilOutput(rest, self.p)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Check(Node[In, Out]):
    of: Node[In, Out]
    p: Callable[[In, Out], bool]

    @override
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        delay, output, rest = self.of.decide(tick)
        if delay is None or not self.p(tick.input, output):
            return None, output, self
        return delay, output, self if rest is self.of else _Check(rest, self.p)
