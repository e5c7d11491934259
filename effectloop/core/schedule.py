"""`Schedule`, what its step answers, and the methods that may change its types.

Every method that can narrow the input has two overloads: without the first, type checkers would fix the input
of a schedule that reads none to `object`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar, final, get_origin, overload

from returns.result import Result
from typing_extensions import override

from effectloop.core.delays import _DelayFrom
from effectloop.core.duration import Duration, seconds
from effectloop.core.filters import _Check, _UntilInput, _WhileInput
from effectloop.core.gate import function
from effectloop.core.node import A, B, In, Node, Out, Tick
from effectloop.core.outputs import _Fold, _Map, _MapInput, _Passthrough
from effectloop.core.pairs import (
    _And,
    _BothInOut,
    _Compose,
    _IntersectWith,
    _KeepLeft,
    _KeepRight,
    _Or,
    _UnionWith,
)
from effectloop.core.phases import _AndThen, _AndThenTagged, _ResetOnInput
from effectloop.core.refine import Refine
from effectloop.core.sides import _ResetOnSuccess
from effectloop.core.sources import _Forever

C = TypeVar("C")
E = TypeVar("E")
J = TypeVar("J")
X = TypeVar("X")
Y = TypeVar("Y")
Z = TypeVar("Z")


@final
@dataclass(frozen=True, slots=True)
class Continue(Generic[In, Out]):
    """One more recurrence: after *delay* seconds, then decided by *rest*."""

    delay: float
    output: Out
    rest: Schedule[In, Out]


@final
@dataclass(frozen=True, slots=True)
class Done(Generic[Out]):
    """No further recurrence."""

    output: Out


@final
@dataclass(frozen=True, slots=True, repr=False)
class Schedule(Refine[In, Out]):
    """A value that says whether to go on, after which delay, and with what output."""

    def __post_init__(self) -> None:
        given: object = self.node
        if not isinstance(given, Node):
            msg = f"Schedule: node must be a Node, got {given!r}"
            raise TypeError(msg)

    @override
    def __repr__(self) -> str:
        return repr(self.node)

    def step(self, tick: Tick[In]) -> Continue[In, Out] | Done[Out]:
        delay, output, rest = self.node.decide(tick)
        if delay is None:
            return Done(output)
        return Continue(delay, output, self if rest is self.node else Schedule(rest))

    # --- two schedules

    @overload
    def __and__(self: Schedule[object, object], other: Schedule[J, object]) -> Schedule[J, float]: ...
    @overload
    def __and__(self: Schedule[J, object], other: Schedule[J, object]) -> Schedule[J, float]: ...
    def __and__(self: Schedule[J, object], other: Schedule[J, object]) -> Schedule[J, float]:
        return Schedule(_And(self.node, other.node)) if _is_schedule(other) else NotImplemented

    @overload
    def __or__(self: Schedule[object, object], other: Schedule[J, object]) -> Schedule[J, float]: ...
    @overload
    def __or__(self: Schedule[J, object], other: Schedule[J, object]) -> Schedule[J, float]: ...
    def __or__(self: Schedule[J, object], other: Schedule[J, object]) -> Schedule[J, float]:
        return Schedule(_Or(self.node, other.node)) if _is_schedule(other) else NotImplemented

    @overload
    def intersect_with(
        self: Schedule[object, A], other: Schedule[J, B], f: Callable[[A, B], C]
    ) -> Schedule[J, C]: ...
    @overload
    def intersect_with(
        self: Schedule[J, A], other: Schedule[J, B], f: Callable[[A, B], C]
    ) -> Schedule[J, C]: ...
    def intersect_with(self: Schedule[J, A], other: Schedule[J, B], f: Callable[[A, B], C]) -> Schedule[J, C]:
        right = node_of(other, "intersect_with: other")
        return Schedule(_IntersectWith(self.node, right, function(f, "intersect_with: f")))

    @overload
    def union_with(
        self: Schedule[object, A], other: Schedule[J, B], f: Callable[[A, B], C]
    ) -> Schedule[J, C]: ...
    @overload
    def union_with(self: Schedule[J, A], other: Schedule[J, B], f: Callable[[A, B], C]) -> Schedule[J, C]: ...
    def union_with(self: Schedule[J, A], other: Schedule[J, B], f: Callable[[A, B], C]) -> Schedule[J, C]:
        right = node_of(other, "union_with: other")
        return Schedule(_UnionWith(self.node, right, function(f, "union_with: f")))

    @overload
    def keep_left(self: Schedule[object, A], other: Schedule[J, object]) -> Schedule[J, A]: ...
    @overload
    def keep_left(self: Schedule[J, A], other: Schedule[J, object]) -> Schedule[J, A]: ...
    def keep_left(self: Schedule[J, A], other: Schedule[J, object]) -> Schedule[J, A]:
        return Schedule(_KeepLeft(self.node, node_of(other, "keep_left: other")))

    @overload
    def keep_right(self: Schedule[object, object], other: Schedule[J, B]) -> Schedule[J, B]: ...
    @overload
    def keep_right(self: Schedule[J, object], other: Schedule[J, B]) -> Schedule[J, B]: ...
    def keep_right(self: Schedule[J, object], other: Schedule[J, B]) -> Schedule[J, B]:
        return Schedule(_KeepRight(self.node, node_of(other, "keep_right: other")))

    @overload
    def and_then(self: Schedule[object, A], other: Schedule[J, B]) -> Schedule[J, A | B]: ...
    @overload
    def and_then(self: Schedule[J, A], other: Schedule[J, B]) -> Schedule[J, A | B]: ...
    def and_then(self: Schedule[J, A], other: Schedule[J, B]) -> Schedule[J, A | B]:
        return Schedule(_AndThen(self.node, node_of(other, "and_then: other")))

    @overload
    def and_then_tagged(self: Schedule[object, A], other: Schedule[J, B]) -> Schedule[J, Result[B, A]]: ...
    @overload
    def and_then_tagged(self: Schedule[J, A], other: Schedule[J, B]) -> Schedule[J, Result[B, A]]: ...
    def and_then_tagged(self: Schedule[J, A], other: Schedule[J, B]) -> Schedule[J, Result[B, A]]:
        return Schedule(_AndThenTagged(self.node, node_of(other, "and_then_tagged: other")))

    def compose(self, other: Schedule[Out, B]) -> Schedule[In, B]:
        return Schedule(_Compose(self.node, node_of(other, "compose: other")))

    def both_in_out(self, other: Schedule[J, B]) -> Schedule[tuple[In, J], tuple[Out, B]]:
        return Schedule(_BothInOut(self.node, node_of(other, "both_in_out: other")))

    # --- delays and stopping, by what just happened

    @overload
    def delay_from(self: Schedule[object, A], f: Callable[[Tick[J], float], Duration]) -> Schedule[J, A]: ...
    @overload
    def delay_from(self: Schedule[J, A], f: Callable[[Tick[J], float], Duration]) -> Schedule[J, A]: ...
    def delay_from(self: Schedule[J, A], f: Callable[[Tick[J], float], Duration]) -> Schedule[J, A]:
        return Schedule(_DelayFrom(self.node, function(f, "delay_from: f")))

    @overload
    def while_input(self: Schedule[object, A], p: Callable[[J], bool]) -> Schedule[J, A]: ...
    @overload
    def while_input(self: Schedule[J, A], p: Callable[[J], bool]) -> Schedule[J, A]: ...
    def while_input(self: Schedule[J, A], p: Callable[[J], bool]) -> Schedule[J, A]:
        return Schedule(_WhileInput(self.node, function(p, "while_input: p")))

    @overload
    def until_input(self: Schedule[object, A], p: Callable[[J], bool]) -> Schedule[J, A]: ...
    @overload
    def until_input(self: Schedule[J, A], p: Callable[[J], bool]) -> Schedule[J, A]: ...
    def until_input(self: Schedule[J, A], p: Callable[[J], bool]) -> Schedule[J, A]:
        return Schedule(_UntilInput(self.node, function(p, "until_input: p")))

    @overload
    def check(self: Schedule[object, A], p: Callable[[J, A], bool]) -> Schedule[J, A]: ...
    @overload
    def check(self: Schedule[J, A], p: Callable[[J, A], bool]) -> Schedule[J, A]: ...
    def check(self: Schedule[J, A], p: Callable[[J, A], bool]) -> Schedule[J, A]:
        return Schedule(_Check(self.node, function(p, "check: p")))

    # --- starting over

    @overload
    def reset_on_input(self: Schedule[object, A], p: Callable[[J], bool]) -> Schedule[J, A]: ...
    @overload
    def reset_on_input(self: Schedule[J, A], p: Callable[[J], bool]) -> Schedule[J, A]: ...
    def reset_on_input(self: Schedule[J, A], p: Callable[[J], bool]) -> Schedule[J, A]:
        return Schedule(_ResetOnInput(self.node, function(p, "reset_on_input: p")))

    @overload
    def reset_on_success(
        self: Schedule[E, X], on_success: None = None, *, stable_for: Duration = 0
    ) -> Schedule[Result[object, E], X | int]: ...
    @overload
    def reset_on_success(
        self: Schedule[E, X], on_success: Schedule[B, Y], *, stable_for: Duration = 0
    ) -> Schedule[Result[B, E], X | Y]: ...
    def reset_on_success(
        self: Schedule[E, X], on_success: Schedule[B, Y] | None = None, *, stable_for: Duration = 0
    ) -> Schedule[Result[B, E], X | Y | int]:
        least = seconds(stable_for, "reset_on_success: stable_for")
        if on_success is None:
            return Schedule(_ResetOnSuccess(self.node, _Forever(), stable_for=least))
        side = node_of(on_success, "reset_on_success: on_success")
        return Schedule(_ResetOnSuccess(self.node, side, stable_for=least))

    # --- types and outputs

    @overload
    def accepts(self: Schedule[object, A], kind: type[J]) -> Schedule[J, A]: ...
    @overload
    def accepts(self: Schedule[J, A], kind: type[J]) -> Schedule[J, A]: ...
    def accepts(self: Schedule[J, A], kind: type[J]) -> Schedule[J, A]:
        given: object = kind
        if not (isinstance(given, type) or get_origin(given)):
            msg = f"accepts: kind must be a type, got {given!r}"
            raise TypeError(msg)
        return self

    def map(self, f: Callable[[Out], B]) -> Schedule[In, B]:
        return Schedule(_Map(self.node, function(f, "map: f")))

    def map_input(self, f: Callable[[J], In]) -> Schedule[J, Out]:
        return Schedule(_MapInput(self.node, function(f, "map_input: f")))

    def passthrough(self: Schedule[J, object]) -> Schedule[J, J]:
        return Schedule(_Passthrough(self.node))

    def fold(self, zero: Z, f: Callable[[Z, Out], Z]) -> Schedule[In, Z]:
        return Schedule(_Fold(self.node, zero, function(f, "fold: f")))


def _is_schedule(value: object) -> bool:
    return isinstance(value, Schedule)


def node_of(schedule: Schedule[J, A], of: str) -> Node[J, A]:
    """Answer the node of *schedule*, or refuse what is no schedule."""
    if _is_schedule(schedule):
        return schedule.node
    name = getattr(schedule, "__name__", "")
    hint = f"; did you mean {name}()?" if callable(schedule) and name.isidentifier() else ""
    msg = f"{of} must be a schedule, got {schedule!r}{hint}"
    raise TypeError(msg)
