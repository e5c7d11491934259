"""The identity of `&` and the identity of `|`, which other nodes need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from typing_extensions import override

from effectloop.core.node import Decision, Node, Tick


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Forever(Node[object, int]):
    @override
    def decide(self, tick: Tick[object]) -> Decision[object, int]:
        return 0.0, tick.recurrence, self


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Stop(Node[object, None]):
    @override
    def decide(self, tick: Tick[object]) -> Decision[object, None]:
        return None, None, self
