"""What a schedule is made of: `Tick`, `Decision` and `Node`.

House rules, which every other module of the core obeys:

- a node is a value: frozen, slotted, compared by its fields;
- everything from the world comes in with the tick: no clock, no randomness, no I/O here;
- a step answers a plain tuple ``(delay, output, rest)``; the delay is None when the schedule is done,
  and then the rest is the node itself;
- ``rest`` has the shape of the node: a step changes fields marked with `STATE`, never the tree.

A node class is private and named after its constructor in camel case: ``_SomeName`` is built by
``some_name(...)``. Its fields are that constructor's parameters, in order (keyword-only ones with
``field(kw_only=True)``), after the schedules it combines: ``of`` for the one schedule a method refines,
``left`` and ``right`` for two; a tuple of separate arguments is marked with `VARIADIC`. That is all `repr`
needs to print the expression that builds a schedule (`_And` and `_Or` are the operators).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Generic, NamedTuple, TypeVar

from typing_extensions import TypeAliasType

from effectloop.core.expression import expression

A = TypeVar("A")
B = TypeVar("B")
In = TypeVar("In", contravariant=True)
Out = TypeVar("Out", covariant=True)
In_co = TypeVar("In_co", covariant=True)


class Tick(NamedTuple, Generic[In_co]):
    """All that a schedule may know when it decides; made by whoever runs it.

    Attributes:
        input: What just happened: a value (repeat), an error (retry), an `Outcome` (loop).
        recurrence: Recurrences already granted in this run, or phase of it: 0 at the first decision, and one
            more at every next.
        elapsed: Seconds since the run (or phase) began, on a monotonic clock.
        wall: POSIX seconds; only calendars read it.
        draw: A uniform number in [0, 1), one a tick, for jitter.
    """

    input: In_co
    recurrence: int
    elapsed: float
    wall: float
    draw: float


Decision = TypeAliasType("Decision", "tuple[float | None, B, Node[A, B]]", type_params=(A, B))
"""What a node answers: the delay in seconds (None when done), the output, and the rest (itself when done)."""


class Node(ABC, Generic[In, Out]):
    """The base of everything a schedule is made of; subclass it to write your own.

    A subclass is a frozen, slotted dataclass with one method, wrapped by `Schedule` in a function that
    bears its name. Its delays are seconds, at least 0 and at most `MAX_DELAY`.

    Example:
        >>> from dataclasses import dataclass
        >>> from effectloop import Decision, Node, Schedule, Tick, delays
        >>> @dataclass(frozen=True, slots=True, repr=False)
        ... class _Alternating(Node[object, float]):
        ...     short: float
        ...     long: float
        ...
        ...     def decide(self, tick: Tick[object]) -> Decision[object, float]:
        ...         delay = self.long if tick.recurrence % 2 else self.short
        ...         return delay, delay, self
        >>> def alternating(short: float, long: float) -> Schedule[object, float]:
        ...     return Schedule(_Alternating(short, long))
        >>> alternating(1.0, 5.0).capped(4)
        alternating(1, 5).capped(4)
        >>> delays(alternating(1.0, 5.0).capped(4), 4)
        [1.0, 4.0, 1.0, 4.0]
    """

    __slots__ = ()

    @abstractmethod
    def decide(self, tick: Tick[In]) -> Decision[In, Out]:
        """Answer ``(delay, output, rest)`` for *tick*; the same tick always gets the same answer."""

    def __repr__(self) -> str:
        return expression(self)


STATE: Final[Mapping[str, bool]] = MappingProxyType({"state": True})
"""The metadata of a node's field that a step may change: ``field(default=0, kw_only=True, metadata=STATE)``.

A state field is keyword-only, has the value of a fresh schedule as its default, and holds what JSON can say
(None, bool, int, float, str, tuples of these), an output kept for later, or a node of a child's shape.
"""

VARIADIC: Final[Mapping[str, bool]] = MappingProxyType({"variadic": True})
"""The metadata of a node's field that holds all positional arguments: ``from_delays(*delays)``."""
